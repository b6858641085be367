#include "verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>

namespace leat::cli {

namespace {

// A shorter time between two runs is no serial part. The program makes too many short calls.
constexpr double serial_part_ns_min = 20'000;
// A longer stretch with few busy workers comes from the program's shape, not from how fast workers find tasks.
constexpr double long_period_ns_min = 500'000;
// Periods are one stretch of code each if times without an operation are at least this share of them.
constexpr double stretch_share_min = 0.25;
// If the system takes the CPU away, a short task may seem to be a long one. So for periods from 5 ms on there is a second test: times
// without an operation that samples see whole (seen_whole_log2_min) must be this share of them.
constexpr double preempted_period_ns_max = 5'000'000;
constexpr double seen_share_min = 0.3;
// If no worker runs a task for a larger share of a period, the period is spent on finding tasks.
constexpr double nobody_share_max = 0.3;
// A period of at least this share of its run is the run's shape, not its begin or end.
constexpr double whole_run_share = 0.9;

// The system says in ticks of 10 ms when a process began.
constexpr double before_error_ns = 10'000'000;

// Idle time of workers by its reason.
struct idle_times {
  double before_first_fork_ns = 0;  // while one worker is at the begin of a run, or between its parallel parts
  double chain_ns = 0;
  double chain_periods_ns = 0;  // the time of these itself, not summed over the workers
  double tail_ns = 0;  // while the others wait for one worker
  double short_ns = 0;  // in short periods
  double longest_tail_ns = 0;
};

// Adds up lengths for a mean in which each counts as long as it lasts.
class mean_length {
 public:
  void add(double count, double total_ns) {
    if (count == 0) return;
    ns_ += total_ns;
    squares_ += total_ns / count * total_ns;
  }
  [[nodiscard]] double ns() const { return ns_ == 0 ? 0 : squares_ / ns_; }

 private:
  double ns_ = 0;
  double squares_ = 0;
};

// Whether each long period of a lone worker can be one stretch of code, and not a chain of tasks.
bool in_one_piece(const profiled_run& run) {
  mean_length gap, period;
  double seen_ns = 0, periods_ns = 0;
  for (const profiled_worker& worker : run.of_main.of_worker) {
    for (const profile_gaps& g : worker.gaps) {
      gap.add(static_cast<double>(g.count), static_cast<double>(g.total_ns));
      if (g.log2 >= seen_whole_log2_min) seen_ns += static_cast<double>(g.total_ns);
    }
  }
  for (const narrow_period& p : run.main.narrow) {
    if (p.ns() < long_period_ns_min) continue;
    period.add(1, p.ns());
    periods_ns += p.ns();
  }
  return gap.ns() >= stretch_share_min * period.ns() &&
         (period.ns() < preempted_period_ns_max || seen_ns >= seen_share_min * periods_ns);
}

// The run that a period lies in.
const time_span& run_of(const narrow_period& p, const std::vector<time_span>& runs) {
  return *std::prev(std::ranges::upper_bound(runs, p.begin_ns, {}, &time_span::begin_ns));
}

idle_times sorted_by_reason(const profiled_run& run) {
  idle_times times;
  const runtime_times& main = run.main;
  const bool one_piece = in_one_piece(run);
  for (const narrow_period& p : main.narrow) {
    if (p.ns() < long_period_ns_min || p.nobody_ns > nobody_share_max * p.ns()) {
      times.short_ns += p.idle_ns;
      continue;
    }
    const bool whole = p.ns() >= whole_run_share * run_of(p, main.runs).ns();
    const bool waited_for = p.at_end || 2 * p.joining_ns >= p.idle_ns;
    if (whole || !one_piece) {
      times.chain_ns += p.idle_ns;
      times.chain_periods_ns += p.ns();
    } else if (waited_for && !p.at_begin) {
      times.tail_ns += p.idle_ns;
      times.longest_tail_ns = std::max(times.longest_tail_ns, p.ns());
    } else {
      times.before_first_fork_ns += p.idle_ns;
    }
  }
  return times;
}

// The call site with the longest span. Among equal ones, that with the least work.
const profiled_span* longest_chain(const profile& of) {
  const profiled_span* longest = nullptr;
  for (const profiled_span& site : of.sites) {
    if (longest == nullptr || site.span_ns > longest->span_ns ||
        (site.span_ns == longest->span_ns && site.work_ns < longest->work_ns))
      longest = &site;
  }
  return longest;
}

// For how long a worker runs tasks on average before it does anything else.
double mean_stretch_ns(const profiled_runtime& runtime) {
  double ns = 0, count = 0;
  for (const profiled_worker& worker : runtime.of_worker) {
    ns += static_cast<double>(worker.sum(cause::running).ns);
    count += static_cast<double>(worker.sum(cause::running).count);
  }
  return count == 0 ? 0 : ns / count;
}

profile_verdict serial_verdict(const profiled_run& run, double between_ns, double alone_ns) {
  const double idle_ns = between_ns * (run.workers - 1) + alone_ns;
  profile_verdict v{"serial", run.share(idle_ns), "",
                    "Make that part parallel, too, or let it overlap with a parallel part.", ""};
  if (between_ns * (run.workers - 1) >= alone_ns)
    v.text = fmt::format("{} of the time is before, between and after the parallel calls{}",
                         percent(between_ns / run.times.total_ns), run.main.runs.size() == 1 ? " (there is one)" : "");
  else
    v.text = fmt::format("{} of the time one worker executes code between the parallel parts of a run",
                         percent(alone_ns / std::max(1.0, run.workers - 1) / run.times.total_ns));
  return v;
}

profile_verdict chain_verdict(const profiled_run& run, const idle_times& idle) {
  profile_verdict v{
      "chain", run.share(idle.chain_ns), "",
      "Find tasks that need not wait for each other: fork earlier, split the work in another way, await later.", ""};
  if (run.of.span && run.of.span->span_ns != 0) {
    const profiled_span& span = *run.of.span;
    const auto work = static_cast<double>(span.work_ns), longest = static_cast<double>(span.span_ns);
    v.text = fmt::format("parallelism is {:.1f}: the longest chain is {} of {}", work / longest, duration(longest),
                         duration(work));
    if (const profiled_span* const site = longest_chain(run.of)) v.place = site->site;
  } else {
    v.text =
        fmt::format("in {} of the time the tasks are a chain, each waits for the one before, or there is one long task",
                    percent(idle.chain_periods_ns / run.times.total_ns));
  }
  return v;
}

// The part of idle time that more tasks could have used: workers beyond the CPUs have none to run on.
double usable_share(const profiled_run& run) {
  double cpus = run.workers;
  if (run.of.cpus != 0) cpus = std::min(cpus, static_cast<double>(run.of.cpus));
  return (cpus - 1) / (run.workers - 1);
}

}  // namespace

void add_idle_verdicts(const profiled_run& run, std::vector<profile_verdict>& to) {
  if (run.workers < 2) return;
  const std::size_t others = to.size();
  double between_ns = 0, pauses_ns = 0;
  for (const time_span& gap : run.times.between) (gap.ns() >= serial_part_ns_min ? between_ns : pauses_ns) += gap.ns();
  between_ns += std::max(0.0, static_cast<double>(run.of.before_ns) - before_error_ns);
  const idle_times idle = sorted_by_reason(run);
  to.push_back(serial_verdict(run, between_ns, idle.before_first_fork_ns));
  if (idle.chain_ns > 0) to.push_back(chain_verdict(run, idle));
  if (idle.tail_ns > 0) {
    to.push_back(
        {"imbalance", run.share(idle.tail_ns),
         fmt::format("one long task or iteration runs alone at the end, for up to {}, while others wait for it",
                     duration(idle.longest_tail_ns)),
         "Divide it, or let it begin first.", ""});
  }
  const double short_ns = idle.short_ns + pauses_ns * (run.workers - 1);
  if (short_ns > 0) {
    to.push_back(
        {"barriers", run.share(short_ns),
         fmt::format(
             "workers run tasks for {} at a time, and then wait for each other: calls, loops or joins are too short",
             duration(mean_stretch_ns(run.of_main))),
         "Put more work between two joins: larger loops, fewer calls, one run around several loops.", ""});
  }
  double narrow_ns = 0;
  for (const narrow_period& p : run.main.narrow) narrow_ns += p.idle_ns;
  const double rest_ns = run.main.idle_in_runs_ns - narrow_ns;
  if (rest_ns > 0) {
    to.push_back({"idle", run.share(rest_ns),
                  fmt::format("workers find no task for {} of their time", percent(run.share(rest_ns))),
                  "Make more tasks than workers, so that a worker that is done finds another one.", ""});
  }
  const double usable = usable_share(run);
  for (profile_verdict& v : std::span(to).subspan(others)) v.cost *= usable;
}

}  // namespace leat::cli
