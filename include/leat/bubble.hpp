// Bubbles: groups of user-level threads that belong together. Page: docs/guide/bubbles.md. Link leat::threads.
#pragma once

#include "leat/thread.hpp"
#include "leat/thread/bubble.hpp"

namespace leat {

/// A group of threads and bubbles that the scheduler keeps together: it goes down the tree of the machine, on the side of a
/// worker that has nothing of a higher priority, and bursts in a domain whose units are then to execute what it held. Neither
/// copyable nor movable; it outlives what is in it.
///
/// - `bubble(bubble_options)`: the level at which it bursts or how its members belong together, priority, time slice, amount
///   of work, whether it stays where it has burst.
/// - `insert(thread)`, for a thread made with leat::held; `insert(bubble)`, for one that has not been woken; `spawn(f)`, a thread of
///   its own without handle. Before or after wake; inserted into a bubble that has burst, a thread begins at once.
/// - `wake()`: once, and not for a bubble that is in another one, which wakes it.
/// - `join()`: waits until no thread in it, or in bubbles in it, is left, and throws the first exception of a thread without handle.
///   It is at its end then, and so are those inside.
///
/// One that was woken and not joined must not be destroyed while threads in it have not ended: the process ends. Of one where they have,
/// what a thread without handle let out comes out of run_threads. One that was not woken, nor the one around it, discards what is in it: threads without
/// handle never begin, and handles and bubbles are as before they were inserted. So an exception may pass between spawn and wake.
/// A bubble may be joined, which throws what a thread let out, and destroyed after run_threads has returned; then it cannot be woken, nor
/// anything inserted. All but the constructor and spawn may be called by any
/// thread of the program while the bubble exists; a call takes locks for a microsecond or less.
/// \throws std::logic_error       outside of run_threads; inserted twice, into itself, after its wake, into one that was joined; woken twice;
///                                joined but never woken; joined by a thread in it; woken, or inserted into, when all threads of
///                                its run_threads have ended
/// \throws std::invalid_argument  the machine has no such level; the message names it; its `work` is negative or
///                                not finite
/// Paper: Thibault, "A Flexible Thread Scheduler for Hierarchical Multiprocessor Machines" (2005), section 3.
using bubble = threads::bubble<platform::chosen>;

/// What a bubble is made with: `burst_level`, `priority`, `slice_us`, `members`, `work`, `stays`.
using threads::bubble_options;

/// What happened to bubbles, when and where, for run_threads_options::trace: `bubble_trace(events)` has room for so many events,
/// and keeps the first ones. 32 bytes each; without a trace nothing is written. `leat report` draws it.
/// \throws std::invalid_argument  room for no event, or more than bubbles::trace_events_max
using bubble_trace = bubbles::trace;

/// What its members are to each other: `none`, `data`, `symbiosis`.
using bubbles::affinity;

}  // namespace leat
