// User-level threads: they block without blocking a worker. Page: docs/guide/bubbles.md. Link leat::threads.
#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "leat/bubble/described.hpp"
#include "leat/platform/chosen.hpp"
#include "leat/thread/location.hpp"
#include "leat/thread/run_threads.hpp"
#include "leat/thread/sync.hpp"

namespace leat::inline LEAT_ABI {

/// A user-level thread: it has a stack of its own, and lies on the list of a domain of the machine, from which the
/// workers of that domain take it. Movable, not copyable.
///
/// - `thread(f)`, `thread(f, thread_options)`: makes a thread that calls a decayed copy of f() once, on any worker.
///   About 0.2 us: a recycled stack, and one small allocation.
/// - `thread(leat::held, f)`: makes a thread that begins when the bubble into which it is inserted releases it. If the
///   handle is destroyed before that bubble is woken, the thread is discarded. If the bubble is destroyed before its
///   wake, the thread is as before it was inserted.
/// - `join()`: waits for the end of the thread, and throws what f let out. Only once, and not by the thread itself.
/// - `detach()`: lets the thread run without a handle. What f then lets out is thrown by its bubble's join, or
///   otherwise by run_threads. If the thread has ended already, run_threads throws it; if, moreover, the caller is none
///   of its run_threads' threads or tasks, detach itself does.
/// - `thread::yield()`: lets other threads of the same priority or a higher one go first, if there are any in reach. A
///   few nanoseconds if there are none. Outside of user-level threads it is leat::poll().
/// - `thread::sleep()`: sleeps until `wake()` of its handle is called. A wake that came before is used up by the next
///   sleep.
/// - `wake()`: ends the sleep of the thread. Any thread of the program may call it while the handle exists.
/// - `set_priority(p)`: gives the thread another priority. A thread on a list has it at once; one that executes has it
///   when it yields or is next put on a list; one that has ended, never. Any thread of the program may call it. It
///   takes some locks, for less than a microsecond.
///
/// A thread may go on with another worker when it yields, waits, or polls in a bubble with a time slice. What it knew
/// of the old worker is then wrong: thread-local variables, leat::worker_local. So a thread leaves its worker only
/// where none of its frames knows that worker: outside of fork_join, loops, tasks and with_context, and while no
/// leat::task_group lives that it has made. Elsewhere a wait blocks the worker, as leat::blocking does, and another
/// worker compensates; a yield does nothing. (The last callable of a fork_join counts as outside, if it is called in
/// place and nothing of the fork is left.)
///
/// If the handle of a released thread is destroyed that was neither joined nor detached, the process ends. So it does
/// when a thread comes to the end of its stack, after a message on stderr with the thread's number.
/// Errors: std::logic_error outside of run_threads, or with an empty handle; std::invalid_argument for a stack of a
/// wrong size; std::bad_alloc.
/// Paper: Thibault, "A Flexible Thread Scheduler for Hierarchical Multiprocessor Machines" (2005), section 4.
using thread = threads::thread<platform::chosen>;

/// The options of a thread: `priority`, `stack_bytes`.
using threads::thread_options;

/// Makes a thread that begins when its bubble releases it: `thread(leat::held, f)`.
inline constexpr threads::held_t held{};

/// A lock for which a user-level thread waits without blocking its worker. It meets the standard's Lockable, so
/// std::lock_guard and std::unique_lock take it. Any thread may lock it, and another thread may unlock it than the one
/// that locked.
///
/// A thread that is no user-level thread blocks, and such threads get the lock first come, first served. A user-level
/// thread that has left its worker for the lock is woken when the lock is free and no other thread blocks for it. It
/// then asks again, before those that left later; a thread that executes may be faster a few times. Costs two
/// read-modify-writes for lock and unlock together, if no thread waits.
using mutex = threads::mutex<platform::chosen>;

/// A condition variable for leat::mutex. `wait(mutex)`, `wait(mutex, ready)`: the caller holds the mutex, before and
/// after. `notify_one()`, `notify_all()`: any thread may call them, with or without the mutex. No wait ends by itself.
using condition = threads::condition<platform::chosen>;

/// A barrier for a number of threads, which may be used again and again. `arrive_and_wait()` returns when all threads
/// have come, and returns true to the last one. Any thread may arrive.
using thread_barrier = threads::barrier<platform::chosen>;

/// The place where the calling code runs at that moment. A plain value, good until run_threads returns.
///
/// - `unit()`: the number of the machine's unit for which the calling worker stands.
/// - `area()`: the number of the domain on whose list the thread belongs: any unit of it may execute the thread next.
///   For a thread in a bubble it is the domain where that has burst, or to which it was widened; otherwise it is the
///   whole machine, root_domain.
/// - `level()`: the word for the area's level, such as "numa".
/// - `domain_of(level)`: the domain of that level that has the unit. \throws std::invalid_argument  the unit is in
///   none; names both
/// - `machine()`: the tree that run_threads was given, which has these numbers of units and domains.
using threads::location;

/// Returns where the caller runs; nullopt outside of run_threads, and inside leat::blocking. A thread may run elsewhere
/// after each yield, wait, and poll in a bubble with a time slice. Its area changes when its bubble bursts again or is
/// widened. A task that a worker of run_threads executes beside threads has the whole machine as its area. Any thread
/// may call it. Costs some nanoseconds.
/// Paper: Thibault (2005), section 5.2, where a program asks how many nodes and processors there are.
inline std::optional<location> where() noexcept { return threads::where<platform::chosen>(); }

/// Returns how often bubbles have gone down, burst, been recalled, moved and widened since the caller's run_threads
/// began. Any thread of that run_threads may call it. Takes the bubbles' lock for a moment.
inline bubbles::bubble_counts bubble_events() {
  return threads::this_carrier<platform::chosen>("bubble_events").home().counts();
}

/// Options of run_threads. A value.
struct run_threads_options {
  /// The machine on whose lists the threads lie, such as "numa:4 core:4 pu:1" (see leat topology). Empty: this machine,
  /// or that of the simulated world. The worker of number w stands for unit w modulo the number of units.
  std::string machine = {};
  /// A trace to which the history of the bubbles is written; null: none. It must outlive the call, and is in use until
  /// the call returns.
  bubbles::trace* trace = nullptr;
  /// The policy of bubbles that have none of their own (leat::bubble_policy); null: the default. It must outlive the
  /// call.
  const bubbles::policy* policy = nullptr;
};

/// Calls f() on a user-level thread, and returns its result when that thread, and all threads that were made meanwhile,
/// have ended. Workers of the run that have nothing else to do execute these threads, and tasks when there are none.
/// The calling worker does so until the end.
///
/// Thread safety: a worker inside a run calls it, one call at a time in a run. A user-level thread must not call it,
/// nor a task that such a thread waits for. Costs about as much as one steal for each worker.
/// \return what f returns, a value or nothing
/// \throws the first exception that f or a thread without handle let out; not_a_worker outside of a run;
///         std::logic_error while another call is under way in the run, or when all threads have ended but some that
///         never began (made with leat::held, or in a bubble that was not woken), which outlive the call;
///         std::invalid_argument for the machine
template <class F>
auto run_threads(F&& f, const run_threads_options& o = {}) {
  static_assert(std::is_invocable_v<F&>, "leat::run_threads: f must be callable without arguments");
  using result = std::invoke_result_t<F&>;
  static_assert(!std::is_reference_v<result>, "leat::run_threads: f must return a value or nothing");
  task::this_worker<platform::chosen>("run_threads");
  const topology::machine m = bubbles::machine_of(o.machine);
  if constexpr (std::is_void_v<result>) {
    threads::run_threads<platform::chosen>(f, m, o.trace, o.policy);
  } else {
    std::optional<result> made;
    auto keeping = [&] { made.emplace(f()); };
    threads::run_threads<platform::chosen>(keeping, m, o.trace, o.policy);
    return std::move(*made);
  }
}

}  // namespace leat::inline LEAT_ABI
