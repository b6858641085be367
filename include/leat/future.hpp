// Tasks with a result.
#pragma once

#include <type_traits>
#include <utility>

#include "leat/platform/chosen.hpp"
#include "leat/task/future.hpp"

namespace leat {

/// The result of a task: a channel over which it comes (Prell's thesis, 4.3.1). Movable, not copyable; one thread at a
/// time. It may be passed to other tasks, and out of the run. Dropping it lets the task run and forgets what it makes, an
/// exception too.
///
/// - `T get()`: the result, once, or the exception that the task let out. If no worker has begun the task, the caller
///   runs it; if another one runs it already, the caller waits, and runs nothing else meanwhile but what descends
///   from it, so that no stranger's task comes between (but see docs/guide/schedulers.md). Its other tasks can be stolen. In another run than the task's
///   the caller only waits; from another runtime it polls every 50 us. A thread that is no worker sleeps until the
///   result is there. Throws std::logic_error if the future is
///   empty, not_a_worker if the result is not there and the thread is inside leat::blocking, deadlock if the wait
///   could not end, as the task, directly or through other waits, waits for the caller's (docs/guide/deadlocks.md);
///   the future then stays as it is.
/// - `T get(wait::any)`: the same, but while another worker runs the task the caller runs any task of the run on top
///   of the waiting one. That uses the time; but if such a task waits in turn, directly or not, for the one that waits
///   beneath it, that is a deadlock.
/// - `wait()`, `wait(wait::any)`: the same without taking the result. `is_ready()`: one load; throws std::logic_error if
///   the future is empty. `valid()`: whether there is a result to take.
/// - `shared_future<T> share()`: the same result for several; this future is empty then.
///
/// get() costs no read-modify-write if the task is the newest that the caller has spawned and not yet run: it is called
/// like a function, and the result takes no detour (the thesis' elided channel). Else at most three.
template <class T>
using future = task::future<platform::chosen, T>;

/// The result of a task for several that want it: each has a copy, and may be another thread. Made of a future, by share()
/// or by conversion.
///
/// As leat::future, but `const T& get() const` (`T&` for a reference, void for void) leaves the result where it is, for as
/// long as a copy of the shared future exists, and may be called again. An exception is thrown by each get.
/// Thread safety: as of std::shared_ptr. Copies may be used at once; one object by one thread at a time, but for get, wait,
/// is_ready and valid. Copying costs a read-modify-write.
template <class T>
using shared_future = task::shared_future<platform::chosen, T>;

/// What a wait may run: `wait::own`, the awaited task, if no worker has begun it, and else tasks that descend from
/// it; `wait::any`, any task of the run.
using task::wait;

/// Spawns a task that calls f(args...) once, and gives the future of its result. As with std::async, f and the arguments
/// are copied or moved into the task and passed on as rvalues; std::ref passes a reference. f may be whatever std::invoke
/// takes. Costs a spawn and a recycled block of memory, no allocation unless callable and result together exceed
/// about 200 bytes; two read-modify-writes if another worker runs the task, none if the caller comes back for it first.
/// \return a future<T>, where T is what f returns: a value that can be moved, a reference, or void
/// Outside a run it is leat::submit (leat/default_runtime.hpp).
/// \throws not_a_worker inside leat::blocking; what copying f and args or allocating throws
template <class F, class... Args>
[[nodiscard]] auto async(F&& f, Args&&... args) {
  if constexpr (task::is_async_call<F, Args...>())
    return task::async<platform::chosen>(std::forward<F>(f), std::forward<Args>(args)...);
}

}  // namespace leat
