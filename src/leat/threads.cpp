// The machines whose lists user-level threads lie on.
#include <string>
#include <vector>

#include "leat/bubble/described.hpp"
#include "leat/platform/chosen.hpp"

namespace leat::inline LEAT_ABI::bubbles {

namespace {

// Read once, and never destroyed: a task may ask for it while static objects are.
const topology::machine& host() {
  static const auto* const read = new topology::machine(topology::machine::of_host());
  return *read;
}

}  // namespace

topology::machine machine_of(const std::string& description) {
  // What a program describes counts before the world and the host.
  if (!description.empty()) return topology::machine::synthetic(description);
#if LEAT_PLATFORM_NUMBER(LEAT_PLATFORM) == 2
  std::vector<topology::machine::level> levels;
  // Asked for each time, as a program may simulate one machine after another. Outside of a world it is as without
  // simulation.
  const platform::simulation* const world = platform::simulation::current();
  if (world == nullptr) return host();
  // A green thread's lists need a tree. A world without levels is one unit here, whose list all carriers share.
  for (const auto& level : world->on().levels) levels.push_back({level.name, level.children});
  return levels.empty() ? topology::machine::flat(1) : topology::machine::regular(levels);
#else
  return host();
#endif
}

}  // namespace leat::inline LEAT_ABI::bubbles
