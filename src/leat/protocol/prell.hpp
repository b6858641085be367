// The choices that Prell's thesis compares for its scheduler, `prell`, and the way of a steal request from victim to victim. Pure
// functions and values: no atomics, no clock.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>

#include "leat/protocol/random.hpp"
#include "leat/protocol/request.hpp"

namespace leat::inline LEAT_ABI::protocol {

/// Which victims a request tries (thesis, 3.4.1).
enum class tries : std::uint8_t {
  repeated,  ///< each try draws anew
  distinct,  ///< none twice in a round
};

/// What a victim without tasks does with a request (3.3, Figure 3.5).
enum class refusal : std::uint8_t {
  forward,  ///< it sends the request to the next victim
  acknowledge,  ///< it sends the request back, and the thief asks the next victim
};

/// When a worker handles requests (3.6).
enum class polling : std::uint8_t {
  operations,  ///< at each push, pop and join, and in leat::poll
  interrupts,  ///< also when a request comes: its sender interrupts the worker
};

/// How the end of all tasks is found (4.1).
enum class termination : std::uint8_t {
  root,  ///< worker 0, which executes the root, is the manager
  worker,  ///< worker 1 is the manager, and works
  dedicated,  ///< worker 1 is the manager, and executes nothing; of two workers it works
  counter,  ///< no manager: a shared word counts the workers that are not idle
};

/// Which request a barrier revokes at its end (4.2.1); nothing where worker 0 is the manager, or there is none.
enum class barrier_end : std::uint8_t {
  own,  ///< worker 0 waits until its own request comes back
  dummy,  ///< the next request that comes, with a dummy task for its thief
};

// The names that options and commands have for these, in the order of the enumerators.
inline constexpr std::array<std::string_view, 2> tries_names{"repeated", "distinct"};
inline constexpr std::array<std::string_view, 2> refusal_names{"forward", "acknowledge"};
inline constexpr std::array<std::string_view, 2> polling_names{"operations", "interrupts"};
inline constexpr std::array<std::string_view, 4> termination_names{"root", "worker", "dedicated", "counter"};
inline constexpr std::array<std::string_view, 2> barrier_end_names{"own", "dummy"};

/// As published, where the thesis settles on one (6.1).
struct prell_choices {
  bool last_victim = false;  ///< try the victim of the last steal first (3.4.2)
  protocol::tries tries = tries::repeated;
  protocol::refusal refusal = refusal::forward;
  protocol::polling polling = polling::operations;
  protocol::termination termination = termination::worker;
  protocol::barrier_end barrier = barrier_end::dummy;
  bool ahead = false;  ///< a worker asks when it begins its last task (3.3.2)
  std::uint32_t samples =
      1;  ///< victims that a request sees before it goes to the one with the most tasks (7.2); 1: none
};

/// The worker that keeps account of idle ones; none if there is no manager. With one worker that is worker 0 in any case. In a place
/// of several (places.hpp) workers are counted from 0, too.
constexpr std::optional<worker_id> manager_of(const prell_choices& c, std::uint32_t workers) {
  if (workers == 1 || c.termination == termination::root) return 0;
  if (c.termination == termination::counter) return std::nullopt;
  return 1;
}

/// Whether that worker executes nothing. Of two workers it works, too, or there would be no thief.
constexpr bool is_dedicated(const prell_choices& c, std::uint32_t workers) {
  return c.termination == termination::dedicated && workers > 2;
}

/// The victims of one steal request in one place (places.hpp), drawn on behalf of its thief by whichever worker has the request.
/// Workers are counted within the place, from 0.
///
/// `distinct` walks a permutation of the workers but the thief, v(k) = offset + k * stride modulo their number. The stride has no common
/// divisor with that number. So the request carries two numbers, and not the set of workers that it has tried.
class itinerary {
 public:
  constexpr itinerary() = default;
  /// \param thief  nothing if it is in another place
  constexpr itinerary(tries how, std::optional<worker_id> thief, std::uint32_t workers, std::uint64_t seed)
      : how_(how), thief_(thief.value_or(workers)), workers_(workers), draws_(seed) {
    restart();
  }

  /// Begins a new round.
  constexpr void restart() {
    tried_ = 0;
    if (how_ != tries::distinct || victims() < 2) return;
    offset_ = draws_.below(victims());
    constexpr int draws_max = 16;
    stride_ = 1;
    for (int i = 0; i < draws_max; ++i) {
      const std::uint32_t drawn = 1 + draws_.below(victims());
      if (std::gcd(drawn, victims()) != 1) continue;
      stride_ = drawn;
      break;
    }
  }

  /// The next victim: neither the thief, nor `holder`, which has the request, nor `passed_over`, where these are in the place. Nothing
  /// if there is no other worker, or if the round is over.
  constexpr std::optional<worker_id> next(std::optional<worker_id> holder, std::optional<worker_id> passed_over) {
    if (how_ == tries::distinct) {
      while (tried_ < victims()) {
        const worker_id w =
            victim(static_cast<std::uint32_t>((offset_ + std::uint64_t{stride_} * tried_++) % victims()));
        if (w != holder && w != passed_over) return w;
      }
      return std::nullopt;
    }
    // Those that are not there lie behind the last worker.
    std::array<worker_id, 3> without{thief_, holder.value_or(workers_), passed_over.value_or(workers_)};
    std::sort(without.begin(), without.end());
    const auto end = std::find(without.begin(), std::unique(without.begin(), without.end()), workers_);
    const auto few = static_cast<std::uint32_t>(end - without.begin());
    if (workers_ <= few) return std::nullopt;
    worker_id drawn = draws_.below(workers_ - few);
    for (auto w = without.begin(); w != end; ++w) drawn += drawn >= *w ? 1 : 0;
    return drawn;
  }

 private:
  constexpr std::uint32_t victims() const { return thief_ < workers_ ? workers_ - 1 : workers_; }
  // The k-th worker, without the thief.
  constexpr worker_id victim(std::uint32_t k) const { return k < thief_ ? k : k + 1; }

  tries how_ = tries::repeated;
  worker_id thief_ = 0;
  std::uint32_t workers_ = 0;
  std::uint32_t tried_ = 0;
  std::uint32_t offset_ = 0;
  std::uint32_t stride_ = 1;
  random draws_{0};
};

}  // namespace leat::inline LEAT_ABI::protocol
