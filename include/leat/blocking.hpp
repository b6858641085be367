// Calls that block.
#pragma once

#include <type_traits>

#include "leat/platform/chosen.hpp"
#include "leat/task/blocking.hpp"

namespace leat::inline LEAT_ABI {

/// Calls f() and returns what it returns. Meant for a system call, a lock or another library's wait, that may block for
/// long (well above 50 us): while it lasts, another worker takes the place of the calling one, so that as many workers
/// as the runtime was set up with go on executing tasks, and the tasks that the calling worker has can be stolen. If f
/// waits for something that another task of the runtime does, that task finds a worker.
///
/// - Inside f the thread is no worker: task constructs throw not_a_worker, leat::poll does nothing, blocking just calls
///   its argument, and runtime::run works as from any other thread. A leat::context from outside must not be used in it.
/// - There are options::spares compensating workers, which are started when they are first needed. When all of them
///   compensate for blocked workers, or the system has no thread left, no worker takes the place. Workers that do not
///   block can still steal the caller's tasks.
/// - When f returns, the caller goes on at once, and the worker that took its place finishes the tasks that it has: until
///   then, one more worker runs than was set up.
/// - A task may run on a compensating worker: see worker_local and runtime::counters.
///
/// On a thread that is not a worker it only calls f. Any thread. Costs about a microsecond, the wake-up of a
/// compensating worker when there are tasks for it, and the start of a thread when it is the first to be needed.
/// \throws what f throws
template <class F>
std::invoke_result_t<F&> blocking(F&& f) {
  return task::blocking<platform::chosen>(f);
}
template <class F>
  requires(!std::is_invocable_v<F&>)
void blocking(F&&) {
  static_assert(std::is_invocable_v<F&>, "leat::blocking: f must be callable without arguments");
}

}  // namespace leat::inline LEAT_ABI
