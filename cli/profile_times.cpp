#include "profile_times.hpp"

#include <algorithm>
#include <optional>

namespace leat::cli {

namespace {

// A worker's change to another cause. No worker has two at one time but where an interval ends and the next one begins.
struct change {
  std::uint64_t at_ns;
  std::size_t worker;
  cause to;
};

std::vector<change> changes_of(const profiled_runtime& runtime) {
  std::vector<change> changes;
  for (std::size_t w = 0; w < runtime.of_worker.size(); ++w) {
    const std::vector<profile_interval>& intervals = runtime.of_worker[w].intervals;
    for (const profile_interval& i : intervals) changes.push_back({i.begin_ns, w, i.what});
    if (!intervals.empty()) changes.push_back({intervals.back().end_ns, w, cause::outside});
  }
  std::ranges::stable_sort(changes, {}, &change::at_ns);
  return changes;
}

// How many workers have each cause at an instant.
class headcount {
 public:
  explicit headcount(std::size_t workers) : now_(workers, cause::outside) { of(cause::outside) = workers; }

  void apply(const change& c) {
    --of(now_[c.worker]);
    now_[c.worker] = c.to;
    ++of(c.to);
  }

  [[nodiscard]] std::size_t running() const { return counts_[static_cast<std::size_t>(cause::running)]; }
  [[nodiscard]] std::size_t joining() const {
    return counts_[static_cast<std::size_t>(cause::waiting)] + counts_[static_cast<std::size_t>(cause::waiting_asleep)];
  }
  [[nodiscard]] std::size_t idle() const {
    return joining() + counts_[static_cast<std::size_t>(cause::searching)] +
           counts_[static_cast<std::size_t>(cause::asleep)];
  }
  [[nodiscard]] bool in_run() const {
    return running() + joining() + counts_[static_cast<std::size_t>(cause::answering)] +
               counts_[static_cast<std::size_t>(cause::blocked)] !=
           0;
  }

 private:
  std::size_t& of(cause c) { return counts_[static_cast<std::size_t>(c)]; }

  std::vector<cause> now_;
  std::array<std::size_t, cause_count> counts_{};
};

// Merges the stretches of time between changes to runs and narrow periods.
class time_merger {
 public:
  explicit time_merger(runtime_times& to) : to_(to) {}

  void add(time_span part, const headcount& now) {
    if (!now.in_run()) return end_run();
    if (!run_) run_ = {part.begin_ns, part.end_ns};
    run_->end_ns = part.end_ns;
    to_.running_ns[std::min(now.running(), to_.running_ns.size() - 1)] += part.ns();
    const double idle_ns = part.ns() * static_cast<double>(now.idle());
    to_.idle_in_runs_ns += idle_ns;
    if (now.idle() == 0 || 2 * now.idle() < to_.workers) return;
    if (narrow_ && part.begin_ns - narrow_->end_ns > handed_over_ns_max) end_narrow();
    if (!narrow_) {
      narrow_ = {part.begin_ns, part.end_ns};
      narrow_->at_begin = part.begin_ns - run_->begin_ns <= handed_over_ns_max;
    }
    narrow_->end_ns = part.end_ns;
    if (now.running() == 0) narrow_->nobody_ns += part.ns();
    narrow_->idle_ns += idle_ns;
    narrow_->joining_ns += part.ns() * static_cast<double>(now.joining());
  }

  void end_run() {
    if (!run_) return;
    if (narrow_) {
      narrow_->at_end = run_->end_ns - narrow_->end_ns <= handed_over_ns_max;
      end_narrow();
    }
    to_.runs.push_back(*run_);
    run_.reset();
  }

 private:
  void end_narrow() {
    to_.narrow.push_back(*narrow_);
    narrow_.reset();
  }

  runtime_times& to_;
  std::optional<time_span> run_;  // the one under way
  std::optional<narrow_period> narrow_;
};

void add_causes(const profiled_worker& worker, runtime_times& to) {
  const auto has_any = [](const profile_sum& s) { return s.count != 0 || s.ns != 0; };
  const bool summed = std::ranges::any_of(worker.sums, has_any);
  for (std::size_t c = 0; summed && c < cause_count; ++c) to.cause_ns[c] += static_cast<double>(worker.sums[c].ns);
  for (std::size_t i = 0; !summed && i < worker.intervals.size(); ++i) {
    const profile_interval& interval = worker.intervals[i];
    to.cause_ns[static_cast<std::size_t>(interval.what)] += static_cast<double>(interval.end_ns - interval.begin_ns);
  }
}

// Adds the times between the runs of all runtimes.
void add_between(std::uint64_t end_ns, profile_times& to) {
  std::vector<time_span> runs;
  for (const runtime_times& of : to.of_runtime) runs.insert(runs.end(), of.runs.begin(), of.runs.end());
  std::ranges::sort(runs, {}, &time_span::begin_ns);
  std::uint64_t done_ns = 0;
  for (const time_span& run : runs) {
    if (run.begin_ns > done_ns) to.between.push_back({done_ns, run.begin_ns});
    done_ns = std::max(done_ns, run.end_ns);
  }
  if (end_ns > done_ns) to.between.push_back({done_ns, end_ns});
  to.total_ns += static_cast<double>(std::max(end_ns, done_ns));
}

}  // namespace

runtime_times times_of(const profiled_runtime& runtime) {
  runtime_times times;
  times.workers = std::max<std::size_t>(runtime.workers, 1);
  times.running_ns.resize(std::max(times.workers, runtime.of_worker.size()) + 1);
  for (const profiled_worker& worker : runtime.of_worker) add_causes(worker, times);
  headcount now(runtime.of_worker.size());
  time_merger merger(times);
  std::uint64_t at_ns = 0;
  for (const change& c : changes_of(runtime)) {
    if (c.at_ns > at_ns) merger.add({at_ns, c.at_ns}, now);
    at_ns = c.at_ns;
    now.apply(c);
  }
  merger.end_run();
  return times;
}

profile_times times_of(const profile& of) {
  profile_times times;
  times.total_ns = static_cast<double>(of.before_ns);
  for (const profiled_runtime& runtime : of.runtimes) {
    times.of_runtime.push_back(times_of(runtime));
    const double ran_ns = times.of_runtime.back().ns_of(cause::running);
    if (ran_ns > times.of_runtime[times.main].ns_of(cause::running)) times.main = times.of_runtime.size() - 1;
  }
  add_between(of.elapsed_ns, times);
  return times;
}

}  // namespace leat::cli
