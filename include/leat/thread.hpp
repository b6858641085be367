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

/// A user-level thread: a stack of its own, and a place on the list of a domain of the machine, from which the workers of that
/// domain take it. Movable, not copyable.
///
/// - `thread(f)`, `thread(f, thread_options)`: a thread that calls a decayed copy of f() once, on any worker. About 0.2 us:
///   a recycled stack, and one small allocation.
/// - `thread(leat::held, f)`: the same; it begins when the bubble into which it is inserted releases it. Until that bubble is woken the
///   handle may be destroyed: the thread is discarded then. If the bubble is destroyed before its wake, the thread is as before it was
///   inserted.
/// - `join()`: waits for its end, and throws what f let out. Only once, and not by itself.
/// - `detach()`: lets it run without a handle. What it lets out comes out of its bubble's join, or else, and where it has ended
///   already, of run_threads; where it has ended and the caller is none of its run_threads' threads or tasks, out of detach itself.
/// - `thread::yield()`: lets others of the same priority or a higher one go first, if there are any in reach. A few
///   nanoseconds if there are none. Anywhere else than in a user-level thread it is leat::poll().
/// - `thread::sleep()`: until `wake()` of its handle is called; a wake that came before is used up by the next sleep.
/// - `wake()`: any thread of the program, while the handle exists.
/// - `set_priority(p)`: from now on it has that priority: at once on a list, and where it executes when it yields or is put on a list
///   the next time. No effect when it has ended. Any thread of the program. Some locks, for less than a microsecond.
///
/// A thread goes on with another worker than before, when it yields or waits, or polls in a bubble with a time slice. What it
/// knows of the worker is not good any more then: thread-local variables, leat::worker_local. So it only leaves its worker where none of
/// its frames knows it: outside of fork_join, loops, tasks and with_context, and while no leat::task_group lives that
/// it has made. Else a wait blocks the worker, as leat::blocking does, and another worker compensates; a yield does
/// nothing. (The last callable of a fork_join is outside, if it is called in place and nothing of the fork is left.)
/// Destroying the handle of a thread that was released, and neither joined nor detached, ends the process.
/// Errors: std::logic_error outside of run_threads, or with an empty handle; std::invalid_argument for a stack of a wrong size;
/// std::bad_alloc. A thread that comes to the end of its stack ends the process, with its number on the standard error.
/// Paper: Thibault, "A Flexible Thread Scheduler for Hierarchical Multiprocessor Machines" (2005), section 4.
using thread = threads::thread<platform::chosen>;

/// What a thread is made with: `priority`, `stack_bytes`.
using threads::thread_options;

/// For a thread that begins when its bubble releases it.
inline constexpr threads::held_t held{};

/// A lock that a user-level thread waits for without blocking its worker. Meets the standard's Lockable, so std::lock_guard
/// and std::unique_lock take it. It may be used on any thread, where it blocks: those are handed it, first come, first served. A
/// thread that has left its worker for it is woken when it is free and no thread blocks for it, and asks again, before others that
/// left later; a thread that executes may be faster a few times. lock, unlock: two read-modify-writes together if no thread waits. The
/// thread that unlocks may be another one than the one that locked.
using mutex = threads::mutex<platform::chosen>;

/// A condition variable for leat::mutex. `wait(mutex)`, `wait(mutex, ready)`: the mutex is held by the caller, before and after.
/// `notify_one()`, `notify_all()`: any thread, with or without the mutex. No wait ends by itself.
using condition = threads::condition<platform::chosen>;

/// A barrier for so many threads, again and again. `arrive_and_wait()` returns when all have come, true to the last one.
/// \throws std::invalid_argument if made for 0 threads
using thread_barrier = threads::barrier<platform::chosen>;

/// Where the code that asks runs at that moment. A plain value, good until run_threads returns.
///
/// - `unit()`: the unit of the machine that its worker stands for.
/// - `area()`: the domain on whose list its thread belongs: any unit of it may execute the thread next. For a thread in a bubble, where
///   that has burst, or was widened to; else the whole machine, root_domain.
/// - `level()`: the word for the area's level, as "numa".
/// - `domain_of(level)`: the domain of that level that has the unit. \throws std::invalid_argument  the unit is in none; names both
/// - `machine()`: the tree that run_threads was given, whose numbers of units and domains these are.
using threads::location;

/// Where the caller runs; nullopt outside of run_threads, and inside leat::blocking. A thread may run elsewhere after each yield, wait, and
/// poll in a bubble with a time slice; and its area changes when its bubble bursts again or is widened. A task that a worker of
/// run_threads executes beside threads has the whole machine as its area. Any thread. Some nanoseconds.
/// Paper: Thibault (2005), section 5.2, where a program asks how many nodes and processors there are.
inline std::optional<location> where() noexcept { return threads::where<platform::chosen>(); }

/// How often bubbles have gone down, burst, been recalled, moved and widened since the caller's run_threads began. Takes the bubbles'
/// lock for a moment. The same threads of the program as where().
/// \throws std::logic_error  outside of run_threads
inline bubbles::bubble_counts bubble_events() {
  return threads::this_carrier<platform::chosen>("bubble_events").home().counts();
}

/// Where threads are run.
struct run_threads_options {
  /// The machine whose lists they lie on, as "numa:4 core:4 pu:1" (leat topology); empty: this one, or that of the simulated world. The worker of number w
  /// stands for unit w modulo the number of units.
  std::string machine = {};
  /// What happens to bubbles is written to it, if it is one. It outlives the call, and is in use until that returns.
  bubbles::trace* trace = nullptr;
  /// What decides for bubbles that have no policy of their own (leat::bubble_policy); null: the default. It outlives the call.
  const bubbles::policy* policy = nullptr;
};

/// Calls f() on a user-level thread, and returns what it returns when that and all threads that were made meanwhile have
/// ended. All workers of the run that have nothing else to do execute threads meanwhile, and tasks when there are none;
/// the calling worker does until the end. Called by a worker inside a run, one at a time in a run: not by a user-level thread,
/// nor by tasks that one waits for.
/// Costs about as much as one steal for each worker.
/// \throws the first exception that f or a thread without handle let out; not_a_worker outside a run; std::logic_error while
///         another one is under way in the run, or when all threads have ended but some that never began: made with leat::held, or in
///         a bubble that was not woken, which outlive the call; std::invalid_argument for the machine
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
