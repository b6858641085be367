#include "leat/topology/memory.hpp"

#include <stdexcept>
#include <string>

namespace leat::topology {

domain_memory::domain_memory(const machine& m, domain_id d) {
  if (d >= m.domains().size()) {
    throw std::invalid_argument("leat: memory on domain " + std::to_string(d) + ": the machine has " +
                                std::to_string(m.domains().size()));
  }
  if (m.from() != machine::source::host) return;
  for (unit_id u = m[d].first_unit; u < m[d].first_unit + m[d].units; ++u) cpus_.push_back(m.cpu(u));
}

bool domain_memory::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
  const auto* const same = dynamic_cast<const domain_memory*>(&other);
  return same != nullptr && same->cpus_ == cpus_;
}

}  // namespace leat::topology
