// Where a worker's thread is, and what is on top of its stack.
#pragma once

#include <cstdint>

namespace leat::scheduler {

/// In a task, or in the runtime's own code, where no interrupt may poll (rule I1 of docs/internals/interrupts.md).
enum class whereabouts : std::uint32_t { task, runtime };

/// What a worker executes on top: a task, or a wait; the root of its run; a user-level thread's own code, no construct of
/// which knows the worker (footing.hpp).
enum class ground : std::uint8_t { task, root, thread };

/// What keeps the user-level thread on top on its worker: groups that it has made there, which are the worker's. That worker's alone.
class pins {
 public:
  bool any() const noexcept { return count_ != 0; }

  /// One more. Returns the number of the thread, which is not 0.
  std::uint64_t add() noexcept { return ++count_, thread_; }
  /// One of that thread less, unless it has ended.
  void drop(std::uint64_t thread) noexcept {
    if (thread == thread_ && count_ != 0) --count_;
  }
  /// The thread has ended. What it has left behind keeps no other one.
  void end_thread() noexcept { ++thread_, count_ = 0; }

 private:
  std::uint64_t thread_ = 1;  // one more than threads that have ended on the worker
  std::uint32_t count_ = 0;
};

}  // namespace leat::scheduler
