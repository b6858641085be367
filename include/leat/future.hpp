// Tasks with a result.
#pragma once

#include <utility>

#include "leat/platform/native.hpp"
#include "leat/task/future.hpp"

namespace leat {

/// The result of a task: a channel over which it comes (thesis 4.3.1). Movable, not copyable; one thread at a time.
/// Dropping it lets the task run and forgets what it makes.
///
/// - `T get()`: the result, once, or the exception that the task let out. Until it is there, the worker runs tasks of the
///   current run. Throws std::logic_error if the future is empty, not_a_worker if the result is not there and the
///   calling thread is not a worker.
///   Those tasks run on top of the waiting one: a task that waits for a future must not be waited for, directly or not,
///   by a task that it could meet there. Fork/join use, where only the maker of a future waits for it, is always safe.
/// - `wait()`: the same without taking the result. `ready()`: one load. `valid()`: whether there is a result to take.
template <class T>
using future = task::future<platform::native, T>;

/// Spawns a task that calls a decayed copy of f() once, and gives the future of its result. Costs a spawn, a recycled
/// block of memory and two read-modify-writes.
/// \throws not_a_worker outside a run; what copying f or allocating throws
template <class F>
auto async(F&& f) {
  return task::async<platform::native>(std::forward<F>(f));
}

}  // namespace leat
