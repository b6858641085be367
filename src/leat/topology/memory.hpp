// Memory that lies near a domain.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <vector>

#include "leat/topology/machine.hpp"

namespace leat::inline LEAT_ABI::topology {

/// Memory on the NUMA nodes that are nearest to a domain, for std::pmr containers. Each allocation is whole pages from the system:
/// right for large arrays; for small things put a std::pmr::unsynchronized_pool_resource, or the like, on top.
///
/// Where leat was built without hwloc, or the domain is of a machine that is not the host, memory is as new gives it. A node that
/// is full is no error either: then pages come from others.
///
/// Allocations may outlive neither this object nor the program's last static one. Thread safety: any number of threads may
/// allocate and free at once. Cost: a few system calls for each allocation; the first one in a program reads the machine tree.
/// Two of these are equal, so that one may free what the other allocated, if their domains have the same CPUs.
class domain_memory final : public std::pmr::memory_resource {
 public:
  /// \throws std::invalid_argument if the machine has no such domain
  domain_memory(const machine& m, domain_id d);

  /// The largest alignment that may be asked for, in bytes: that of a page.
  static constexpr std::size_t alignment_max = 4096;

 private:
  /// Throws std::bad_alloc, also for larger alignments.
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  /// `bytes` and `alignment` are those of the allocation, as std::pmr has it; any of the objects that are equal may
  /// be asked.
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  std::vector<unsigned> cpus_;  // of the domain; empty: memory is not bound
};

}  // namespace leat::inline LEAT_ABI::topology
