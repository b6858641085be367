// Tasks that are waited for, and cancelled, together.
#pragma once

#include "leat/future.hpp"
#include "leat/platform/chosen.hpp"
#include "leat/task/task_group.hpp"

namespace leat::inline LEAT_ABI {

/// A group of tasks. The worker that makes it in a run owns it, and alone waits for it and destroys it; tasks of the run
/// may spawn into it on any worker. Neither copied nor moved. A thread that is no worker and makes one is a worker of the
/// default runtime from then on, until it has destroyed its groups (docs/guide/default_runtime.md).
///
/// - `spawn(f)`: adds a task, which calls a decayed copy of f() once; any worker of the run may execute it, in any order. A
///   trivially copyable callable of at most 40 bytes, aligned to at most 8, costs no allocation, and for the owner no
///   read-modify-write: a few nanoseconds. Any other callable is kept elsewhere. Throws not_a_worker on a thread that is no worker,
///   std::logic_error on another worker that is of another run or runtime, and what copying f or allocating throws.
/// - `spawn_after({a, b, ...}, f)`, `spawn_after(handles, f)`: the same, but the task begins when the tasks of all these handles are done,
///   whatever they came to, and its handle is returned. `handles` has data() and size(), as std::vector<task_handle> has. An empty
///   handle stands for nothing to wait for. Throws also std::invalid_argument for a handle of a task of another group that is not
///   done. One block of memory that workers use again, of 128 bytes if the callable has at most 32 and there are at most three
///   handles; a compare-and-swap and a read-modify-write for each task that is not done. docs/guide/graphs.md.
/// - `wait()`: returns when every task of the group is done. The owner executes the tasks of the group that it still has,
///   and what descends from those that others have taken, and never a stranger's task: it may hold a lock that strangers
///   want (but see docs/guide/schedulers.md). What the owner has of other tasks can be stolen meanwhile. Then throws the first exception that a task let
///   out, if one did; the tasks that had not begun by then have been skipped, those that had begun are done. After
///   wait() the group is as new: not cancelled, without exception. If the group, or one around it, was cancelled, wait()
///   returns normally. Throws not_a_worker on a thread that is no worker; std::logic_error on another worker than the owner; deadlock in a task of
///   the group itself, or of one that a task of the group waits for, where it could not end (docs/guide/deadlocks.md).
/// - `wait(wait::any)`: the same, but the owner executes any task of the run meanwhile, on top of the waiting one. That
///   uses the time; but if such a task waits, directly or not, for the one beneath it, that is a deadlock.
/// - `cancel()`: tasks of the group that have not begun are skipped (their callables are destroyed), until wait() has
///   returned; so are those of groups inside it. Tasks that run may ask the token. Any thread, while the group lives.
/// - `cancelled()`: whether tasks are skipped at present. `token()`: the same question for tasks to carry.
/// - The destructor waits as `wait()` does, also when an exception passes by; what a task threw that no wait() has
///   fetched is dropped then, and only then. Where `wait()` would throw std::logic_error or not_a_worker, and tasks are not
///   done, it ends the program; in a circle of waits that only it could leave it waits for ever.
///
/// In a user-level thread (leat::thread) it keeps that on its worker as long as it lives: make it late and destroy it early.
///
/// A group that is made while a task of another group executes is inside that one, which must outlive it, also where it is
/// made by `new` and waited for after that task: it is cancelled with it, and reads it to know. A future's or a plain task is in no
/// group, whichever worker executes it; nor is a fork that another worker executes.
using task_group = task::task_group<platform::chosen>;

/// A task that task_group::spawn_after has made, for others to wait for. Copyable, a pointer; a copy costs a read-modify-write.
/// Good as long as one likes, on any thread, also after its group and its runtime.
///
/// - `done()`: whether the task was executed or skipped, or the handle is empty. What the task did is visible then.
/// - `valid()`: whether it is not empty. One that was made without arguments, or moved from, is.
using task_handle = task::task_handle<platform::chosen>;

/// Tells whether a group, or one around it, has been cancelled: `bool stop_requested()`, two loads. Copyable, one pointer;
/// good while the group lives, on any thread. One that was made empty never says yes.
using stop_token = task::stop_token<platform::chosen>;

}  // namespace leat::inline LEAT_ABI
