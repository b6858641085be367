// How a carrier reads the clock where its thread is in a bubble with a slice (REGENERATION-3).
#pragma once

#include <cstdint>

#include "leat/bubble/bubble_node.hpp"

namespace leat::inline LEAT_ABI::threads {

/// In how many parts of a slice that is over a thread's polls see whether others wait.
inline constexpr std::uint64_t checks_per_slice = 8;

/// Of one carrier, which checks without a lock at each poll. Only where the clock says that a slice may be
/// over are locks taken, and where it was over in vain not before an eighth of the slice has passed: so polls
/// stay cheap.
template <class P>
class slice_watch {
 public:
  /// Whether to see under locks if a slice around `s`, which executes, is over. If one is, and nothing waits
  /// for the units, the answer is no until a part of the slice has passed. A bubble that bursts between the
  /// two readings gives a wrong yes, as the difference of the times wraps: it costs the locks once.
  bool may_be_over(const bubbles::green_thread<P>& s) noexcept {
    using node = bubbles::bubble_node<P>;
    std::uint64_t shortest = 0;
    for (const node* b = s.holder; b != nullptr; b = b->holder)
      if (b->plan.slice_ns != 0 && (shortest == 0 || b->plan.slice_ns < shortest)) shortest = b->plan.slice_ns;
    if (shortest == 0) return false;
    // relaxed, all: hints; the caller checks again under the locks.
    if (s.holder->wanted.load(platform::relaxed) != 0) return true;
    const std::uint64_t now = P::now_ns();
    if (now - seen_ns_ < shortest / checks_per_slice) return false;
    bool over = false;
    for (const node* b = s.holder; b != nullptr && !over; b = b->holder)
      over = bubbles::slice_over(b->plan.slice_ns, b->burst_ns.load(platform::relaxed), now, true);
    if (over) seen_ns_ = now;
    return over;
  }

 private:
  std::uint64_t seen_ns_ = 0;  // when it last saw that one was over
};

}  // namespace leat::inline LEAT_ABI::threads
