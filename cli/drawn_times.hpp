// The intervals of a profile, few enough for a page or a trace.

#pragma once

#include "profile_file.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace leat::cli {

/// A worker's intervals, of which those shorter than some resolution are put together: the cause of the most time stands for all.
struct drawn_worker {
  const profiled_runtime* runtime = nullptr;
  const profiled_worker* worker = nullptr;
  std::vector<profile_interval> intervals;
};

struct drawn_times {
  std::vector<drawn_worker> workers;
  std::uint64_t resolution_ns = 0;  ///< 0: all are as they are in the profile
};

/// `most`: of intervals, over all workers, about.
[[nodiscard]] drawn_times drawn(const profile&, std::size_t most);

}  // namespace leat::cli
