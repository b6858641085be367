// How threads that are no workers come to be workers for a while: by the default runtime, which knows options and so is made
// above (default_runtime.cpp).
#pragma once

#include "leat/platform/chosen.hpp"
#include "leat/platform/shared.hpp"
#include "leat/scheduler/worker.hpp"

namespace leat::inline LEAT_ABI::entry {

/// The calling thread, which is no worker, becomes one of the default runtime, until it has called leave_default as often as
/// this and stay_in_default. Makes that runtime if there is none.
/// \throws not_a_worker, naming the public function `what`, inside leat::blocking; what the constructor of runtime throws
LEAT_SHARED scheduler::worker<platform::chosen>& enter_default(const char* what);

/// The scheduler of the default runtime, for a thread that is no worker of it. Makes that runtime if there is none.
/// \param what  null; or the public function, which may not be called inside leat::blocking
/// \throws not_a_worker, naming `what`; what the constructor of runtime throws
LEAT_SHARED scheduler::channel_scheduler<platform::chosen>& default_scheduler(const char* what);

/// Whether the calling thread, which is a worker, has become it by enter_default. Then leave_default must be called once more.
LEAT_SHARED bool stay_in_default() noexcept;

/// The last call executes what tasks the thread has left. In a forked child it does nothing. Aborts, with a message, if the
/// calling thread is not the worker `me` that it has become.
LEAT_SHARED void leave_default(const scheduler::worker<platform::chosen>& me) noexcept;

}  // namespace leat::inline LEAT_ABI::entry
