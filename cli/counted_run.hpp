// A run on the counted platform, beside the timed ones.

#pragma once

#include "memory.hpp"

#include "kernels/counted_runtime.hpp"

#include <leat/counters.hpp>
#include <leat/options.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>

namespace leat::cli {

/// What one run on the counted platform asked of the memory system.
struct counted_run {
  nlohmann::ordered_json size;  ///< the parameters of that run
  std::uint64_t units = 0;      ///< forks, tasks or iterations that it had
  leat::counters counters;

  [[nodiscard]] std::uint64_t fences() const { return counters[event::fences]; }

  /// Compare-and-exchanges and all others.
  [[nodiscard]] std::uint64_t read_modify_writes() const { return counters[event::cas] + counters[event::rmw]; }
};

/// Starts a runtime on the counted platform, calls run(runtime), and returns what this added to the runtime's counters.
/// Throws what these throw.
template <class Run>
[[nodiscard]] leat::counters count(const leat::options& options, Run run) {
  auto rt = start<kernels::counted_runtime>(options);
  // An empty run first: it waits for the workers, and takes what they count when they start.
  rt.run([] {});
  const leat::counters before = rt.counters();
  run(rt);
  return rt.counters() - before;
}

}  // namespace leat::cli
