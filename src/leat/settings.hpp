// From what a user sets to what a scheduler is built from.
#pragma once

#include "leat/options.hpp"
#include "leat/scheduler/settings.hpp"

namespace leat::inline LEAT_ABI {

/// What a scheduler with these options is built from. `o` is resolved (options::resolved); reads the CPUs of this process
/// if its workers are to be bound. Any thread.
scheduler::settings settings_of(const options& o);

}  // namespace leat::inline LEAT_ABI
