#include "leat/topology/memory.hpp"

#include <stdexcept>
#include <string>

namespace leat::inline LEAT_ABI::topology {

// The numbers of CPUs are copied, so the machine need not outlive this object.
domain_memory::domain_memory(const machine& m, domain_id d) {
  // The number comes from a program, which may have taken it from another machine.
  if (d >= m.domains().size()) {
    throw std::invalid_argument("leat: memory on domain " + std::to_string(d) + ": the machine has " +
                                std::to_string(m.domains().size()));
  }
  // Units of another machine are no CPUs of this one. Without CPUs memory is not bound.
  if (m.from() != machine::source::host) return;
  // A domain's units have consecutive numbers (machine::finish); the system's numbers of its CPUs need not have.
  for (unit_id u = m[d].first_unit; u < m[d].first_unit + m[d].units; ++u) cpus_.push_back(m.cpu(u));
}

bool domain_memory::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
  // By the CPUs, and not by the machine or the domain: what is freed depends on the CPUs alone, and domains that have
  // the same ones, such as a package and its only node, are as good as one. Two without CPUs are equal, too: both are
  // new and delete.
  const auto* const same = dynamic_cast<const domain_memory*>(&other);
  return same != nullptr && same->cpus_ == cpus_;
}

}  // namespace leat::inline LEAT_ABI::topology
