// Tasks with a result.
#pragma once

#include <type_traits>
#include <utility>

#include "leat/platform/chosen.hpp"
#include "leat/task/future.hpp"
#include "leat/task/gather.hpp"

namespace leat::inline LEAT_ABI {

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
/// - `bool wait_for(duration)`, `bool wait_until(time)`, of `<chrono>`, by any clock: as wait(), but no longer than that; whether the result is there. Throws
///   std::logic_error if the future is empty, forked_process in a forked child; inside leat::blocking it waits for its time. A worker that begins the task ends it
///   first. Sleeps between checks, each time for an eighth of the time that it has waited, 20 us to 1 ms, or 50 us in a task.
/// - `then(f)`: a future of f(result), or of f() if the result is void; this future is empty then. f is copied or moved; it is called once, as a task, when the
///   result is there: by the worker that has executed the task, right after it. If the result is there already, f is spawned, or
///   outside of the runtime submitted; or called at once if that runtime has ended. If the task lets an exception out, f is not called, and
///   the exception goes to the new future. Costs a block of memory and one compare-and-swap. Throws std::logic_error if the future is
///   empty, forked_process in a forked child, std::bad_alloc, std::system_error as runtime::submit does, what copying f throws; the future then stays as it is. Must not run while the destructor of the runtime that made the result does.
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
/// long as a copy of the shared future exists, and may be called again. An exception is thrown by each get. `then(f)` calls
/// f(const T&), and this future stays as it is.
/// Thread safety: as of std::shared_ptr. Copies may be used at once; one object by one thread at a time, but for get, wait,
/// is_ready and valid. Copying costs a read-modify-write.
template <class T>
using shared_future = task::shared_future<platform::chosen, T>;

/// when_all(futures...), when_all(from, to), when_all(range): a future of the futures themselves, whose results are all there then, in a
/// std::tuple or a std::vector. when_any, in the same forms: a future of `when_any_result`, with the `index` of the first
/// future whose result was there, and with all `futures`; the others go on. The arguments are futures, shared ones or both; futures are moved from,
/// also out of a range, shared futures copied. An exception stays in its future. Without futures when_all is ready at once, and when_any, too, with index 0. Costs
/// three allocations, and an exchange for each future. No task is spawned: the thread that ends the last awaited task, or the first, does the rest.
/// \throws std::logic_error, naming it, if a future is empty: then the others stay as they are; forked_process in a forked child, for
///         futures of the parent; std::bad_alloc, which loses the futures
template <class... Futures>
  requires(task::is_future<std::remove_cvref_t<Futures>> && ...)
[[nodiscard]] auto when_all(Futures&&... futures) {
  return task::gather_these<platform::chosen, false>(std::forward<Futures>(futures)...);
}
template <class Iterator>
  requires requires(Iterator i) { i->is_ready(); }
[[nodiscard]] auto when_all(Iterator from, Iterator to) {
  return task::gather_range<platform::chosen, false>(from, to);
}
template <class Range>
  requires requires(Range& r) { r.begin()->is_ready(); }
[[nodiscard]] auto when_all(Range&& futures) {
  return task::gather_range<platform::chosen, false>(futures.begin(), futures.end());
}
template <class... Futures>
  requires(task::is_future<std::remove_cvref_t<Futures>> && ...)
[[nodiscard]] auto when_any(Futures&&... futures) {
  return task::gather_these<platform::chosen, true>(std::forward<Futures>(futures)...);
}
template <class Iterator>
  requires requires(Iterator i) { i->is_ready(); }
[[nodiscard]] auto when_any(Iterator from, Iterator to) {
  return task::gather_range<platform::chosen, true>(from, to);
}
template <class Range>
  requires requires(Range& r) { r.begin()->is_ready(); }
[[nodiscard]] auto when_any(Range&& futures) {
  return task::gather_range<platform::chosen, true>(futures.begin(), futures.end());
}

using task::when_any_result;

/// What a wait may run: `wait::own`, the awaited task, if no worker has begun it, and else tasks that descend from
/// it; `wait::any`, any task of the run.
using task::wait;

/// Spawns a task that calls f(args...) once, and gives the future of its result. As with std::async, f and the arguments
/// are copied or moved into the task and passed on as rvalues; std::ref passes a reference. f may be whatever std::invoke
/// takes. Costs a spawn and a recycled block of memory, no allocation unless callable and result together exceed
/// about 200 bytes; two read-modify-writes if another worker runs the task, none if the caller comes back for it first.
/// Outside a run it is leat::submit (leat/default_runtime.hpp).
/// \return a future<T>, where T is what f returns: a value that can be moved, a reference, or void
/// \throws not_a_worker inside leat::blocking; what copying f and args or allocating throws; outside a run what leat::submit throws
template <class F, class... Args>
[[nodiscard]] auto async(F&& f, Args&&... args) {
  if constexpr (task::is_async_call<F, Args...>())
    return task::async<platform::chosen>(std::forward<F>(f), std::forward<Args>(args)...);
}

}  // namespace leat::inline LEAT_ABI
