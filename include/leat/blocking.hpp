// Calls that block.
#pragma once

#include <type_traits>

#include "leat/platform/chosen.hpp"
#include "leat/task/blocking.hpp"

namespace leat::inline LEAT_ABI {

/// Calls f() and returns its result, while another worker takes the place of the calling one. It is meant for calls
/// that may block for long (well above 50 us): a system call, a lock, or the wait of another library. Meanwhile as many
/// workers as the runtime was set up with go on executing tasks, and they can steal the tasks of the calling worker. If
/// f waits for something that another task of the runtime does, that task finds a worker.
///
/// - Inside f the thread is no worker. Task constructs throw not_a_worker, leat::poll does nothing, blocking just calls
///   its argument, and runtime::run works as on any other thread. A leat::context from outside must not be used inside
///   f.
/// - A runtime has up to options::spares compensating workers, and starts each when it is first needed. When all of
///   them compensate for blocked workers, or the system starts no further thread, no worker takes the place. Workers
///   that do not block can still steal the caller's tasks.
/// - When f returns, the caller goes on at once. The worker that took its place first finishes the tasks that it has;
///   until then one more worker runs than was set up.
/// - A task may run on a compensating worker: see worker_local and runtime::counters.
///
/// Thread safety: any thread may call it; on a thread that is no worker it only calls f. Costs about a microsecond, the
/// wake-up of a compensating worker if there are tasks for it, and the start of a thread the first time that it is
/// needed.
/// \return what f returns
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
