#include "leat/topology/places.hpp"

#include <algorithm>
#include <numeric>

namespace leat::inline LEAT_ABI::topology {

// A sort by how many units of the same core come before: the first ones of all cores, then the second ones, and so
// on.
std::vector<unit_id> places(const machine& m) {
  // A unit beneath no core counts as the first of its own, so a machine without cores keeps the order of its tree.
  // How many units of the same core come before each.
  std::vector<std::uint32_t> before(m.units(), 0);
  for (const domain& d : m.domains()) {
    if (d.kind == "core") std::iota(before.begin() + d.first_unit, before.begin() + d.first_unit + d.units, 0u);
  }
  std::vector<unit_id> order(m.units());
  std::iota(order.begin(), order.end(), unit_id{0});
  // Stable: among the first ones of all cores, the order of the tree stays.
  std::ranges::stable_sort(order, {}, [&](unit_id u) { return before[u]; });
  return order;
}

}  // namespace leat::inline LEAT_ABI::topology
