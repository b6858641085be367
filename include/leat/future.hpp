// Tasks with a result.
#pragma once

#include <type_traits>
#include <utility>

#include "leat/platform/native.hpp"
#include "leat/task/future.hpp"

namespace leat {

/// The result of a task: a channel over which it comes (Prell's thesis, 4.3.1). Movable, not copyable; one thread at a
/// time. Dropping it lets the task run and forgets what it makes, an exception too.
///
/// - `T get()`: the result, once, or the exception that the task let out. If nobody has begun the task, the caller runs
///   it; if somebody runs it already, the caller waits, and runs nothing else meanwhile, so that no stranger's task comes
///   between. Its other tasks can be stolen. In another run than the task's the caller only waits; from another
///   runtime it looks every 50 us. Throws std::logic_error if the future is empty, not_a_worker if the result
///   is not there and the calling thread is not a worker.
/// - `T get(wait::any)`: the same, but while somebody else runs the task the caller runs any task of the run on top
///   of the waiting one. That uses the time; but if such a task waits in turn, directly or not, for the one that waits
///   beneath it, both wait for ever.
/// - `wait()`, `wait(wait::any)`: the same without taking the result. `ready()`: one load. `valid()`: whether there is a
///   result to take.
template <class T>
using future = task::future<platform::native, T>;

/// What a wait may run: `wait::own`, the task that is waited for, if nobody has begun it, and nothing else; `wait::any`,
/// any task of the run.
using task::wait;

/// Spawns a task that calls a decayed copy of f() once, and gives the future of its result. Costs a spawn and a recycled
/// block of memory; two read-modify-writes if another worker runs the task, none if the caller comes back for it first.
/// \throws not_a_worker outside a run; what copying f or allocating throws
template <class F>
[[nodiscard]] auto async(F&& f) {
  static_assert(std::is_invocable_v<std::decay_t<F>&>, "leat::async: f must be callable without arguments");
  return task::async<platform::native>(std::forward<F>(f));
}

}  // namespace leat
