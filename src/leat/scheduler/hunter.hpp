// How a thief takes public tasks and forks of others by itself. Rules EXPOSURE-1 to EXPOSURE-3: exposer.hpp.
#pragma once

#include <cstdint>
#include <optional>

#include "leat/deque/fork_stack.hpp"
#include "leat/post/messages.hpp"
#include "leat/protocol/random.hpp"
#include "leat/protocol/request.hpp"
#include "leat/work/run.hpp"

namespace leat::inline LEAT_ABI::scheduler {

template <class P>
class worker;

template <class P>
class hunter {
 public:
  using slot = deque::fork_slot<P>;

  hunter(worker<P>& me, std::uint64_t seed) noexcept : me_(me), random_(seed) {}

  /// From here on the worker's tasks are of run `r`, and the manager counts the worker there. So it may take tasks of
  /// that run without telling the manager (EXPOSURE-1).
  void works_in(work::run<P>& r) noexcept;
  /// EXPOSURE-1: the manager counts the worker under that run. If the worker hunts in another run, it stops: that run
  /// may have ended.
  void is_known_under(protocol::run_id id) noexcept {
    if (run_id_ != id) run_ = nullptr;
  }

  /// EXPOSURE-3: hunts for a moment, or until ready(). The worker's tasks must all be done, and its request not out: it has
  /// one source of tasks at a time. Returns the stolen task as if it were an answer.
  template <class Ready>
  std::optional<post::answer<P>> hunt(protocol::run_id only, Ready ready);

  /// EXPOSURE-3: takes public tasks of the group with this join target from `victim`, for the innermost wait. Returns
  /// whether the wait has something new to do.
  bool helps_itself(const void* target, worker<P>& victim);

  /// EXPOSURE-3: the worker's request was sent to `victim`, and was not answered for `waited_ns`.
  void note_long_tasks(worker<P>& victim, std::uint64_t waited_ns);

 private:
  static constexpr unsigned rounds_per_request = 32;  // some microseconds; a victim that has nothing forgets a request

  // The result of one round over the victims.
  enum class round_end : std::uint8_t { took, found_work, found_none };

  bool may_hunt(protocol::run_id only) const noexcept;
  round_end try_all(unsigned round, post::answer<P>& a);
  bool take_public(worker<P>& victim, post::answer<P>& a);
  void request_exposure(worker<P>& victim);

  worker<P>& me_;
  work::run<P>* run_ = nullptr;  // EXPOSURE-1: the run that the manager counts the worker under, and its name
  protocol::run_id run_id_ = protocol::no_run;
  protocol::random random_;
};

}  // namespace leat::inline LEAT_ABI::scheduler
