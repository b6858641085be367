// What is to be told when the result of a future is there.
#pragma once

#include <cstdint>
#include <utility>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::task {

/// In the chain of a result's channel (FUTURE-6).
struct alignas(8) future_waiter {
  future_waiter* next;
  /// Called by the thread that has sent the result. From then on the waiter may be gone. Returns a chain of others that are to be
  /// told now, or 0.
  std::uintptr_t (*tells)(future_waiter* mine) noexcept;
  bool comes_later = false;  ///< it executes something, so others are told before it (FUTURE-8)
};

/// Tells all of a chain, and those that come of it. In a loop: a chain of continuations may be long.
inline void tell_all(std::uintptr_t waiters) noexcept {
  future_waiter* later = nullptr;
  future_waiter** last = &later;
  for (;;) {
    for (auto* w = reinterpret_cast<future_waiter*>(waiters); w != nullptr;) {
      future_waiter* const next = w->next;  // first: the waiter is gone when it is told
      if (w->comes_later) {
        w->next = nullptr;
        *last = w;
        last = &w->next;
      } else {
        w->tells(w);
      }
      w = next;
    }
    future_waiter* const first = later;
    if (first == nullptr) return;
    later = first->next;
    if (later == nullptr) last = &later;
    waiters = first->tells(first);
  }
}

}  // namespace leat::inline LEAT_ABI::task
