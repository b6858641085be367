// The table of a sitting.
#pragma once

#include <string>

#include "sitting.hpp"

namespace soak {

/// Deque operations of a sitting: each task and each fork is put on its worker's end once, and taken from one end once.
std::uint64_t deque_operations(const ledger& book);

/// What was done in a sitting that has ended, as a page in Markdown. `what` names the build and the machine.
std::string table_of(const sitting& s, const std::string& what);

}  // namespace soak
