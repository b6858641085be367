#include "kernels/carried.hpp"

#include "kernels/range.hpp"

#include <map>

namespace leat::kernels {

namespace {

const threads::carrier<platform::chosen>* carrier_here() noexcept { return threads::carrier<platform::chosen>::here(); }

}  // namespace

void memory_model::validate() const {
  check_range("--memory", share, 0, 1);
  check_range("--far", far, 1, far_max);
}

std::vector<machine_level> machine_levels() {
  std::vector<machine_level> levels;
  for (const topology::domain& d : carrier_here()->home().machine().domains()) {
    if (d.depth < levels.size()) ++levels[d.depth].domains;
    else levels.push_back({d.kind, 1});
  }
  return levels;
}

topology::domain_id resident::node_here() noexcept {
  const auto* const c = carrier_here();
  if (c == nullptr) return topology::root_domain;  // the serial program
  const topology::machine& m = c->home().machine();
  for (const topology::domain_id d : c->path())
    if (m[d].kind == "numa" || m[d].depth == 1) return d;
  return topology::root_domain;
}

}  // namespace leat::kernels
