#include "drawn_times.hpp"

#include <algorithm>
#include <array>

namespace leat::cli {

namespace {

// Short intervals that follow each other.
class short_ones {
 public:
  void add(const profile_interval& i) {
    if (empty()) whole_.begin_ns = i.begin_ns;
    whole_.end_ns = i.end_ns;
    of_cause_[static_cast<std::size_t>(i.what)] += i.end_ns - i.begin_ns;
  }

  [[nodiscard]] bool empty() const { return whole_.end_ns == whole_.begin_ns; }
  [[nodiscard]] std::uint64_t ns() const { return whole_.end_ns - whole_.begin_ns; }

  void move_to(std::vector<profile_interval>& intervals) {
    if (empty()) return;
    whole_.what = static_cast<cause>(std::ranges::max_element(of_cause_) - of_cause_.begin());
    if (!intervals.empty() && intervals.back().what == whole_.what && intervals.back().end_ns == whole_.begin_ns)
      intervals.back().end_ns = whole_.end_ns;
    else intervals.push_back(whole_);
    *this = {};
  }

 private:
  profile_interval whole_;
  std::array<std::uint64_t, cause_count> of_cause_{};
};

std::vector<profile_interval> merged(const std::vector<profile_interval>& all, std::uint64_t resolution_ns) {
  if (resolution_ns == 0) return all;
  std::vector<profile_interval> intervals;
  short_ones open;
  for (const profile_interval& i : all) {
    if (i.end_ns - i.begin_ns >= resolution_ns) {
      open.move_to(intervals);
      intervals.push_back(i);
    } else {
      open.add(i);
      if (open.ns() >= resolution_ns) open.move_to(intervals);
    }
  }
  open.move_to(intervals);
  return intervals;
}

}  // namespace

drawn_times drawn(const profile& of, std::size_t most) {
  drawn_times times;
  std::uint64_t end_ns = of.elapsed_ns;
  std::size_t count = 0;
  for (const profiled_runtime& runtime : of.runtimes) {
    for (const profiled_worker& worker : runtime.of_worker) {
      times.workers.push_back({&runtime, &worker, {}});
      count += worker.intervals.size();
      if (!worker.intervals.empty()) end_ns = std::max(end_ns, worker.intervals.back().end_ns);
    }
  }
  if (count > most) times.resolution_ns = end_ns / std::max<std::size_t>(1, most / times.workers.size()) + 1;
  for (drawn_worker& drawn : times.workers) drawn.intervals = merged(drawn.worker->intervals, times.resolution_ns);
  return times;
}

}  // namespace leat::cli
