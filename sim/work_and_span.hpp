// What bounds the speed of a recorded computation, and which waits it has.

#pragma once

#include "recording.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace leat::sim {

/// Of the whole program, in nanoseconds.
struct work_and_span {
  std::uint64_t work_ns = 0;      ///< of all strands and iterations, those outside of runs among them
  std::uint64_t blocking_ns = 0;  ///< in leat::blocking
  std::uint64_t span_ns = 0;      ///< the longest chain
  std::uint64_t outside_ns = 0;   ///< outside of all runs
  std::uint64_t strands = 0;      ///< strands and blocks of iterations

  /// All of it, one after the other.
  [[nodiscard]] std::uint64_t serial_ns() const noexcept { return work_ns + blocking_ns; }
};

/// What a walk through the computation finds: as if there were a worker for each task, and nothing but strands took time.
struct walked {
  work_and_span whole;
  std::vector<std::uint32_t> group_waits;  ///< how many waits there are for a group, by its name
  std::vector<std::uint32_t> future_waits;  ///< the same of futures
  std::uint64_t sums_work_ns = 0;  ///< of the parts of which only sums are recorded
  /// By sequence: groups that are waited for in it, and into which others spawn, too. They must be there before any of
  /// these does.
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> early_groups;
};

/// Linear in the recording. Tasks of a group count in the order of a serial execution.
/// \throws std::invalid_argument  the sum of all times has more than 63 bits
[[nodiscard]] walked walk(const recording& r);

}  // namespace leat::sim
