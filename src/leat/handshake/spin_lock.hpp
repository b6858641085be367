// A lock for a few instructions, for words that are touched seldom, and not on the path of a task.
#pragma once

#include <cstdint>

#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::handshake {

/// Held for a bounded time, in which its holder waits for nothing else than a lock that comes later in their order.
template <class P>
class spin_lock {
 public:
  void lock() noexcept {
    if (!try_lock()) [[unlikely]]
      wait();
  }
  void unlock() noexcept { word_.store(0, platform::release); }  // pairs with lock

 private:
  bool try_lock() noexcept { return word_.exchange(1, platform::acquire) == 0; }  // acquire: pairs with unlock
  [[gnu::noinline, gnu::cold]] void wait() noexcept {
    constexpr unsigned spins_max = 64;  // then the holder is likely to be preempted
    unsigned spins = 0;
    do {
      do {
        if (++spins % spins_max == 0) P::yield();
        else P::relax();
      } while (word_.load(platform::relaxed) != 0);  // relaxed: try_lock acquires
    } while (!try_lock());
  }

  typename P::template atomic<std::uint32_t> word_{0};
};

/// While it lives, the lock is held.
template <class P>
class holding {
 public:
  explicit holding(spin_lock<P>& l) noexcept : lock_(l) { lock_.lock(); }
  holding(const holding&) = delete;
  holding& operator=(const holding&) = delete;
  ~holding() { lock_.unlock(); }

 private:
  spin_lock<P>& lock_;
};

}  // namespace leat::inline LEAT_ABI::handshake
