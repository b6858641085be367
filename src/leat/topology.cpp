#include "leat/topology.hpp"

#include "leat/platform/chosen.hpp"

#if LEAT_PLATFORM_NUMBER(LEAT_PLATFORM) == 2
#include <vector>
#endif

namespace leat::inline LEAT_ABI {

#if LEAT_PLATFORM_NUMBER(LEAT_PLATFORM) == 2

// In a world that machine is the host, so its source is `host`: workers are bound to units of it (settings.cpp), by
// the platform's own `bind`. Without levels a world has as many units as are asked for, all equally far apart.
topology::machine this_machine(std::uint32_t units) {
  constexpr auto host = topology::machine::source::host;
  const auto* const world = platform::simulation::current();
  if (world == nullptr || world->on().levels.empty()) return topology::machine::flat(units, host);
  std::vector<topology::machine::level> levels;
  // The words of a machine file's levels are any words, and become the kinds of domains.
  for (const auto& l : world->on().levels) levels.push_back({l.name, l.children});
  return topology::machine::regular(levels, host);
}

#else

// Read anew at each call: the affinity may have changed, and a tree that is kept would need an owner.
topology::machine this_machine(std::uint32_t) { return topology::machine::of_host(); }

#endif

}  // namespace leat::inline LEAT_ABI
