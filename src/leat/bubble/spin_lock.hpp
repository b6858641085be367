// The scheduler's lock for a few instructions, under this floor's name.
#pragma once

#include "leat/scheduler/spin_lock.hpp"

namespace leat::bubbles {

using scheduler::holding;
using scheduler::spin_lock;

/// Calls f under the lock, and returns its result.
template <class P, class F>
auto under(spin_lock<P>& lock, F f) {
  const holding<P> held(lock);
  return f();
}

}  // namespace leat::bubbles
