// Plain tasks, the task barrier and the poll.
#pragma once

#include <type_traits>
#include <utility>

#include "leat/platform/chosen.hpp"
#include "leat/task/spawn.hpp"

namespace leat::inline LEAT_ABI {

/// Adds a task, which calls a decayed copy of f() once, to the current run; any worker may execute it, in any order. The
/// run, or a barrier, waits for it. A trivially copyable callable of at most 56 bytes, aligned to at most 8, costs no
/// allocation and a few nanoseconds; any other is kept in a block of memory that workers use again, up to 256 bytes. (Prell's thesis, 2.4 and 3.2)
/// \throws not_a_worker outside a run; what copying f or allocating throws. What f throws comes out of the run.
template <class F>
void spawn(F&& f) {
  static_assert(std::is_invocable_v<std::decay_t<F>&>, "leat::spawn: f must be callable without arguments");
  static_assert(std::is_constructible_v<std::decay_t<F>, F>,
                "leat::spawn: f is copied into the task; move what cannot be copied (std::move)");
  task::spawn<platform::chosen>(std::forward<F>(f));
}

/// Waits until every task of the current run is done; the worker executes tasks of the run meanwhile. Only in the root
/// of the run: a task cannot wait for all tasks, being one. (Prell's thesis, 4.2) Nor can a callable of fork_join; but the
/// last one, if it is executed in place by the root and not by a thief, is not told from the root itself: then the
/// barrier waits, and does not throw.
/// \throws misplaced_barrier in a task; not_a_worker outside a run; the first exception that a task let out
inline void barrier() { task::barrier<platform::chosen>(); }

/// Lets the calling worker answer thieves. Long tasks that spawn nothing may call it now and then; a few loads when
/// no thief asks. Does nothing on a thread that is not a worker. In a user-level thread of a bubble with a time slice
/// it ends the slice when that is over: the thread may go on with another worker then, as after leat::thread::yield,
/// and must hold no std::mutex. (Prell's thesis, 3.6.1)
inline void poll() noexcept { task::poll<platform::chosen>(); }

}  // namespace leat::inline LEAT_ABI
