// How a thread without work waits: it spins for a bounded time, then sleeps on a futex until it is notified.
//
// Rules, cited in the code:
//  PARKER-1  The sleeper announces itself, fences, checks once more, and only then sleeps.
//  PARKER-2  The notifier makes its news visible, fences, and only then checks whether the thread sleeps.
// So one of the two sees the other: no wake-up is lost. A futex compares the word again inside the kernel, so a
// notification between the last check and the sleep ends the sleep. (No condition variable: glibc bug 25847.)
#pragma once

#include <cstdint>

#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::handshake {

/// Spins this many times between two readings of the clock, which costs as much as some of them.
inline constexpr unsigned spins_per_try = 64;

template <class P>
class parker {
 public:
  /// Spins until ready() is true, which it returns, or `spin_ns` nanoseconds have passed.
  template <class Ready>
  static bool spin(Ready ready, std::uint64_t spin_ns) {
    if (ready()) return true;
    if (spin_ns == 0) return false;
    const std::uint64_t start = P::now_ns();
    do {
      for (unsigned i = 0; i < spins_per_try; ++i) {
        if (ready()) return true;
        P::relax();
      }
      P::yield();  // cheap when no thread waits for the core, and needed when one does
    } while (P::now_ns() - start < spin_ns);
    return false;
  }

  /// Returns when ready() is true. ready() is called often and must be cheap. Spins for `spin_ns` nanoseconds first.
  /// Returns whether the thread slept. One thread at a time.
  template <class Ready>
  bool wait(Ready ready, std::uint64_t spin_ns) {
    if (spin(ready, spin_ns)) return false;
    bool slept = false;
    for (;;) {
      word_.store(asleep, platform::relaxed);  // ordered by the fence (PARKER-1)
      P::fence();                              // pairs with the fence in notify
      if (ready()) break;
      slept = true;
      P::wait(word_, asleep);
      if (ready()) break;
    }
    word_.store(awake, platform::relaxed);  // relaxed: a notifier that misses it makes a vain call; harmless
    return slept;
  }

  /// Sleeps until ready() is true, which it returns, or `ns` nanoseconds have passed. One thread at a time.
  template <class Ready>
  bool wait_for(Ready ready, std::uint64_t ns) {
    const std::uint64_t start = P::now_ns();
    bool there = false;
    for (std::uint64_t passed = 0; !there && passed < ns; passed = P::now_ns() - start) {
      word_.store(asleep, platform::relaxed);  // ordered by the fence (PARKER-1)
      P::fence();                              // pairs with the fence in notify
      there = ready();
      if (!there) P::wait_for(word_, asleep, ns - passed);
    }
    word_.store(awake, platform::relaxed);  // relaxed: as in wait
    return there || ready();
  }

  /// Whether the thread sleeps, or is about to. A hint.
  bool sleeps() const noexcept { return word_.load(platform::relaxed) == asleep; }  // relaxed: a hint

  /// Ends the wait of a thread for which ready() has become true. Any thread. One fence; a system call of about 7 us if
  /// the thread sleeps. Returns whether it slept.
  bool notify() {
    P::fence();  // PARKER-2; pairs with the fence in wait
    // relaxed: the fence orders it after the news. The exchange lets one notifier of several make the call.
    if (word_.load(platform::relaxed) != asleep || word_.exchange(awake, platform::relaxed) != asleep) return false;
    P::wake_one(word_);
    return true;
  }

 private:
  static constexpr std::uint32_t awake = 0;
  static constexpr std::uint32_t asleep = 1;

  alignas(platform::cache_line) typename P::template atomic<std::uint32_t> word_{awake};
};

}  // namespace leat::inline LEAT_ABI::handshake
