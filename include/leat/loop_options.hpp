// How a loop is to be executed.
#pragma once

#include "leat/loop/options.hpp"
#include "leat/platform/chosen.hpp"

namespace leat::inline LEAT_ABI {

/// Options of a loop. A value; a loop needs none of them.
///
/// - `chunk_min`: the least number of iterations in a chunk, and in a part that another worker gets; 1 if it is not
///   set. The last chunk of each part may have fewer. A chunk of a box has whole rows: the number is rounded down, to
///   one row at least. Between chunks a worker polls whether others ask for work. Chunks grow by themselves to about 8
///   microseconds, and to 64 while no worker asks.
/// - `split`: how much is cut off for a worker that asks; `splitting::adaptive` if it is not set. (Prell's thesis, 5.3)
/// - `stop`: the token of a task_group. When that group is cancelled, the loop ends early: no further chunk begins. So
///   a body ends its loop when it cancels the group. The group must outlive the loop, also a loop that is spawned.
///
/// A `chunk_min` of 0, and a `split` that is no name of leat::splitting, make the loop throw std::invalid_argument.
using loop_options = loop::options<platform::chosen>;

}  // namespace leat::inline LEAT_ABI
