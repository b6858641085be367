// Where a worker's thread is: in a task, or in the runtime's own code, where no interrupt may look (rule I1 of
// docs/interrupts.md).
#pragma once

#include <cstdint>

#include "leat/platform/order.hpp"

namespace leat::scheduler {

template <class P>
class worker;

enum class whereabouts : std::uint32_t { task, runtime };

/// While it lives, the thread of `me`, which is the caller's, is there. O(1), no synchronisation.
template <class P>
class stay {
 public:
  stay(worker<P>& me, whereabouts where) : me_(me), before_(me.where_.load(platform::relaxed)) {
    P::signal_fence();  // I1: nothing moves across, in either direction
    me_.where_.store(where, platform::relaxed);  // relaxed: the thread's own; for others a hint
    P::signal_fence();
  }
  stay(const stay&) = delete;
  stay& operator=(const stay&) = delete;
  ~stay() {
    P::signal_fence();  // as above
    me_.where_.store(before_, platform::relaxed);
    P::signal_fence();
  }

 private:
  worker<P>& me_;
  const whereabouts before_;
};

}  // namespace leat::scheduler
