#include "loop_rivals.hpp"

#include "measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace leat::cli {

namespace loop = kernels::loop;

namespace {

struct candidate {
  loop_rival rival;
  std::vector<double> seconds;
};

std::vector<candidate> candidates_for(std::int64_t iterations, std::uint32_t threads) {
  const std::int64_t chunk_max = std::max<std::int64_t>(1, iterations / (4 * std::int64_t{threads}));
  std::vector<candidate> all;
  for (const loop::schedule s : loop::schedules) {
    if (s == loop::schedule::fixed) all.push_back({{s, 0}, {}});
    for (std::int64_t chunk = 1; chunk <= chunk_max; chunk *= 4) all.push_back({{s, chunk}, {}});
  }
  return all;
}

}  // namespace

double time_rival(const loop_rival& r, loop::workload& work, std::uint32_t threads, result_check& check) {
  const double seconds = loop::openmp(work, threads, r.schedule, r.chunk);
  check.take(fmt::format("OpenMP {}", name(r.schedule)), work.take_count(),
             static_cast<std::uint64_t>(work.iterations()));
  return seconds;
}

std::vector<loop_rival> find_rivals(loop::workload& work, std::uint32_t threads, unsigned rounds, result_check& check,
                                    progress& shown) {
  if (!loop::openmp_available()) return {};
  std::vector<candidate> candidates = candidates_for(work.iterations(), threads);
  for (unsigned round = 1; round <= rounds; ++round) {
    for (candidate& c : candidates) {
      const progress::step now(
          shown, fmt::format("round {} of {}: {}, chunk {}", round, rounds, name(c.rival.schedule), c.rival.chunk));
      c.seconds.push_back(time_rival(c.rival, work, threads, check));
    }
  }
  std::vector<loop_rival> best;
  for (const loop::schedule s : loop::schedules) {
    // The other schedules' candidates come last.
    const auto key = [s](const candidate& c) { return std::pair(c.rival.schedule != s, median(c.seconds)); };
    best.push_back(std::ranges::min_element(candidates, {}, key)->rival);
  }
  return best;
}

}  // namespace leat::cli
