// The lock for a few instructions, under this floor's name.
#pragma once

#include "leat/handshake/spin_lock.hpp"

namespace leat::inline LEAT_ABI::bubbles {

using handshake::holding;
using handshake::spin_lock;

/// Calls f under the lock, and returns its result.
template <class P, class F>
auto under(spin_lock<P>& lock, F f) {
  const holding<P> held(lock);
  return f();
}

}  // namespace leat::inline LEAT_ABI::bubbles
