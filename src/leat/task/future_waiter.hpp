// What is to be told when the result of a future is there.
#pragma once

namespace leat::task {

/// In the chain of a result's channel (FUTURE-6).
struct alignas(8) future_waiter {
  future_waiter* next;
  /// Called by the worker that has sent the result. From then on the waiter may be gone.
  void (*tells)(future_waiter* mine) noexcept;
};

}  // namespace leat::task
