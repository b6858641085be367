// The machine, as programs see it. Page: docs/guide/topology.md.
#pragma once

#include <cstdint>

#include "leat/platform/built.hpp"
#include "leat/topology/machine.hpp"
#include "leat/topology/memory.hpp"

namespace leat::inline LEAT_ABI {

/// Returns the tree of the machine that the runtimes of this program stand on, down to its processing units: the host,
/// as far as this process may use it (topology::machine::of_host), or in a simulated world the machine of that world.
///
/// \param units  in a simulated world whose machine has as many units as are asked for: how many, all equally far
///          apart. Otherwise without meaning
/// \throws std::invalid_argument  HWLOC_XMLFILE or HWLOC_SYNTHETIC has a value that makes no machine; or, in a
///         simulated world, `units` is 0 or more than topology::units_max
/// \throws std::bad_alloc         memory is short. If other threads meanwhile take the memory that hwloc needs, hwloc
///         ends the process; so a program that may run out of memory reads the machine early
/// Thread safety: any thread. Cost: milliseconds on the host, and 1 MiB of memory and more where there are hundreds of
/// CPUs; nothing is kept.
[[nodiscard]] topology::machine this_machine(std::uint32_t units = 1);

}  // namespace leat::inline LEAT_ABI
