// The OpenMP loops that leat bench loop compares with.

#pragma once

#include "progress.hpp"
#include "result_check.hpp"

#include "kernels/loop.hpp"
#include "kernels/loop_openmp.hpp"

#include <cstdint>
#include <vector>

namespace leat::cli {

/// A schedule of OpenMP with a chunk size.
struct loop_rival {
  kernels::loop::schedule schedule;
  std::int64_t chunk;  ///< in iterations; 0: the schedule's own
};

/// Runs the loop with that schedule and returns its seconds. Tells `check` how many iterations ran.
[[nodiscard]] double time_rival(const loop_rival&, kernels::loop::workload&, std::uint32_t threads,
                                result_check& check);

/// Each of OpenMP's schedules with the chunk size that serves it best, by the medians of `rounds` runs: powers of four up
/// to a quarter of a thread's share, and for the static schedule also one part for each thread. `shown` has
/// which run is under way. None where OpenMP is not available.
[[nodiscard]] std::vector<loop_rival> find_rivals(kernels::loop::workload&, std::uint32_t threads, unsigned rounds,
                                                  result_check& check, progress& shown);

}  // namespace leat::cli
