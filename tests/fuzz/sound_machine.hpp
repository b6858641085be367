// What holds of every machine tree, whatever it was read from.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fuzz/expect.hpp"
#include "leat/topology/machine.hpp"

namespace leat_fuzz {

/// Checks the numbers of every domain against its children, and the paths and distances of some units.
inline void expect_sound(const leat::topology::machine& m) {
  using namespace leat::topology;
  expect(m.units() >= 1 && m.units() <= units_max, "a machine has no unit, or too many");
  expect(m.levels() >= 2 && m.levels() <= levels_max + 1, "a machine has too few levels, or too many");
  expect(m[root_domain].parent == root_domain && m[root_domain].depth == 0, "the root is not the root");
  for (domain_id d = 0; d < m.domains().size(); ++d) {
    const domain& one = m[d];
    expect(!one.kind.empty() && one.depth < m.levels(), "a domain has no kind, or is too deep");
    std::uint32_t units = one.children.empty() ? 1 : 0;
    for (const domain_id child : one.children) {
      expect(child > d && m[child].parent == d && m[child].depth == one.depth + 1, "a child is not its parent's");
      expect(m[child].first_unit == one.first_unit + units, "the units of two children are not side by side");
      units += m[child].units;
    }
    expect(units == one.units, "a domain has not the units of its children");
  }
  const unit_id last = m.units() - 1;
  for (const unit_id u : {unit_id{0}, last / 2, last}) {
    expect(m.path(u).front() == root_domain && m[m.path(u).back()].first_unit == u, "a path does not lead to its unit");
    expect(m.distance(u, u) == 0 && m.distance(u, last) == m.distance(last, u), "a distance is not one");
    expect(m.distance(0, u) < m.levels(), "a distance is longer than the tree is deep");
  }
}

}  // namespace leat_fuzz
