// From a program's description to a machine.
#pragma once

#include <string>

#include "leat/topology/machine.hpp"

namespace leat::inline LEAT_ABI::bubbles {

/// The tree that `description` stands for, as in machine::synthetic. Empty: in a simulated world that of its
/// machine, else this host's, which is read once. Any thread.
/// \throws std::invalid_argument  the description is not understood
topology::machine machine_of(const std::string& description);

}  // namespace leat::inline LEAT_ABI::bubbles
