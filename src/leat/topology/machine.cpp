#include "leat/topology/machine.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace leat::inline LEAT_ABI::topology {

// A root and its units: any two of them have the distance 1.
machine machine::flat(std::uint32_t units, source from) {
  if (units < 1 || units > units_max) {
    throw std::invalid_argument("leat: a flat machine of " + std::to_string(units) + " units: must be between 1 and " +
                                std::to_string(units_max));
  }
  const level all{"pu", units};
  return regular({&all, 1}, from);
}

// The checks come before anything is made: a description may ask for more units than memory holds. `units` has 64
// bits, and is at most 2^16 before each product with a number of 32, so no product runs over.
machine machine::regular(std::span<const level> levels, source from) {
  const auto refuse = [](const std::string& why) { throw std::invalid_argument("leat: machine: " + why); };
  if (levels.empty()) refuse("has no levels");
  if (levels.size() > levels_max) {
    refuse(std::to_string(levels.size()) + " levels: must be " + std::to_string(levels_max) + " at most");
  }
  std::uint64_t units = 1;
  for (const level& l : levels) {
    const std::string name = l.kind + ":" + std::to_string(l.children);
    if (l.kind.empty()) refuse("'" + name + "' has no name");
    if (l.children == 0) refuse("'" + name + "': must be 1 at least");
    units *= l.children;
    if (units > units_max) refuse("'" + name + "': more than " + std::to_string(units_max) + " units");
  }
  machine m;
  m.add_levels(m.add("machine", root_domain), levels);
  m.finish();
  m.from_ = from;
  return m;
}

// Parents come first, and children of one domain in the order of these calls. So an order depth first needs no
// sorting: each maker goes down into a domain before it adds the next one beside it.
domain_id machine::add(std::string_view kind, domain_id parent) {
  const auto d = static_cast<domain_id>(domains_.size());
  // The root is its own parent, which ends every walk upwards.
  domains_.push_back({.kind = std::string(kind), .parent = parent, .children = {}});
  if (d == root_domain) return d;
  domains_[d].depth = domains_[parent].depth + 1;
  domains_[parent].children.push_back(d);
  return d;
}

// Depth first. It calls itself as often as there are levels, at most levels_max.
void machine::add_levels(domain_id parent, std::span<const level> beneath) {
  if (beneath.empty()) return;
  for (std::uint32_t i = 0; i < beneath.front().children; ++i) {
    add_levels(add(beneath.front().kind, parent), beneath.subspan(1));
  }
}

// Two passes, O(domains). Forwards, in the order depth first: a leaf gets the next number of a unit, and every other
// domain the number that the first leaf beneath it is about to get. So the units of a domain have consecutive
// numbers, which is what `has` and `common` rely on. Backwards, each child comes before its parent: units are added
// up from below.
// The keys of `met` are views of the kinds, which stay where they are: no domain is added here any more.
void machine::finish() {
  std::map<std::string_view, std::uint32_t> met;
  for (domain_id d = 0; d < domains_.size(); ++d) {
    domain& one = domains_[d];
    // The number among its kind, in the order of the tree.
    one.index = met[one.kind]++;
    one.first_unit = static_cast<unit_id>(leaves_.size());
    if (one.children.empty()) leaves_.push_back(d);
    levels_ = std::max(levels_, one.depth + 1);
  }
  for (auto d = static_cast<domain_id>(domains_.size()); d-- > 0;) {
    domain& one = domains_[d];
    one.units = one.children.empty() ? 1 : 0;
    for (const domain_id child : one.children) one.units += domains_[child].units;
  }
}

// Filled from the back, from the leaf upwards; its length is known from the leaf's depth.
std::vector<domain_id> machine::path(unit_id u) const {
  std::vector<domain_id> found(domains_[leaves_[u]].depth + 1);
  domain_id d = leaves_[u];
  for (auto place = found.rbegin(); place != found.rend(); ++place, d = domains_[d].parent) *place = d;
  return found;
}

// Upwards from the one unit until the domain has the other. The root has all units, so it ends.
domain_id machine::common(unit_id a, unit_id b) const noexcept {
  domain_id d = leaves_[a];
  while (!domains_[d].has(b)) d = domains_[d].parent;
  return d;
}

std::uint32_t machine::distance(unit_id a, unit_id b) const noexcept {
  // Counted from the deepest level, also where the path to these units is shorter: so distances of different pairs
  // can be compared.
  return a == b ? 0 : levels_ - 1 - domains_[common(a, b)].depth;
}

// O(domains): no map is kept, as it is asked for once in a while only.
std::optional<std::uint32_t> machine::depth_of(std::string_view kind) const noexcept {
  std::optional<std::uint32_t> least;
  for (const domain& d : domains_) {
    if (d.kind == kind) least = std::min(d.depth, least.value_or(d.depth));
  }
  return least;
}

}  // namespace leat::inline LEAT_ABI::topology
