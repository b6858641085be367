#include "profile_file.hpp"

#include "profile_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace leat::cli {

namespace {

constexpr std::string_view first_line = "leat profile 1", last_line = "complete";
constexpr std::uint64_t workers_of_profile_max = 65'536;

// Puts lines together to a profile.
class profile_reader {
 public:
  profile_reader(std::string_view text, const std::string& file)
      : lines_(text, file), file_(file), is_empty_(text.empty()) {}

  profile read() {
    if (is_empty_) throw std::invalid_argument(file_ + ": is empty: the program still runs, or was killed");
    if (!lines_.next() || lines_.rest() != first_line)
      lines_.refuse(lines_.rest(), fmt::format("a profile begins with '{}'", first_line));
    bool is_complete = false;
    while (lines_.next()) {
      if (lines_.rest().empty()) continue;
      const std::string_view kind = lines_.word("a record");
      is_complete = worker_ == nullptr && kind == last_line;
      if (is_complete) break;
      const bool known = worker_ == nullptr ? read_head(kind) : read_of_worker(kind) || read_times(kind);
      if (!known)
        lines_.refuse(kind, worker_ == nullptr ? "no such record here" : "no such record in the section of a worker");
      lines_.expect_end();
    }
    if (worker_ != nullptr) throw std::invalid_argument(file_ + ": the section of the last worker has no end");
    if (!is_complete) {
      throw std::invalid_argument(
          fmt::format("{}: is cut off, as its last line is not '{}': the program was killed, or the disk is full",
                      file_, last_line));
    }
    lines_.expect_end();
    if (found_.elapsed_ns == 0) throw std::invalid_argument(file_ + ": elapsed is missing, or 0");
    return std::move(found_);
  }

 private:
  bool read_head(std::string_view kind) {
    if (kind == "program") {
      found_.program = lines_.rest();
      lines_.word("the program");
      while (!lines_.rest().empty()) lines_.word("");
    } else if (kind == "elapsed") {
      found_.elapsed_ns = lines_.number("nanoseconds");
    } else if (kind == "before") {
      found_.before_ns = lines_.number("nanoseconds");
    } else if (kind == "cpus") {
      found_.cpus = lines_.number("CPUs");
    } else if (kind == "quota") {
      if (lines_.rest() == "none") lines_.word("");
      else found_.quota_cpus = lines_.fraction("CPUs");
    } else if (kind == "throttled") {
      if (lines_.rest() == "none") lines_.word("");
      else found_.throttled_ns = lines_.number("nanoseconds");
    } else {
      return read_use(kind) || read_section(kind);
    }
    return true;
  }

  bool read_use(std::string_view kind) {
    if (kind == "usage") {
      found_.user_ns = lines_.number("nanoseconds of the user");
      found_.system_ns = lines_.number("nanoseconds of the system");
      found_.minor_faults = lines_.number("page faults");
      found_.major_faults = lines_.number("page faults with a read");
    } else if (kind == "gap_cost") {
      found_.gap_cost_ns = lines_.number("nanoseconds");
    } else if (kind == "span") {
      found_.span = read_span("");
    } else if (kind == "site") {
      found_.sites.push_back(read_span(std::string(lines_.word("a call site"))));
    } else {
      return false;
    }
    return true;
  }

  profiled_span read_span(std::string site) {
    profiled_span span{std::move(site)};
    span.work_ns = lines_.number("work");
    span.span_ns = lines_.number("span");
    span.burdened_ns = lines_.number("burdened span");
    span.count = lines_.number("a count");
    return span;
  }

  bool read_section(std::string_view kind) {
    if (kind == "runtime") {
      profiled_runtime& made = found_.runtimes.emplace_back();
      made.id = lines_.number("the runtime's number");
      made.kind = lines_.word("the kind of runtime");
      made.workers = lines_.number("workers", workers_of_profile_max);
      made.scheduler = lines_.word("the scheduler");
    } else if (kind == "worker") {
      const std::string_view of = lines_.rest();
      const std::uint64_t id = lines_.number("the runtime's number");
      const auto runtime = std::ranges::find(found_.runtimes, id, &profiled_runtime::id);
      if (runtime == found_.runtimes.end()) lines_.refuse(of, "there is no such runtime");
      worker_ = &runtime->of_worker.emplace_back();
      worker_->number = lines_.number("the worker's number", workers_of_profile_max);
      at_ns_ = 0;
    } else {
      return false;
    }
    return true;
  }

  bool read_of_worker(std::string_view kind) {
    if (kind == "counter") {
      const std::string name(lines_.word("the counter's name"));
      worker_->counters[name] = lines_.number("the counter");
    } else if (kind == "ran") {
      worker_->ran_ns = lines_.number("nanoseconds");
    } else if (kind == "queued") {
      worker_->queued_ns = lines_.number("nanoseconds");
    } else if (kind == "samples") {
      worker_->samples = lines_.number("samples", samples_max);
    } else if (kind == "call") {
      constexpr std::uint64_t calls_max = 1'000'000;
      const auto number = static_cast<unsigned>(lines_.number("the system call's number", calls_max));
      worker_->calls[number] += lines_.number("samples inside the call, of all samples,", worker_->samples);
    } else if (kind == "gap") {
      constexpr std::uint64_t log2_max = 63;
      profile_gaps& made = worker_->gaps.emplace_back();
      made.log2 = static_cast<unsigned>(lines_.number("the bucket", log2_max));
      made.count = lines_.number("a count");
      made.total_ns = lines_.number("nanoseconds");
    } else {
      return false;
    }
    return true;
  }

  bool read_times(std::string_view kind) {
    if (kind == "end") {
      worker_ = nullptr;
    } else if (kind == "times") {
      static_cast<void>(lines_.number("nanoseconds"));  // the resolution, which nothing here asks for
    } else if (kind == "at") {
      if (!worker_->intervals.empty()) lines_.refuse(lines_.rest(), "the first interval has begun already");
      at_ns_ = lines_.number("nanoseconds");
    } else if (kind == "sum") {
      profile_sum& sum = worker_->sums[static_cast<std::size_t>(letter(lines_.word("a cause")))];
      sum.ns = lines_.number("nanoseconds");
      sum.count = lines_.number("a count");
    } else if (kind.size() == 1) {
      read_interval(letter(kind));
    } else {
      return false;
    }
    return true;
  }

  void read_interval(cause what) {
    const std::string_view text = lines_.rest();
    const std::uint64_t ns = lines_.number("nanoseconds");
    if (ns > profile_lines::most - at_ns_) lines_.refuse(text, "the interval ends later than any clock says");
    if (ns != 0) worker_->intervals.push_back({what, at_ns_, at_ns_ + ns});
    at_ns_ += ns;
  }

  [[nodiscard]] cause letter(std::string_view text) const {
    const std::size_t at = text.size() == 1 ? cause_letters.find(text) : std::string_view::npos;
    if (at == std::string_view::npos) lines_.refuse(text, fmt::format("a cause is one of {}", cause_letters));
    return static_cast<cause>(at);
  }

  static constexpr std::uint64_t samples_max = 1'000'000'000'000;

  profile_lines lines_;
  const std::string& file_;
  const bool is_empty_;
  profile found_;
  profiled_worker* worker_ = nullptr;  // whose section is open
  std::uint64_t at_ns_ = 0;            // where its next interval begins
};

}  // namespace

std::uint64_t most_workers(const profile& of) {
  std::uint64_t most = 1;
  for (const profiled_runtime& runtime : of.runtimes) most = std::max(most, runtime.workers);
  return most;
}

profile read_profile(std::string_view text, const std::string& file) { return profile_reader(text, file).read(); }

}  // namespace leat::cli
