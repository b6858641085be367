// Where a worker stands while it carries user-level threads: what of it their code may have in hand when they leave.
#pragma once

#include "leat/platform/shared.hpp"
#include "leat/scheduler/worker.hpp"

namespace leat::inline LEAT_ABI::scheduler {

/// The function that a poll in a program's code calls besides answering thieves, for a floor that knows no threads:
/// set while the worker carries. Of each thread of the system; all zero where no worker carries.
struct LEAT_SHARED carried_poll {
  void (*polls)(void* carrier) noexcept;  ///< may go on with another user-level thread before it returns
  void* carrier;
};

/// The function by which a wait in a program's code leaves the worker to other user-level threads, for a floor that knows no
/// threads: set while the worker carries. Of each thread of the system; all zero where no worker carries.
struct LEAT_SHARED carried_wait {
  /// Ends the wait that `enlist` has put in a line. Any thread.
  using tell = void (*)(void* waiter);
  /// Puts the wait in a line and returns true; or returns false, and there is nothing to wait for.
  using enlist = bool (*)(void* by, tell how, void* waiter);

  void (*waits)(enlist, void* by);  ///< returns when the wait is told, maybe on another worker; throws std::bad_alloc
};

/// What a worker had when it began to carry user-level threads on top of its own frame. A thread may leave the worker only
/// where none of its frames knows the worker: outside of every task, loop, group, context and wait, with no fork of its
/// own pending, and no group of its own alive. The first shows in the worker's ground, the second in the top of the plain forks, the
/// last in its pins. The calling worker's alone.
template <class P>
class footing {
 public:
  explicit footing(worker<P>& me) noexcept : me_(me), top_(me.stack().top()) {}
  footing(const footing&) = delete;
  footing& operator=(const footing&) = delete;

  /// From now on a thread's own code executes; or no longer.
  void begin_thread() noexcept { me_.runner.set_ground(ground::thread); }
  void end_thread() noexcept { me_.runner.set_ground(ground::task); }

  /// Whether a thread's own code executes, and no task, loop, group, context or wait on top of it.
  bool is_thread() const noexcept { return me_.runner.on() == ground::thread; }

  /// Whether the thread that executes may leave. Three loads.
  bool is_clear() const noexcept { return is_thread() && me_.stack().top() == top_ && !me_.runner.pinned().any(); }

  /// The thread that executes has ended.
  void thread_ends() noexcept { me_.runner.pinned().end_thread(); }

  /// While it lives, a frame of the caller's knows its worker `me`, and no thread leaves that: around what a program copies or moves.
  class knowing {
   public:
    explicit knowing(worker<P>& me) noexcept : me_(me), on_(me.runner.on()) {
      if (on_ == ground::thread) me_.runner.set_ground(ground::task);
    }
    knowing(const knowing&) = delete;
    knowing& operator=(const knowing&) = delete;
    ~knowing() { me_.runner.set_ground(on_); }

   private:
    worker<P>& me_;
    const ground on_;
  };

 private:
  worker<P>& me_;
  deque::fork_slot<P>* const top_;
};

}  // namespace leat::inline LEAT_ABI::scheduler
