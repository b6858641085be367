// The list of the process's runtimes, for descriptions of all of them, and the thread that writes one when SIGQUIT comes.
//
// Page: docs/internals/deadlocks.md, rules DEADLOCK-15 and DEADLOCK-16.
#pragma once

#include <cstdint>
#include <string>

#include "leat/platform/chosen.hpp"
#include "leat/scheduler/scheduler.hpp"

namespace leat::inline LEAT_ABI {

/// A runtime's scheduler is described from now on, until unlist_runtime, which waits for a description that is being made. Any
/// thread. `kind` and `name`, of the scheduler, stay as long.
/// \param reports  whether SIGQUIT asks for a description meanwhile
/// \throws std::bad_alloc; std::system_error, if a thread cannot be started
void list_runtime(scheduler::channel_scheduler<platform::chosen>& of, const char* kind, const char* name, bool reports);
void unlist_runtime(const scheduler::channel_scheduler<platform::chosen>& of) noexcept;

/// It is the default runtime's.
void list_as_default(const scheduler::channel_scheduler<platform::chosen>& of) noexcept;

/// The text about all of them.
std::string text_of_process();

}  // namespace leat::inline LEAT_ABI
