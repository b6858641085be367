#include "system_calls.hpp"
#include "verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

namespace leat::cli {

namespace {

// The least cost of a fork or a task. Of tasks that take 160 ns that is 5 %, the least cost of a verdict.
constexpr double task_cost_ns = 8;
constexpr double operations_of_task = 2;
// How much reading the clock adds to a time between two operations, if the profile does not say.
constexpr std::uint64_t gap_cost_usual_ns = 20;
// A time counts as so much at most. Tasks that take as long are not tiny; and a tiny one that lost its CPU must not outweigh all others.
constexpr double counted_ns_max = 2'000;
// With fewer samples there is no verdict about system calls.
constexpr double samples_min = 20;
// A smaller ratio of times gives no verdict.
constexpr double inflation_min = 1.1;

// Time in tasks without the part during which the system had no CPU for the worker.
double running_on_cpu(const profiled_runtime& runtime, const runtime_times& times) {
  double ns = times.ns_of(cause::running);
  for (const profiled_worker& worker : runtime.of_worker) ns -= queued_in_tasks(worker);
  return std::max(0.0, ns);
}

void add_tiny(const profiled_run& run, std::vector<profile_verdict>& to) {
  double count = 0, short_ns = 0, lost_ns = 0, whole_ns = 0;
  const auto gap_cost_ns = static_cast<double>(run.of.gap_cost_ns.value_or(gap_cost_usual_ns));
  for (const profiled_worker& worker : run.of_main.of_worker) {
    for (const profile_gaps& g : worker.gaps) {
      const auto gaps = static_cast<double>(g.count), total_ns = static_cast<double>(g.total_ns);
      if (g.log2 >= seen_whole_log2_min) whole_ns += total_ns;
      // Such a long time says nothing about what tasks cost.
      if (gaps == 0 || g.log2 >= seen_whole_log2_min) continue;
      const double ns = std::clamp(total_ns / gaps - gap_cost_ns, 1.0, counted_ns_max);
      count += gaps;
      short_ns += gaps * ns;
      lost_ns += gaps * std::min(ns, task_cost_ns / operations_of_task);
    }
  }
  if (count == 0) return;
  const double of_short_ns = std::max(0.0, run.main.ns_of(cause::running) - whole_ns);
  // By time, not by number: long tasks have operations that follow each other, too.
  to.push_back(
      {"tiny_tasks", run.share(lost_ns / short_ns * of_short_ns),
       fmt::format("tasks take {} on average", duration(operations_of_task * short_ns / count)),
       "Fork above them only (call the function itself below a size), or use a loop, which chooses its blocks.", ""});
}

// How many times as long each of k busy workers takes as one alone, if only the machine's capacity limits them.
double slowdown(double k, double workers, double capacity) {
  if (workers < 2 || k < 2) return 1;
  const double of_all = std::max(1.0, workers / std::max(1.0, capacity));
  return 1 + (k - 1) / (workers - 1) * (of_all - 1);
}

void add_inflation(const profiled_run& run, std::vector<profile_verdict>& to) {
  if (run.beside.one == nullptr || run.beside.one->runtimes.empty() || run.workers < 2) return;
  const profile& one = *run.beside.one;
  const profile_times of_one = times_of(one);
  const double alone_ns = running_on_cpu(one.runtimes[of_one.main], of_one.of_runtime[of_one.main]);
  const double many_ns = running_on_cpu(run.of_main, run.main);
  if (alone_ns <= 0) return;
  double merged_ns = 0, fair_ns = 0;  // as measured, and as it would be with a CPU for each worker
  for (std::size_t k = 1; k < run.main.running_ns.size(); ++k) {
    const double ns = static_cast<double>(k) * run.main.running_ns[k];
    merged_ns += ns;
    fair_ns += ns / slowdown(static_cast<double>(k), run.workers, run.beside.capacity.value_or(run.workers));
  }
  if (merged_ns == 0) return;
  const double ratio = many_ns * fair_ns / merged_ns / alone_ns;
  if (ratio < inflation_min) return;
  to.push_back(
      {"inflation", run.share(many_ns * (1 - 1 / ratio)),
       fmt::format("tasks take {:.1f} times as long with {:.0f} workers as with one: memory bandwidth or false sharing",
                   ratio, run.workers),
       "Keep what each worker writes 64 bytes apart, use what is in the cache again, and read less memory for each "
       "step.",
       ""});
}

// How many samples found workers asleep in system calls.
struct slept_in {
  double samples = 0;
  double futex = 0;
  std::map<unsigned, double> others;
};

void add_calls(const profiled_run& run, std::vector<profile_verdict>& to) {
  slept_in slept;
  for (const profiled_worker& worker : run.of_main.of_worker) {
    slept.samples += static_cast<double>(worker.samples);
    for (const auto& [number, samples] : worker.calls) {
      if (is_futex(number)) slept.futex += static_cast<double>(samples);
      else if (!is_of_memory_or_cpu(number)) slept.others[number] += static_cast<double>(samples);
    }
  }
  if (slept.samples < samples_min) return;
  const double ns_of_sample = run.main.ns_of(cause::running) / slept.samples;
  to.push_back({"lock", run.share(slept.futex * ns_of_sample),
                fmt::format("locks: for {} of the tasks' time their worker sleeps in a lock (futex)",
                            percent(slept.futex / slept.samples)),
                "Hold the lock for less time, give each worker its own part (leat::worker_local), or reduce instead.",
                ""});
  double samples = 0;
  std::pair<unsigned, double> most{0, 0};
  for (const auto& other : slept.others) {
    samples += other.second;
    if (other.second > most.second) most = other;
  }
  if (samples == 0) return;
  to.push_back({"system_calls", run.share(samples * ns_of_sample),
                fmt::format("for {} of the tasks' time their worker sleeps in a system call, most often {}",
                            percent(samples / slept.samples), system_call_name(most.first)),
                "Call it inside leat::blocking, so that another worker takes the CPU meanwhile.", ""});
}

}  // namespace

void add_task_verdicts(const profiled_run& run, std::vector<profile_verdict>& to) {
  add_tiny(run, to);
  add_inflation(run, to);
  add_calls(run, to);
}

}  // namespace leat::cli
