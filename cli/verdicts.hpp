// The functions that give the verdicts about a profile, and their input.

#pragma once

#include "explanation.hpp"
#include "profile_file.hpp"
#include "profile_times.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace leat::cli {

/// A profile, with the times and figures that follow from it.
struct profiled_run {
  const profile& of;
  const profile_times& times;
  const runtime_times& main;          ///< of the runtime of all verdicts but the serial one
  const profiled_runtime& of_main;
  explanation_beside beside;
  double workers = 1;
  double worker_ns = 1;  ///< workers x time, of which costs are shares

  /// Worker time as a share of all, from 0 to 1.
  [[nodiscard]] double share(double ns) const { return std::min(1.0, std::max(0.0, ns / worker_ns)); }
};

/// Each appends its verdicts, whatever their cost.
void add_idle_verdicts(const profiled_run&, std::vector<profile_verdict>&);  // serial, chain, imbalance, barriers, idle
void add_task_verdicts(const profiled_run&, std::vector<profile_verdict>&);  // tiny, inflation, lock, calls
void add_system_verdicts(const profiled_run&,
                         std::vector<profile_verdict>&);  // quota, cpus, preempted, page_faults, system

/// Samples see each time of 2^22 ns (4 ms) or more without an operation whole.
inline constexpr unsigned seen_whole_log2_min = 22;

/// How long a worker in a task was ready, but had no CPU.
[[nodiscard]] double queued_in_tasks(const profiled_worker&);

/// "12 %", with a digit behind the point below 10 %.
[[nodiscard]] std::string percent(double share);
/// A time in the unit that fits: "40 ns", "1.2 ms".
[[nodiscard]] std::string duration(double ns);

}  // namespace leat::cli
