// Where workers stand on a machine.
#pragma once

#include <vector>

#include "leat/topology/machine.hpp"

namespace leat::inline LEAT_ABI::topology {

/// All units, in the order in which workers are given one: first one of each core, in the order of the tree, then a second one of
/// each, and so on. So no worker shares a core while there is a free one. Worker i stands on the (i mod units)-th of these.
/// Any thread. O(u log u) for u units, beside a pass over all domains. Throws std::bad_alloc.
[[nodiscard]] std::vector<unit_id> places(const machine& m);

}  // namespace leat::inline LEAT_ABI::topology
