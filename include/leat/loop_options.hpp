// How a loop is to be executed.
#pragma once

#include "leat/loop/options.hpp"
#include "leat/platform/chosen.hpp"

namespace leat::inline LEAT_ABI {

/// What a loop may be told; nothing need be.
///
/// - `chunk_min`: iterations in a chunk, and in what another worker gets, at least; the last chunk of each part may have
///   fewer, and one of a box has whole rows, rounded down, but one at least. 1 if not said. A worker polls between
///   chunks whether others ask; chunks grow by themselves to about 8 microseconds, and while no worker asks to 64.
/// - `split`: what is cut off for a worker that asks; `splitting::adaptive` if not said.
/// - `stop`: the token of a task_group. When that is cancelled, the loop ends early: no further chunk is begun. A body
///   that wants to end its loop cancels that group, which must outlive the loop, also one that is spawned.
using loop_options = loop::options<platform::chosen>;

}  // namespace leat::inline LEAT_ABI
