// Tasks that are waited for, and cancelled, together.
#pragma once

#include "leat/future.hpp"
#include "leat/platform/chosen.hpp"
#include "leat/task/task_group.hpp"

namespace leat::inline LEAT_ABI {

/// A group of tasks that are waited for, and cancelled, together. The worker that makes it in a run owns it: only the
/// owner waits for it and destroys it. Tasks of the run may spawn into it on any worker. A thread that is no worker and
/// makes a group is a worker of the default runtime until it has destroyed its groups. Neither copied nor moved.
///
/// - `spawn(f)`: adds a task, which calls a decayed copy of f() once. Any worker of the run may execute it, in any
///   order. Costs a few nanoseconds, no allocation, and for the owner no read-modify-write, if the callable is
///   trivially copyable, has at most 40 bytes, and is aligned to at most 8. Any other callable is kept in memory of its
///   own. Throws not_a_worker on a thread that is no worker; std::logic_error on a worker of another run or runtime;
///   what copying f or allocating throws.
/// - `spawn_after({a, b, ...}, f)`, `spawn_after(handles, f)`: adds a task that begins when the tasks of all these
///   handles are done, whether they were executed or skipped, and returns its handle. `handles` has data() and size(),
///   as std::vector<task_handle> has. An empty handle stands for nothing to wait for. Throws what spawn throws, and
///   std::invalid_argument for the handle of a task of another group that is not done. Costs one block of memory that
///   workers use again, of 128 bytes if the callable has at most 32 and there are at most three handles; also a
///   compare-and-swap and a read-modify-write for each task that is not done.
/// - `wait()`: returns when every task of the group is done. Meanwhile the owner executes tasks of the group that it
///   still has, and tasks that descend from those that other workers have taken. It executes no other task, so it may
///   hold a lock that other tasks want. (Under a published scheduler it executes any task of the run.) Other workers
///   can steal what the owner has of other tasks. Then wait() throws the first exception that a task let out, if there
///   is one: tasks that had not begun by then were skipped, and tasks that had begun are done. After wait() the group
///   is as new: not cancelled, without exception. If the group, or one around it, was cancelled, wait() returns
///   normally. Throws not_a_worker on a thread that is no worker; std::logic_error on another worker than the owner;
///   deadlock where the wait could not end, because the calling task is one of the group, or one that a task of the
///   group waits for.
/// - `wait(wait::any)`: as wait(), but the owner executes any task of the run meanwhile, on top of the waiting one.
///   That uses the time. But if such a task waits, directly or not, for the one beneath it, that is a deadlock.
/// - `cancel()`: tasks that have not begun are skipped, and their callables destroyed, until wait() has returned. So
///   are the tasks of groups inside this one. A task that runs may ask the token. Any thread may call it while the
///   group lives.
/// - `cancelled()`: whether tasks are skipped at present. `token()`: a stop_token, with which tasks ask the same.
/// - The destructor waits as `wait()` does, also when an exception passes by. Only the destructor drops an exception,
///   which is one that no wait() has thrown. Where `wait()` would throw std::logic_error or not_a_worker, and tasks are
///   not done, the destructor ends the program. In a circle of waits that only it could leave it waits for ever.
///
/// A group that is made while a task of another group executes is inside that group, which must outlive it. That holds
/// also for a group that is made by `new` and waited for after the task. The inner group is cancelled with the outer
/// one. The task of a future, a plain task, and a fork that another worker executes are in no group.
///
/// In a user-level thread (leat::thread) a group keeps the thread on its worker as long as it lives: make it late and
/// destroy it early.
using task_group = task::task_group<platform::chosen>;

/// A handle of a task that task_group::spawn_after has made, for other tasks to wait for. It is a pointer; a copy costs
/// a read-modify-write. Any thread may use it, also after the end of its group and its runtime.
///
/// - `done()`: whether the task was executed or skipped, or the handle is empty. After true, what the task did is
///   visible.
/// - `valid()`: whether the handle is not empty. A handle that was made without arguments, or moved from, is empty.
using task_handle = task::task_handle<platform::chosen>;

/// Tells whether a group, or one around it, has been cancelled: `bool stop_requested()`, which costs two loads.
/// Copyable, one pointer. Any thread may ask while the group lives. A token that was made without a group always says
/// no.
using stop_token = task::stop_token<platform::chosen>;

}  // namespace leat::inline LEAT_ABI
