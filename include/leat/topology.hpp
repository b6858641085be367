// The machine, as programs see it. Page: docs/guide/topology.md.
#pragma once

#include <cstdint>

#include "leat/platform/built.hpp"
#include "leat/topology/machine.hpp"
#include "leat/topology/memory.hpp"

namespace leat::inline LEAT_ABI {

/// The tree of the machine that the runtimes of this program stand on, down to its processing units: the host, as far as this
/// process may use it (topology::machine::of_host), or in a simulated world the machine of that world.
///
/// \param units  of a simulated machine that has as many as are asked for, all equally far apart; else without meaning
/// \throws std::invalid_argument  HWLOC_XMLFILE or HWLOC_SYNTHETIC has a value that makes no machine; or, in a simulated
///                                world, `units` is 0 or more than topology::units_max
/// \throws std::bad_alloc         memory is short. hwloc cannot say so itself: it ends the process if other threads take meanwhile
///                                what it needs, so a program that may run out of memory reads the machine early
/// Thread safety: any thread. Cost: milliseconds on the host, and 1 MiB of memory and more where there are hundreds of CPUs;
/// nothing is kept.
[[nodiscard]] topology::machine this_machine(std::uint32_t units = 1);

}  // namespace leat::inline LEAT_ABI
