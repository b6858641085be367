#include "loop_command.hpp"

#include "capacity.hpp"
#include "loop_kernel.hpp"
#include "loop_rivals.hpp"
#include "measurement.hpp"
#include "memory.hpp"
#include "result_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace leat::cli {

namespace loop = kernels::loop;

namespace {

using nlohmann::ordered_json;

// The chunk sizes are searched with so many runs of each, if as many are asked for.
constexpr unsigned rounds_max = 3;

// One loop and all that was found out about it.
struct loop_report {
  measurement m;
  std::int64_t iterations = 0;
  std::vector<loop_rival> rivals;
  counted_run counted;
  result_check check;

  [[nodiscard]] double seconds_of(const loop_rival& r) const {
    return m.times.seconds_of(name(r.schedule)).value_or(0);
  }

  /// The fastest rival; null if there is none.
  [[nodiscard]] const loop_rival* best() const {
    const auto found = std::ranges::min_element(rivals, {}, [this](const loop_rival& r) { return seconds_of(r); });
    return found == rivals.end() ? nullptr : &*found;
  }

  /// What all workers spent beyond the serial loop, as a part of that.
  [[nodiscard]] std::optional<double> overhead() const {
    const std::optional<double> speedup = m.speedup();
    if (!speedup) return std::nullopt;
    return m.workers / *speedup - 1;
  }
};

ordered_json results_of(const loop_report& r) {
  const double iterations = static_cast<double>(r.iterations);
  ordered_json results = {
      {"iterations", r.iterations},
      {"ns_per_iteration", r.m.times.seconds * 1e9 / iterations},
      {"overhead", or_null(r.overhead())},
      {"iterations_per_split", iterations / static_cast<double>(r.m.times.counters[event::splits] + 1)},
      {"openmp", ordered_json()},
      {"best_openmp", ordered_json()},
      {"of_best_openmp", ordered_json()},
      {"counted", to_json(r.counted)},
  };
  for (const loop_rival& rival : r.rivals) {
    results["openmp"][std::string(name(rival.schedule))] = {
        {"chunk", rival.chunk == 0 ? ordered_json() : ordered_json(rival.chunk)}, {"seconds", r.seconds_of(rival)}};
  }
  if (const loop_rival* const best = r.best()) {
    results["best_openmp"] = name(best->schedule);
    results["of_best_openmp"] = r.m.times.seconds / r.seconds_of(*best);
  }
  return results;
}

std::string schedule_of(const loop_rival& r) {
  const std::string_view schedule = name(r.schedule);
  return r.chunk == 0 ? std::string(schedule) : fmt::format("{}, chunk {}", schedule, r.chunk);
}

std::string to_text(const loop_report& r, const loop::parameters& p) {
  std::string text = fmt::format("loop ({}; {} iterations)\n", in_words(p), r.iterations) + to_text(r.m);
  text += fmt::format("splits    {} (last run); {:.2f} ns an iteration\n", r.m.times.counters[event::splits],
                      r.m.times.seconds * 1e9 / static_cast<double>(r.iterations));
  if (const auto overhead = r.overhead()) {
    text += fmt::format("overhead  {:.2f} % of the serial loop, in all workers\n", *overhead * 100);
  }
  for (const loop_rival& rival : r.rivals) {
    text += fmt::format("ratio     {:.4f} of OpenMP ({}){}\n", r.m.times.seconds / r.seconds_of(rival),
                        schedule_of(rival), &rival == r.best() ? ", the best" : "");
  }
  if (r.rivals.empty()) {
    text += fmt::format("OpenMP    {}\n", loop::openmp_available() ? "left out" : "not in this build");
  }
  text += to_text(r.counted, "iteration");
  text += r.check.ok() ? fmt::format("result    ok, {} iterations ran once\n", r.iterations)
                       : fmt::format("result    WRONG: {}\n", r.check.failure());
  return text;
}

}  // namespace

loop_command::loop_command(CLI::App& bench)
    : command_(bench.add_subcommand(
          "loop", "Parallel loops (5.4.1 of Prell's thesis), beside OpenMP's with their best chunk sizes")) {
  add_options(*command_, parameters_);
  command_->add_flag("--no-openmp", no_openmp_, "Skip OpenMP's loops");
  flags_.add_to(*command_);
}

int loop_command::run() const {
  parameters_.validate();
  return with_memory_for("bench loop with " + in_words(parameters_), [this] { return measure_loop(); });
}

int loop_command::measure_loop() const {
  const unsigned repeat = flags_.repeat();
  const leat::options options = flags_.options();
  const bool capacity_too = flags_.capacity();
  progress shown(flags_.shows_progress());
  loop_report report;
  loop::workload work(parameters_);
  report.iterations = work.iterations();
  measurement& m = report.m;
  m.benchmark = name();
  m.parameters = to_json(parameters_);
  m.repeat = repeat;
  m.steal = flags_.steal();
  m.choices = choices_json(options);
  const auto checked = [&](const char* program, double seconds) {
    report.check.take(program, work.take_count(), static_cast<std::uint64_t>(work.iterations()));
    return seconds;
  };
  {
    auto rt = start<runtime>(options);
    m.scheduler = rt.scheduler();
    m.workers = rt.workers();
    if (!no_openmp_) report.rivals = find_rivals(work, m.workers, std::min(repeat, rounds_max), report.check, shown);
    std::vector<reference> references;
    if (flags_.serial()) references.push_back({"serial", [&] { return checked("serial", loop::serial(work)); }});
    std::vector<loop::workload> own;
    if (capacity_too) {
      own.assign(m.workers, loop::workload(parameters_));
      references.push_back(capacity(m.workers, [&](unsigned thread) { return loop::serial(own[thread]); }));
    }
    for (const loop_rival& r : report.rivals) {
      references.push_back(
          {std::string(loop::name(r.schedule)), [&] { return time_rival(r, work, m.workers, report.check); }});
    }
    m.times = measure(
        rt, repeat, references, [&] { return checked("parallel", loop::parallel(rt, work, parameters_)); }, shown);
  }
  // After the timed runs, whose workers are gone by now.
  report.counted = count_operations(parameters_, options, report.check);
  m.result_ok = report.check.ok();
  m.results = results_of(report);
  std::cout << (flags_.json() ? to_json(m).dump(2) + "\n" : to_text(report, parameters_));
  if (!report.check.ok()) std::cerr << "leat: bench loop: " << report.check.failure() << '\n';
  return report.check.ok() ? 0 : 1;
}

}  // namespace leat::cli
