// How many runs are under way, their names, and the gaps between them.
#pragma once

#include <cstdint>

#include "leat/platform/order.hpp"
#include "leat/protocol/request.hpp"
#include "leat/work/call_gaps.hpp"

namespace leat::inline LEAT_ABI::work {

/// Callers' runs and drains' runs apart (SUBMIT-6), in one word. Any thread.
template <class P>
class run_count {
 public:
  /// \param adapts_spin  as settings::adapts_spin
  explicit run_count(bool adapts_spin = true) : gaps_(adapts_spin) {}

  static constexpr std::uint64_t one_caller = 1, one_drain = std::uint64_t{1} << 32;

  /// One more run is under way. Returns how many there were before, of both kinds as above.
  // release: pairs with any; what a run does is ordered by the manager's channel.
  std::uint64_t begin(std::uint64_t one = one_caller) noexcept { return word_.fetch_add(one, platform::release); }
  void end(std::uint64_t one = one_caller) noexcept { word_.fetch_sub(one, platform::relaxed); }  // relaxed: a count

  // acquire, both: pair with begin. A thread that sees a run also sees the threads of the workers that execute it.
  bool any() const noexcept { return word_.load(platform::acquire) != 0; }
  std::uint64_t of_callers() const noexcept { return word_.load(platform::acquire) % one_drain; }

  /// Between the calls of threads that come inside (PRIMARY-5).
  call_gaps<P>& gaps() noexcept { return gaps_; }

  /// A name for a run, never used before.
  protocol::run_id new_id() noexcept { return next_.fetch_add(1, platform::relaxed); }  // relaxed: a number

 private:
  typename P::template atomic<std::uint64_t> word_{0};
  typename P::template atomic<protocol::run_id> next_{1};
  call_gaps<P> gaps_;
};

}  // namespace leat::inline LEAT_ABI::work
