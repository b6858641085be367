// Bubbles: groups of user-level threads that belong together. Page: docs/guide/bubbles.md. Link leat::threads.
#pragma once

#include "leat/thread.hpp"
#include "leat/thread/bubble.hpp"
#include "leat/thread/bubble_tree.hpp"
#include "leat/thread/tree_barrier.hpp"

namespace leat::inline LEAT_ABI {

/// A group of threads and bubbles that the scheduler keeps together: it goes down the tree of the machine, on the side of a
/// worker that has nothing of a higher priority, and bursts in a domain whose units are then to execute what it held. Neither
/// copyable nor movable; it outlives what is in it.
///
/// - `bubble(bubble_options)`: the level at which it bursts or how its members belong together, priority, time slice, amount
///   of work, whether it stays where it has burst.
/// - `insert(thread)`, for a thread made with leat::held; `insert(bubble)`, for one that has not been woken; `spawn(f)`, a thread of
///   its own without handle. Before or after wake; inserted into a bubble that has burst, a thread begins at once.
/// - `remove(thread)`, `remove(bubble)`: takes a direct member out. Before the wake the member is as before its insertion. After the wake it
///   goes to the list of the whole machine. A thread that executes or waits goes there when it next yields, or when its wait ends; until
///   then it is in the bubble. A bubble can be removed only before its first burst.
/// - `recall()`: ends the bubble's turn, as the end of its slice does. Members on lists come back at once, executing ones when they next
///   yield, wait or end. Then the bubble goes behind others of its priority to the list where it was released. Returns at once. No
///   effect unless it has burst.
/// - `close()`: from now on nothing is inserted, nor spawned, in it. Any number of times; not for the bubbles in it.
/// - `set_priority(p)`: its own, at once; its members keep theirs.
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
///                                its run_threads have ended; `insert` or `spawn` after `close`; `recall` before the wake; `remove` of
///                                what is not directly in it, or has ended, or of a bubble that has burst, or before the wake of a
///                                thread that another one joins: these messages have
///                                the bubble's number, as traces have it. `insert` or `remove` of what belongs to another run_threads
/// \throws std::invalid_argument  the machine has no such level; the message names it; its `work` is negative or
///                                not finite
/// Paper: Thibault, "A Flexible Thread Scheduler for Hierarchical Multiprocessor Machines" (2005), section 3.
using bubble = threads::bubble<platform::chosen>;

/// What a bubble is made with: `burst_level`, `priority`, `slice_us`, `members`, `work`, `stays`, `policy`.
using threads::bubble_options;

/// Bubbles in bubbles, in the shape of the machine that run_threads was given: one for each domain that has other units than the one
/// around it, which bursts on that domain's level. A program puts its threads into the leaf that it wants, and those of a leaf, and of
/// leaves beside each other, stay near each other. Which of several equal domains a bubble goes to is the scheduler's choice.
///
/// - `bubble_tree(bubble_tree_options)`: `leaf_level`, the word for the level of the leaves, as "numa"; a leaf is a single unit if it is empty.
///   `stays`: no idle unit takes over what has burst. One allocation and about 0.2 us for each bubble.
/// - `leaves()`, `leaf(i)`: how many, and each of them, in the order of the machine's units.
/// - `leaf_for(i, threads)`: that for thread i of so many, if each unit gets as many as the others, and neighbours in number are
///   neighbours on the machine. O(domains).
/// - `around(domain)`: the innermost bubble that stands for all units of a domain; `whole()`: that of the machine. O(domains), O(1).
/// - `wake()`, `join()`: of the whole. Threads may be inserted, and spawned, before and after, as in any bubble.
///
/// Neither copyable nor movable; thread safety, and destruction, as those of its bubbles.
/// \throws std::logic_error       outside of run_threads
/// \throws std::invalid_argument  the machine has no such level; the message names it
/// \throws std::out_of_range      there is no such leaf, thread or domain; the message names the number
/// Paper: Thibault (2005), section 5.2, where a program builds bubbles according to the hierarchy of the machine.
using bubble_tree = threads::bubble_tree<platform::chosen>;

/// What a tree of bubbles is made with: `leaf_level`, `stays`.
using threads::bubble_tree_options;

/// A thread_barrier in the shape of the machine: threads of a domain meet first, then the last one of each domain meets those of the others.
/// So most threads touch only cache lines of their own domain. It is meant for threads that lie where bubble_tree::leaf_for puts
/// them. It is right, but slower, for threads that lie elsewhere.
///
/// - `tree_barrier(threads)`: for so many, on the machine of the caller's run_threads. O(threads * domains); 64 bytes for each domain and
///   8 for each thread.
/// - `arrive_and_wait(i)`: by thread i of these, from 0; each number by one thread at a time. Returns when all have come, true to the last one; again and
///   again. One lock at the innermost point, and one more for each point at which the caller is the last but the outermost.
///
/// Any thread may arrive, and one that can leave its worker does. It may be destroyed when all have been told, as thread_barrier.
/// \throws std::invalid_argument  made for 0 threads
/// \throws std::logic_error       made outside of run_threads
/// \throws std::out_of_range      there is no thread i; names it
/// Paper: Thibault (2005), section 5.2, whose programs meet at a global hierarchical barrier after each cycle.
using tree_barrier = threads::tree_barrier<platform::chosen>;

/// What happened to bubbles, when and where, for run_threads_options::trace: `bubble_trace(events)` has room for so many events,
/// and keeps the first ones. 32 bytes each; without a trace nothing is written. `leat report` draws it.
/// \throws std::invalid_argument  room for no event, or more than bubbles::trace_events_max
using bubble_trace = bubbles::trace;

/// Decides where bubbles go: a small object of pure functions. A program derives from it, overrides what it wants to be different, and names its object in
/// run_threads_options::policy, or for a bubble in bubble_options::policy. What is not overridden is as in the default.
///
/// - `burst_depth(bubble_seen, path_seen)`: the depth of the domain in which a bubble bursts whose burst_level is not given, on the way from the
///   machine, at depth 0, to the unit that looks. More than the unit's own depth is taken for that.
/// - `prefers(bubble_seen, other, best)`: whether a bubble rather goes down into the domain `other` than into `best`. Asked for each domain of the
///   level in which a carrier is free, `best` being first the one that has the unit that looks, and then the one that was preferred last.
/// - `for_idle(bubble_seen, burst_seen)`: what an idle unit does to a bubble that has burst elsewhere and does not stay: nothing, move it, or widen it.
///   Asked after the carriers that are free there have been taken off what waits. Nothing is done to a bubble of which nothing waits,
///   nor is one moved of which something executes.
///
/// The three there are: `as_published`, the paper's; `by_affinity`, which minds members and threads; and `bubble_policy` itself, the
/// default, which also weighs the work that has gone down. Without a policy the default's decisions cost no virtual call.
/// Each function is called by any worker, under a lock of the scheduler: it must not throw, wait, call leat, nor change what others read.
/// Costs a virtual call for each decision, and of `prefers` for each domain of a level.
/// Paper: Thibault (2005), sections 3.3 and 6: a platform to experiment with bubbles' levels and regeneration.
using bubble_policy = bubbles::policy;
using bubbles::as_published;
using bubbles::by_affinity;

/// What a policy is told: of a bubble (`bubble_seen`), of the domains from the machine to the unit that looks (`path_seen`), of one domain
/// (`domain_seen`), and of a bubble that has burst (`burst_seen`). `regeneration` is its answer for an idle unit: `none`, `move`, `widen`.
using bubbles::bubble_seen;
using bubbles::burst_seen;
using bubbles::domain_seen;
using bubbles::path_seen;
using bubbles::regeneration;

/// What its members are to each other: `none`, `data`, `symbiosis`.
using bubbles::affinity;

}  // namespace leat::inline LEAT_ABI
