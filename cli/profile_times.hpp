// The intervals of all workers of a profile together: how many workers run and how many are idle at each instant.

#pragma once

#include "profile_file.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace leat::cli {

/// A stretch of a run during which at least half of the workers are idle.
struct narrow_period {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  double idle_ns = 0;     ///< summed over the workers
  double joining_ns = 0;  ///< of it, in joins and other waits
  double nobody_ns = 0;   ///< of the period, while no worker runs a task
  bool at_begin = false;  ///< of its run
  bool at_end = false;

  [[nodiscard]] double ns() const { return static_cast<double>(end_ns - begin_ns); }
};

/// From begin_ns to end_ns.
struct time_span {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;

  [[nodiscard]] double ns() const { return static_cast<double>(end_ns - begin_ns); }
};

/// The times of one runtime's workers together. A run is under way while any worker runs a task, waits, answers or is blocked.
struct runtime_times {
  std::size_t workers = 1;
  std::array<double, cause_count> cause_ns{};  ///< summed over the workers
  std::vector<time_span> runs;
  std::vector<narrow_period> narrow;  ///< in order
  double idle_in_runs_ns = 0;  ///< summed over the workers, in narrow periods and outside of them
  std::vector<double> running_ns;  ///< [k]: while k workers run tasks

  [[nodiscard]] double ns_of(cause c) const { return cause_ns[static_cast<std::size_t>(c)]; }
};

/// Two narrow periods that are no further apart are one: a task is handed over in between.
inline constexpr std::uint64_t handed_over_ns_max = 2'000;

[[nodiscard]] runtime_times times_of(const profiled_runtime&);

/// The times of all runtimes, and those between their runs, from the start of the recording to its end.
struct profile_times {
  std::vector<runtime_times> of_runtime;
  std::size_t main = 0;  ///< the runtime that ran tasks for the longest time
  std::vector<time_span> between;
  double total_ns = 0;  ///< from the start of the process to the end of the recording
};

[[nodiscard]] profile_times times_of(const profile&);

}  // namespace leat::cli
