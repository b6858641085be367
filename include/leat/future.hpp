// Tasks with a result.
#pragma once

#include <type_traits>
#include <utility>

#include "leat/platform/chosen.hpp"
#include "leat/strands/strands.hpp"
#include "leat/task/future.hpp"
#include "leat/task/gather.hpp"

namespace leat::inline LEAT_ABI {

/// The result of a task that may not have run yet. (Prell's thesis, 4.3.1) Movable, not copyable. It may be passed to
/// other tasks, and out of the run. If it is destroyed, the task still runs, and its result, or its exception, is
/// dropped.
///
/// - `T get()`: returns the result, once, or throws the exception that the task let out. If no worker has begun the
///   task, the caller runs it. If another worker runs it, the caller waits, and runs only tasks that descend from it;
///   other workers can steal the caller's other tasks. (Under a published scheduler the wait runs any task of the run.)
///   In another run than the task's the caller only waits; in another runtime it answers steal requests every 50 us. A
///   thread that is no worker sleeps. Throws std::logic_error if the future is empty; not_a_worker if the result is not
///   there and the thread is inside leat::blocking; deadlock if the wait could not end, as the task waits, directly or
///   through other waits, for the caller's. Then the future stays as it is.
/// - `T get(wait::any)`: as get(), but while another worker runs the task, the caller runs any task of the run on top
///   of the waiting one. That uses the time. But if such a task waits, directly or not, for the one beneath it, that is
///   a deadlock.
/// - `wait()`, `wait(wait::any)`: wait in the same way, and leave the result in the future. `is_ready()`: whether the
///   result is there; one load. Throws std::logic_error if the future is empty. `valid()`: whether there is a
///   result to take, now or later.
/// - `bool wait_for(duration)`, `bool wait_until(time)`: as wait(), but no longer than the time of `<chrono>` says, by
///   any clock. Return whether the result is there. A worker that begins the task ends it first. The caller sleeps
///   between checks, each time for an eighth of the time that it has waited, 20 us to 1 ms, or 50 us in a task. Throw
///   std::logic_error if the future is empty, forked_process in a forked child. Inside leat::blocking they wait for
///   their time.
/// - `then(f)`: returns a future of f(result), or of f() if the result is void, and leaves this future empty. f is
///   copied or moved, and called once, as a task, when the result is there: by the worker that has executed the first
///   task, right after it. If the result is there already, f is spawned; outside of the runtime it is submitted, or
///   called at once if that runtime has ended. If the first task lets an exception out, f is not called, and the new
///   future has the exception. Costs a block of memory and one compare-and-swap. Throws std::logic_error if the future
///   is empty, forked_process in a forked child, std::bad_alloc, std::system_error as runtime::submit does, what
///   copying f throws; then the future stays as it is. Must not run while the destructor of the runtime that made the
///   result does.
/// - `shared_future<T> share()`: returns the same result for several owners, and leaves this future empty.
///
/// Thread safety: one thread at a time uses a future.
/// Cost: get() takes no read-modify-write if the task is the newest that the caller has spawned and not yet run. It is
/// then called like a function, and the result takes no detour (the thesis' elided channel). Otherwise get() takes
/// three at most.
template <class T>
using future = task::future<platform::chosen, T>;

/// The result of a task for several owners. Each owner has a copy, and may be on another thread. It is made from a
/// future, by share() or by conversion.
///
/// It has the members of leat::future, but for these differences. `const T& get() const` (`T&` for a reference, void
/// for void) leaves the result where it is, for as long as a copy of the shared future exists, and may be called again.
/// Each get throws the exception of the task. `then(f)` calls f(const T&), and this future stays as it is.
///
/// Thread safety: as of std::shared_ptr. Several threads may use copies at once. One thread at a time uses one object,
/// but for get, wait, is_ready and valid. Costs a read-modify-write for a copy.
template <class T>
using shared_future = task::shared_future<platform::chosen, T>;

/// when_all returns a future of the futures themselves, in a std::tuple or a std::vector, which is ready when all their
/// results are there. when_any returns a future of `when_any_result`, which is ready when one result is there: it has
/// the `index` of that future, and all `futures`. The other tasks go on.
///
/// Both are called as when_all(futures...), when_all(from, to) or when_all(range). The arguments are futures, shared
/// ones or both. Futures are moved from, also out of a range; shared futures are copied. An exception stays in its
/// future. Without futures both are ready at once, when_any with index 0.
///
/// Thread safety: as of the futures. Costs three allocations, and an exchange for each future. No task is spawned: the
/// thread that ends the last awaited task (for when_any the first) does the work.
/// \throws std::logic_error, naming it, if a future is empty; then the others stay as they are. forked_process in a
///         forked child, for futures of the parent. std::bad_alloc, which loses the futures
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

/// What a wait may run. `wait::own`: the awaited task, if no worker has begun it, and otherwise tasks that descend from
/// it. `wait::any`: any task of the run.
using task::wait;

/// Spawns a task that calls f(args...) once, and returns the future of its result. As with std::async, f and the
/// arguments are copied or moved into the task and passed on as rvalues; std::ref passes a reference. f may be whatever
/// std::invoke takes. Outside of a run it is leat::submit.
///
/// Thread safety: any thread may call it.
/// Cost: a spawn and a block of memory that workers use again, and no allocation unless callable and result together
/// exceed about 200 bytes. Two read-modify-writes if another worker runs the task, none if the caller comes back for it
/// first.
/// \return a future<T>, where T is what f returns: a value that can be moved, a reference, or void
/// \throws not_a_worker inside leat::blocking; what copying f and args or allocating throws; outside of a run what
///         leat::submit throws
template <class F, class... Args>
LEAT_BESIDE_SITES(sizeof...(Args) > 3)
[[nodiscard]] auto async(F&& f, Args&&... args) {
  if constexpr (task::is_async_call<F, Args...>())
    return task::async<platform::chosen>(std::forward<F>(f), std::forward<Args>(args)...);
}

#if defined(LEAT_CALL_SITES)

// As for leat::fork_join.

template <class F>
[[nodiscard]] auto async(F&& f LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  if constexpr (task::is_async_call<F>()) return task::async<platform::chosen>(std::forward<F>(f));
}

template <class F, class AA>
  requires(strands::no_site<AA>)
[[nodiscard]] auto async(F&& f, AA&& a1 LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  if constexpr (task::is_async_call<F, AA>())
    return task::async<platform::chosen>(std::forward<F>(f), std::forward<AA>(a1));
}

template <class F, class AA, class AB>
  requires(strands::no_site<AB>)
[[nodiscard]] auto async(F&& f, AA&& a1, AB&& a2 LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  if constexpr (task::is_async_call<F, AA, AB>())
    return task::async<platform::chosen>(std::forward<F>(f), std::forward<AA>(a1), std::forward<AB>(a2));
}

template <class F, class AA, class AB, class AC>
  requires(strands::no_site<AC>)
[[nodiscard]] auto async(F&& f, AA&& a1, AB&& a2, AC&& a3 LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  if constexpr (task::is_async_call<F, AA, AB, AC>())
    return task::async<platform::chosen>(std::forward<F>(f), std::forward<AA>(a1), std::forward<AB>(a2),
                                         std::forward<AC>(a3));
}

#endif

}  // namespace leat::inline LEAT_ABI
