// Where a worker's thread is, and what kind of code is on top of its stack.
#pragma once

#include <cstdint>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::scheduler {

/// In a task; in the runtime's own code, where no interrupt may poll (INTERRUPT-1, docs/internals/interrupts.md); or nowhere, as
/// no thread is the worker (PRIMARY-2, entry/primary.hpp).
enum class whereabouts : std::uint32_t { task, runtime, outside };

/// The code on top of the stack: a task or a wait; the root of a run; or the own code of a user-level thread, where
/// no construct knows the worker (footing.hpp).
enum class ground : std::uint8_t { task, root, thread };

/// Counts the groups that the user-level thread on top has made. They belong to its worker, so the thread may not
/// leave while it has any. Only that worker uses this.
class pins {
 public:
  bool any() const noexcept { return count_ != 0; }

  /// One group more. Returns the number of the thread, which is not 0.
  std::uint64_t add() noexcept { return ++count_, thread_; }
  /// One group of that thread less, unless the thread has ended.
  void drop(std::uint64_t thread) noexcept {
    if (thread == thread_ && count_ != 0) --count_;
  }
  /// The thread has ended. Groups that it left behind pin no other thread.
  void end_thread() noexcept { ++thread_, count_ = 0; }

 private:
  std::uint64_t thread_ = 1;  // one more than threads that have ended on the worker
  std::uint32_t count_ = 0;
};

}  // namespace leat::inline LEAT_ABI::scheduler
