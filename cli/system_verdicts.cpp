#include "verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace leat::cli {

namespace {

// The least time of a page fault in the system; most take two to four times as long.
constexpr double fault_ns_min = 250;
// The quota limits a program that uses at least this share of it.
constexpr double quota_used_min = 0.85;

std::string a_count(double cpus) { return cpus == 1 ? "1 CPU" : fmt::format("{:.3g} CPUs", cpus); }

// Whether the quota is the reason for a lack of CPUs.
bool add_quota(const profiled_run& run, std::vector<profile_verdict>& to) {
  if (!run.of.quota_cpus || *run.of.quota_cpus >= run.workers) return false;
  const double quota = *run.of.quota_cpus;
  const double used = static_cast<double>(run.of.user_ns + run.of.system_ns) / run.times.total_ns;
  const double wanted = run.of.cpus == 0 ? run.workers : std::min(run.workers, static_cast<double>(run.of.cpus));
  const double throttled = run.share(static_cast<double>(run.of.throttled_ns));
  const double beyond = used >= quota_used_min * quota && wanted > quota ? 1 - quota / run.workers : 0;
  const double cost = std::max(throttled, beyond);
  to.push_back({"quota", cost,
                fmt::format("a quota of {} is in force, {:.0f} workers were made", a_count(quota), run.workers),
                "Raise the quota, or let leat choose the number of workers: it reads the quota.", ""});
  return cost >= verdict_cost_min;
}

void add_queued(const profiled_run& run, bool throttled, std::vector<profile_verdict>& to) {
  double queued_ns = 0, most_ns = 0;
  std::uint64_t most = 0;
  for (const profiled_worker& worker : run.of_main.of_worker) {
    const double ns = queued_in_tasks(worker);
    queued_ns += ns;
    if (ns > most_ns) most_ns = ns, most = worker.number;
  }
  if (queued_ns == 0 || throttled) return;
  const auto cpus = static_cast<double>(run.of.cpus);
  if (run.of.cpus != 0 && cpus < run.workers) {
    to.push_back({"cpus", run.share(queued_ns),
                  fmt::format("{:.0f} workers were made for {}", run.workers, a_count(cpus)),
                  "Make as many workers as there are CPUs, which leat does by itself.", ""});
    return;
  }
  to.push_back({"preempted", run.share(queued_ns),
                fmt::format("worker {} was preempted for {}: another process or thread is busy", most,
                            percent(std::min(1.0, most_ns / run.times.total_ns))),
                "Stop the other program, make fewer workers, or give this process CPUs of its own (taskset).", ""});
}

void add_system(const profiled_run& run, std::vector<profile_verdict>& to) {
  const auto system_ns = static_cast<double>(run.of.system_ns);
  const auto faults = static_cast<double>(run.of.minor_faults + run.of.major_faults);
  if (system_ns == 0) return;
  const double cost = run.share(system_ns);
  if (faults * fault_ns_min >= system_ns / 16) {
    to.push_back({"page_faults", cost,
                  fmt::format("{} of the workers' time is spent inside the system, which served {:.0f} page faults",
                              percent(cost), faults),
                  "Allocate once and use the memory again, touch it in parallel, or take huge pages.", ""});
    return;
  }
  to.push_back({"system", cost,
                fmt::format("{} of the workers' time is spent inside the system, in calls", percent(cost)),
                "Make fewer system calls in tasks; strace -c -f PROGRAM tells which.", ""});
}

}  // namespace

// The profile has only the sum over all that a thread does while it is awake. Tasks get the share that they have of that time. A
// call that blocks ends with a wait for a CPU, too.
double queued_in_tasks(const profiled_worker& worker) {
  const auto running_ns = static_cast<double>(worker.sum(cause::running).ns);
  double awake_ns = running_ns;
  for (const cause c : {cause::searching, cause::waiting, cause::answering, cause::blocked})
    awake_ns += static_cast<double>(worker.sum(c).ns);
  return awake_ns == 0 ? 0 : static_cast<double>(worker.queued_ns) * running_ns / awake_ns;
}

void add_system_verdicts(const profiled_run& run, std::vector<profile_verdict>& to) {
  const bool throttled = add_quota(run, to);
  add_queued(run, throttled, to);
  add_system(run, to);
}

}  // namespace leat::cli
