// A machine tree as a machine file, which `leat sim` and `leat predict` read.

#pragma once

#include <leat/topology.hpp>

#include <nlohmann/json.hpp>

namespace leat::cli {

/// The members of a machine file (docs/guide/simulation.md) for this tree: its levels, with usual times for cache lines between
/// them. All other times are left out, so they are those of the two-core Xeon.
/// Throws std::invalid_argument if two domains of a level have different numbers of children; it names both.
[[nodiscard]] nlohmann::ordered_json machine_file(const topology::machine&);

}  // namespace leat::cli
