// The domains of a machine that divide it, and how threads are shared out among them. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leat/topology/machine.hpp"

namespace leat::inline LEAT_ABI::bubbles {

/// A domain that has other units than the domain around it. Domains with the same units, such as a core and its only
/// unit, are one nest: the outermost of them.
struct nest {
  topology::domain_id domain = topology::root_domain;
  std::size_t around = 0;  ///< the place of the nest around it; of the whole machine: its own
  std::size_t inside = 0;  ///< how many nests are directly in it; 0: it is a leaf
};

/// The nests of a machine down to that depth, each before those inside it. O(domains).
inline std::vector<nest> nests_of(const topology::machine& m, std::uint32_t depth_max) {
  std::vector<nest> nests{{}};
  std::vector<std::size_t> of_domain(m.domains().size(), 0);  // by domain: the innermost nest that has it
  for (topology::domain_id d = 1; d < m.domains().size(); ++d) {
    const topology::domain_id parent = m[d].parent;
    const std::size_t around = of_domain[parent];
    of_domain[d] = around;
    if (m[d].depth > depth_max || m[parent].children.size() == 1) continue;
    of_domain[d] = nests.size();
    ++nests[around].inside;
    nests.push_back({d, around, 0});
  }
  return nests;
}

/// The unit that is the share of thread `i` of `threads`, if each unit gets as many as the others: neighbours in
/// number are neighbours on the machine. `i` is less than `threads`.
constexpr topology::unit_id unit_for(std::size_t i, std::size_t threads, std::uint32_t units) noexcept {
  return static_cast<topology::unit_id>(i * units / threads);  // 64 bits hold it: there are 2^16 units at most
}

/// The leaf of the nests that has a unit, as its place among them. O(nests).
inline std::size_t leaf_with(const std::vector<nest>& nests, const topology::machine& m, topology::unit_id u) noexcept {
  std::size_t leaf = 0;
  for (std::size_t i = 0; i < nests.size(); ++i)
    if (nests[i].inside == 0 && m[nests[i].domain].has(u)) leaf = i;
  return leaf;
}

}  // namespace leat::inline LEAT_ABI::bubbles
