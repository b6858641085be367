// A lock of the process that a forked child never finds held.
#pragma once

#include <cstdint>

#include "leat/platform/abi.hpp"
#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::platform {

/// For what is rare, as a waiter only yields. A thread that held it when another thread forked does not exist in the child, so
/// the child takes the lock over. What is locked may be half changed then.
/// \tparam P  has atomic, process_id and yield
template <class P>
class process_lock {
 public:
  /// While it lives, the lock is held.
  class holding {
   public:
    explicit holding(process_lock& l) noexcept : lock_(l) {
      const std::uint64_t me = P::process_id();
      std::uint64_t found = 0;
      // acquire: pairs with the destructor. A number that is not ours is that of a parent.
      while (!lock_.process_.compare_exchange_weak(found, me, acquire, relaxed)) {
        if (found != me) continue;
        P::yield();
        found = 0;
      }
    }
    holding(const holding&) = delete;
    holding& operator=(const holding&) = delete;
    ~holding() { lock_.process_.store(0, release); }  // pairs with the constructor

   private:
    process_lock& lock_;
  };

 private:
  typename P::template atomic<std::uint64_t> process_{0};  // that of the thread that holds it; 0: none holds it
};

}  // namespace leat::inline LEAT_ABI::platform
