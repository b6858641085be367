#include "kernels/carried.hpp"

#include "kernels/range.hpp"

#include <array>

namespace leat::kernels {

void memory_model::validate() const {
  check_range("--memory", share, 0, 1);
  check_range("--far", far, 1, far_max);
}

std::vector<machine_level> machine_levels() {
  std::vector<machine_level> levels;
  for (const topology::domain& d : where()->machine().domains()) {
    if (d.depth < levels.size()) ++levels[d.depth].domains;
    else levels.push_back({d.kind, 1});
  }
  return levels;
}

topology::domain_id resident::node_here() noexcept {
  const auto here = where();
  if (!here) return topology::root_domain;  // the serial program
  const topology::machine& m = here->machine();
  topology::domain_id d = m.leaf(here->unit());
  while (m[d].kind != "numa" && m[d].depth > 1) d = m[d].parent;
  return d;
}

std::string_view name(policy p) noexcept {
  constexpr std::array<std::string_view, 3> names{"published", "affinity", "work"};
  return names[static_cast<std::size_t>(p)];
}

const bubble_policy& object_of(policy p) noexcept {
  static const as_published published;
  static const by_affinity affinity;
  static const bubble_policy work;
  if (p == policy::published) return published;
  return p == policy::affinity ? affinity : work;
}

}  // namespace leat::kernels
