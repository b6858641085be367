// Plain tasks, the task barrier and the poll.
#pragma once

#include <type_traits>
#include <utility>

#include "leat/platform/chosen.hpp"
#include "leat/strands/strands.hpp"
#include "leat/task/spawn.hpp"

namespace leat::inline LEAT_ABI {

/// Adds a task to the current run. The task calls a decayed copy of f() once; any worker may execute it, in any order.
/// runtime::run, or a barrier, waits for it, and throws what f throws; in team::call and the default runtime only a barrier
/// does. (Prell's thesis, 2.4 and 3.2)
///
/// Thread safety: any worker may call it.
/// Cost: a few nanoseconds and no allocation, if the callable is trivially copyable, has at most 56 bytes, and is
/// aligned to at most 8. Any other callable is kept in a block of memory, which workers use again up to 256 bytes.
/// \throws not_a_worker outside of a run; what copying f or allocating throws
template <class F>
void spawn(F&& f LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  static_assert(std::is_invocable_v<std::decay_t<F>&>, "leat::spawn: f must be callable without arguments");
  static_assert(std::is_constructible_v<std::decay_t<F>, F>,
                "leat::spawn: f is copied into the task; move what cannot be copied (std::move)");
  task::spawn<platform::chosen>(std::forward<F>(f));
}

/// Waits until every task of the current run is done. Meanwhile the worker executes tasks of the run. Only the root of
/// the run may call it: a task cannot wait for all tasks, as it is one. (Prell's thesis, 4.2)
///
/// A callable of fork_join may not call it either. But leat cannot tell the last callable of a fork_join from the root,
/// if the root executes it in place: then the barrier waits, and does not throw.
/// \throws misplaced_barrier in a task; not_a_worker outside of a run; the first exception that a task let out
inline void barrier() { task::barrier<platform::chosen>(); }

/// Lets the calling worker answer thieves. A long task that spawns nothing may call it now and then. Costs a few loads
/// when no thief asks. Does nothing on a thread that is no worker. (Prell's thesis, 3.6.1)
///
/// In a user-level thread of a bubble with a time slice it ends the slice when its time is over. The thread may then go
/// on with another worker, as after leat::thread::yield, so it must hold no std::mutex.
inline void poll() noexcept { task::poll<platform::chosen>(); }

}  // namespace leat::inline LEAT_ABI
