// Bubbles: groups of user-level threads that belong together. Page: docs/guide/bubbles.md. Link leat::threads.
#pragma once

#include "leat/thread.hpp"
#include "leat/thread/bubble.hpp"
#include "leat/thread/bubble_tree.hpp"
#include "leat/thread/tree_barrier.hpp"

namespace leat::inline LEAT_ABI {

/// A group of threads and bubbles that the scheduler keeps together. A bubble goes down the tree of the machine, on the
/// side of a worker that has nothing of a higher priority. It bursts in a domain: from then on the units of that domain
/// execute what it held. Neither copyable nor movable; it outlives what is in it.
///
/// - `bubble(bubble_options)`: the options are the level at which it bursts or how its members belong together,
///   priority, time slice, amount of work, and whether it stays where it has burst.
/// - `insert(thread)`: inserts a thread made with leat::held. `insert(bubble)`: inserts a bubble that has not been
///   woken. `spawn(f)`: makes a thread in the bubble, without handle. All may come before or after wake. A thread that
///   is inserted into a bubble that has burst begins at once.
/// - `remove(thread)`, `remove(bubble)`: takes a direct member out. Before the wake, the member is as before its
///   insertion. After the wake, it goes to the list of the whole machine. A thread that executes or waits goes there
///   when it next yields, or when its wait ends; until then it is in the bubble. A bubble can be removed only before
///   its first burst.
/// - `recall()`: ends the bubble's turn, as the end of its slice does, and returns at once. Members on lists come back
///   at once, and executing ones when they next yield, wait or end. Then the bubble goes to the list where it was
///   released, behind others of its priority. No effect unless it has burst.
/// - `close()`: from now on nothing is inserted or spawned in it. It may be called any number of times, and does not
///   close the bubbles inside.
/// - `set_priority(p)`: changes the bubble's own priority, at once. Its members keep theirs.
/// - `wake()`: lets the scheduler take the bubble. Once, and not for a bubble inside another one, which wakes it.
/// - `join()`: waits until no thread is left in it, or in bubbles in it, and throws the first exception of a thread
///   without handle. Then the bubble is at its end, and so are those inside.
///
/// A bubble that was woken and not joined must not be destroyed while threads in it have not ended: the process ends.
/// If they have ended, run_threads throws what a thread without handle let out. A bubble that was not woken, nor the
/// one around it, discards its members: threads without handle never begin, and handles and bubbles are as before they
/// were inserted. So an exception may pass between spawn and wake. After run_threads has returned, a bubble may still
/// be joined, which throws what a thread let out, and destroyed; it can no longer be woken, and nothing can be
/// inserted.
///
/// Thread safety: any thread of the program may call all but the constructor and spawn, while the bubble exists. Costs
/// locks, for a microsecond or less.
/// \throws std::logic_error       outside of run_threads; inserted twice, into itself, after its wake, or into a bubble
///         that was joined; woken twice; joined but never woken; joined by a thread in it; woken, or inserted into,
///         when all threads of its run_threads have ended; `insert` or `remove` of a member of another run_threads.
///         With the bubble's number, as traces have it: `insert` or `spawn` after `close`; `recall` before the wake;
///         `remove` of what is not directly in it, or has ended, or of a bubble that has burst, or before the wake of a
///         thread that another one joins
/// \throws std::invalid_argument  the machine has no such level; the message names it; its `work` is negative or not
///         finite
/// Paper: Thibault, "A Flexible Thread Scheduler for Hierarchical Multiprocessor Machines" (2005), section 3.
using bubble = threads::bubble<platform::chosen>;

/// The options of a bubble: `burst_level`, `priority`, `slice_us` (microseconds), `members`, `work`, `stays`, `policy`.
using threads::bubble_options;

/// Bubbles in bubbles, in the shape of the machine that run_threads was given. There is one for each domain that has
/// other units than the domain around it, and it bursts on that domain's level. A program puts its threads into the
/// leaf that it wants. Threads of a leaf, and of neighbouring leaves, then stay near each other. The scheduler chooses
/// to which of several equal domains a bubble goes. Neither copyable nor movable.
///
/// - `bubble_tree(bubble_tree_options)`: `leaf_level` is the word for the level of the leaves, such as "numa"; if it is
///   empty, a leaf is a single unit. With `stays` no idle unit takes over what has burst. One allocation and about 0.2
///   us for each bubble.
/// - `leaves()`, `leaf(i)`: how many leaves there are, and each of them, in the order of the machine's units.
/// - `leaf_for(i, threads)`: the leaf for thread i of `threads`, such that each unit gets as many as the others, and
///   threads with neighbouring numbers are neighbours on the machine. O(domains).
/// - `around(domain)`: the innermost bubble that stands for all units of a domain. O(domains). `whole()`: the bubble of
///   the machine. O(1).
/// - `wake()`, `join()`: wake and join the whole tree. Threads may be inserted and spawned before and after, as in any
///   bubble.
///
/// Thread safety, and what destruction does, are as of its bubbles.
/// \throws std::logic_error       outside of run_threads
/// \throws std::invalid_argument  the machine has no such level; the message names it
/// \throws std::out_of_range      there is no such leaf, thread or domain; the message names the number
/// Paper: Thibault (2005), section 5.2, where a program builds bubbles according to the hierarchy of the machine.
using bubble_tree = threads::bubble_tree<platform::chosen>;

/// The options of a tree of bubbles: `leaf_level`, `stays`.
using threads::bubble_tree_options;

/// A barrier in the shape of the machine: threads of a domain meet first, and then the last one of each domain meets
/// those of the others. So most threads touch only cache lines of their own domain. It is meant for threads that lie
/// where bubble_tree::leaf_for puts them. For threads that lie elsewhere it is right, but slower.
///
/// - `tree_barrier(threads)`: makes a barrier for so many threads, on the machine of the caller's run_threads.
///   O(threads * domains); 64 bytes for each domain, and 8 for each thread.
/// - `arrive_and_wait(i)`: thread i of these, counted from 0, arrives; one thread at a time has a number. Returns when
///   all have come, and returns true to the last one. It may be used again and again. One lock at the innermost point,
///   and one more for each point, but the outermost, at which the caller is the last.
///
/// Thread safety: any thread may arrive, and a user-level thread that can leave its worker does so while it waits. As
/// with thread_barrier, the barrier may be destroyed once all threads have been told.
/// \throws std::invalid_argument  made for 0 threads
/// \throws std::logic_error       made outside of run_threads
/// \throws std::out_of_range      there is no thread i; names it
/// Paper: Thibault (2005), section 5.2, whose programs meet at a global hierarchical barrier after each cycle.
using tree_barrier = threads::tree_barrier<platform::chosen>;

/// The history of bubbles, with times and places, for run_threads_options::trace. `bubble_trace(events)` has room for
/// so many events, of 32 bytes each, and keeps the first ones. `leat report` draws it. Without a trace nothing is
/// written.
/// \throws std::invalid_argument  room for no event, or more than bubbles::trace_events_max
using bubble_trace = bubbles::trace;

/// Decides where bubbles go: a small object of pure functions. A program derives from it, overrides some of the
/// functions, and names its object in run_threads_options::policy, or for one bubble in bubble_options::policy. A
/// function that is not overridden is that of the default policy.
///
/// - `burst_depth(bubble_seen, path_seen)`: for a bubble without burst_level, the depth of the domain in which it
///   bursts, on the way from the machine, at depth 0, to the unit that asks. More than the unit's own depth is taken
///   for that.
/// - `prefers(bubble_seen, other, best)`: whether a bubble goes down into the domain `other` rather than into `best`.
///   It is asked for each domain of the level in which a carrier is free. `best` is first the domain that has the unit
///   that asks, and then the one that was preferred last.
/// - `for_idle(bubble_seen, burst_seen)`: what an idle unit does to a bubble that has burst elsewhere and does not
///   stay: nothing, move it, or widen it. It is asked after the carriers that are free there have been taken off the
///   number of those that wait. Nothing is done to a bubble of which nothing waits, and a bubble of which something
///   executes is not moved.
///
/// There are three policies: `as_published`, the paper's; `by_affinity`, which minds members and threads; and
/// `bubble_policy` itself, the default, which also weighs the work that has gone down.
///
/// Thread safety: any worker may call a function, under a lock of the scheduler. So a function must not throw, wait,
/// call leat, or change what others read.
/// Cost: a virtual call for each decision, and of `prefers` for each domain of a level. Without a policy the default's
/// decisions cost no virtual call.
/// Paper: Thibault (2005), sections 3.3 and 6: a platform to experiment with bubbles' levels and regeneration.
using bubble_policy = bubbles::policy;
using bubbles::as_published;
using bubbles::by_affinity;

/// The arguments of a policy: a bubble (`bubble_seen`), the domains from the machine to the unit that asks
/// (`path_seen`), one domain (`domain_seen`), and a bubble that has burst (`burst_seen`). `regeneration` is its answer
/// for an idle unit: `none`, `move`, `widen`.
using bubbles::bubble_seen;
using bubbles::burst_seen;
using bubbles::domain_seen;
using bubbles::path_seen;
using bubbles::regeneration;

/// The relation of a bubble's members to each other: `none`, `data`, `symbiosis`.
using bubbles::affinity;

}  // namespace leat::inline LEAT_ABI
