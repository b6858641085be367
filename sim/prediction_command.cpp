#include "prediction_command.hpp"

#include "installed_file.hpp"
#include "json_text.hpp"
#include "least_times.hpp"
#include "option_values.hpp"
#include "printable.hpp"
#include "profile_file.hpp"
#include "run_counters.hpp"
#include "table.hpp"

#include <leat/platform/simulation/machine.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string_view>

namespace leat::sim {

namespace {

using nlohmann::ordered_json;

constexpr double second_ns = 1e9;
constexpr double seconds_max = 1e5;

// How long idle workers spin, as in `leat sim`.
constexpr std::uint64_t idle_spin_us = 100;

std::string percentage(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string duration(double seconds) { return fmt::format("{:.6f} s", seconds); }

// What a recording is called beside its profile.
constexpr std::string_view strands = ".strands";

bool has_profile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string begin(cli::profile_begin.size(), 0);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return file && cli::is_profile(begin);
}

// The profile, if it is there, says of what kind the program's runtimes were: "runtime ID KIND WORKERS SCHEDULER". The first one
// counts.
// Another program of the same name, such as a child of the recorded one, may have written the profile later.
void expect_program(const std::string& profile, const std::string& recorded) {
  constexpr std::string_view first = "program ";
  if (!has_profile(profile)) return;
  std::ifstream file(profile);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(first)) continue;
    const std::string of = cli::printable(std::string_view(line).substr(first.size()));
    if (of != recorded)
      throw std::invalid_argument(
          fmt::format("profile '{}': is of '{}', and the recording beside it of '{}'; record each "
                      "under a name of its own, which %p makes of the process's number",
                      profile, of, recorded));
    return;
  }
}

root_of_run root_in(const std::string& profile) {
  constexpr std::string_view first = "runtime 0 ";
  if (!has_profile(profile)) return root_of_run::worker;
  std::ifstream file(profile);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(first)) continue;
    const std::string_view kind = std::string_view(line).substr(first.size());
    return kind.starts_with("team") || kind.starts_with("default") ? root_of_run::caller : root_of_run::worker;
  }
  return root_of_run::worker;
}

// The recording's name, where the profile beside it may have been given.
std::string recording_name(const std::string& given) {
  std::string beside = given + std::string(strands);
  std::error_code unknown;
  const bool is_empty = std::filesystem::file_size(given, unknown) == 0;  // until its program ends
  if (is_empty && std::filesystem::exists(beside)) return beside;
  if (!has_profile(given)) return given;
  if (!std::filesystem::exists(beside)) {
    throw std::invalid_argument(fmt::format(
        "recording '{}': is not beside its profile; a program leaves it if it is linked with leat::profiled, "
        "and LEAT_PROFILE is {},record",
        beside, given));
  }
  return beside;
}

// One number of a list; the whole list is what the message shows.
std::uint64_t worker_count(std::string_view text, const std::string& list) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > workers_max) {
    cli::refuse("--workers", "'" + list + "'",
                fmt::format("must be numbers between 1 and {}, with commas between them", workers_max));
  }
  return count;
}

std::vector<std::uint64_t> worker_list(const std::string& list) {
  std::vector<std::uint64_t> counts;
  std::string_view rest = list;
  for (;;) {
    const std::size_t comma = rest.find(',');
    counts.push_back(worker_count(rest.substr(0, comma), list));
    if (comma == std::string_view::npos) return counts;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace

prediction_command::prediction_command(CLI::App& program) : program_(&program) {
  program
      .add_option("FILE", file_,
                  "The recording, which a program with LEAT_PROFILE=NAME,record leaves in NAME.strands; or NAME")
      ->required();
  flags_.add_to(program);
  program.remove_option(program.get_option("--workers"));
  program
      .add_option("--workers", workers_,
                  "Numbers of workers, with commas between them; else 1, 2, 4, ... up to 64, or to the machine's units")
      ->type_name("LIST");
  program
      .add_option("--machine", machines_,
                  "Machine files, or names of leat's machines; else a flat machine like a two-core Xeon")
      ->type_name("NAME...")
      ->expected(1, -1);
  program
      .add_option("--again", again_,
                  "More recordings of the same computation; each strand takes the least of its times")
      ->type_name("FILE...")
      ->expected(1, -1);
  cli::add_number(program, "--one", one_seconds_,
                  "Seconds that the whole program takes with one worker and without a profile; corrects all strands")
      ->default_str("");
  cli::add_number(program, "--seed", seed_, "Seed of victim selection");
  program.add_flag("--no-interrupts", no_interrupts_, "Do not interrupt workers in long tasks");
  program.add_flag("--json", json_, "Print JSON");
  cli::add_no_progress(program, no_progress_);
}

std::vector<prediction_command::place> prediction_command::places() const {
  std::vector<place> all;
  for (const std::string& given : machines_) {
    if (given.empty()) cli::refuse("--machine", "''", "must be a file, or a name");
    place p;
    p.name = given;
    p.file = cli::installed_file("machines", given);
    const auto machine = leat::platform::machine::read(p.file);
    p.units = machine.units();
    p.work_slowdown = machine.work_slowdown;
    all.push_back(std::move(p));
  }
  if (all.empty()) all.emplace_back();
  return all;
}

std::vector<std::uint64_t> prediction_command::worker_counts(const place& where) const {
  constexpr std::uint64_t flat_units = 64;
  if (program_->count("--workers") != 0) return worker_list(workers_);
  const std::uint64_t most = where.units == 0 ? flat_units : where.units;
  std::vector<std::uint64_t> counts;
  for (std::uint64_t workers = 1; workers < most; workers *= 2) counts.push_back(workers);
  counts.push_back(most);
  return counts;
}

leat::options prediction_command::workers_options(std::uint64_t workers) const {
  leat::options o = flags_.options();
  o.workers = workers;
  o.seed = static_cast<std::uint64_t>(seed_);
  o.spin_us = o.spin_us.value_or(idle_spin_us);
  if (no_interrupts_) o.interrupt_after_us = 0;
  return o;
}

void prediction_command::run() {
  if (seed_ < 0) cli::refuse("--seed", std::to_string(seed_), "must not be negative");
  if (program_->count("--one") != 0 && !(one_seconds_ > 0 && one_seconds_ < seconds_max))
    cli::refuse("--one", fmt::format("{}", one_seconds_),
                fmt::format("must be above 0, and less than {}", seconds_max));
  static_cast<void>(workers_options(1));
  if (program_->count("--workers") != 0) static_cast<void>(worker_list(workers_));
  const std::vector<place> all = places();
  cli::progress shown(!no_progress_);
  {
    const cli::progress::step now(shown, "reading");
    read();
  }
  if (program_->count("--one") != 0) {
    const cli::progress::step now(shown, "correcting strands");
    remove_bias();
  }
  std::vector<row> rows;
  for (const place& where : all) {
    for (const std::uint64_t workers : worker_counts(where)) {
      row r{&where, workers, std::nullopt};
      if (where.units == 0 || workers <= where.units) {
        const cli::progress::step now(shown, fmt::format("{} workers, {}", workers, where.name));
        simulation_options how;
        how.machine = where.file;
        how.seed = static_cast<std::uint64_t>(seed_);
        r.found = predict(recording_, found_, how, workers_options(workers), root_);
      }
      rows.push_back(std::move(r));
    }
  }
  if (json_) report_json(rows);
  else report_text(rows);
}

void prediction_command::read() {
  const std::string profile = file_.ends_with(strands) ? file_.substr(0, file_.size() - strands.size()) : file_;
  root_ = root_in(profile);
  recording_ = read_recording(recording_name(file_));
  found_ = walk(recording_);
  if (found_.whole.strands == 0)
    throw std::invalid_argument(
        fmt::format("recording '{}': has no strands: the program executed no run", recording_name(file_)));
  expect_program(profile, recording_.program);
  for (const std::string& again : again_) take_least_times_of(again);
  if (!again_.empty()) found_ = walk(recording_);
}

void prediction_command::take_least_times_of(const std::string& again) {
  const recording other = read_recording(recording_name(again));
  try {
    take_least_times(recording_, other);
  } catch (const std::invalid_argument& error) {
    cli::refuse("--again", "'" + again + "'", error.what());
  }
}

// Only strands are corrected. What the scheduler, blocking calls and code outside of runs take is subtracted from --one first.
void prediction_command::remove_bias() {
  const auto outside_strands = static_cast<double>(found_.whole.blocking_ns + found_.whole.outside_ns) / second_ns;
  const double recorded = static_cast<double>(found_.whole.serial_ns()) / second_ns;
  const double scheduler = predict(recording_, found_, {}, workers_options(1), root_).seconds - recorded;
  const double work = one_seconds_ - scheduler - outside_strands;
  if (work <= 0) {
    cli::refuse("--one", fmt::format("{}", one_seconds_),
                fmt::format("must be above {:.3g} s, which the scheduler and the code outside of strands take",
                            scheduler + outside_strands));
  }
  mean_strand_ns_ =
      static_cast<double>(found_.whole.work_ns) / std::max(1.0, static_cast<double>(found_.whole.strands));
  bias_ = sim::remove_bias(recording_, work * second_ns);
  found_ = walk(recording_);
}

// On the machine, on one core: its file says how much longer work takes there than where it was recorded.
double prediction_command::serial_seconds(const place& where) const {
  const work_and_span& w = found_.whole;
  return (static_cast<double>(w.work_ns) * where.work_slowdown + static_cast<double>(w.blocking_ns)) / second_ns;
}

// The work law: the speed-up is at most the number of workers. Time in leat::blocking needs none, and raises the limit.
double prediction_command::work_bound(const row& r) const {
  const double work = static_cast<double>(found_.whole.work_ns) * r.where->work_slowdown / second_ns;
  const auto workers = static_cast<double>(r.workers);
  return work == 0 ? workers : workers * serial_seconds(*r.where) / work;
}

// The span law: no number of workers is faster than the longest chain.
double prediction_command::span_bound() const {
  const work_and_span& w = found_.whole;
  return w.span_ns == 0 ? 1 : static_cast<double>(w.serial_ns()) / static_cast<double>(w.span_ns);
}

std::vector<std::string> prediction_command::remarks(const std::vector<row>& rows) const {
  std::vector<std::string> all;
  if (!again_.empty())
    all.push_back(fmt::format("each strand takes the least of its times in {} recordings", again_.size() + 1));
  if (bias_.ns > 0) all.push_back(fmt::format("each strand is taken as {:.1f} ns shorter than recorded", bias_.ns));
  if (bias_.ns > mean_strand_ns_)
    all.push_back(
        fmt::format("that is more than {:.1f} ns, which a strand takes on average: the recording was interrupted, or "
                    "--one is not the time of this program; record again, or give several recordings (--again)",
                    mean_strand_ns_));
  constexpr double implausible = 3;
  if (bias_.factor > 1) {
    all.push_back(fmt::format("each strand is taken as {:.3g} times as long as recorded{}", bias_.factor,
                              bias_.factor > implausible ? ": is --one the time of this program, in seconds?" : ""));
  }
  if (!recording_.all_sums.empty()) {
    const std::size_t many = recording_.all_sums.size();
    all.push_back(fmt::format("of {} subtree{} only the sums were recorded: {} of the work", many, many == 1 ? "" : "s",
                              duration(static_cast<double>(found_.sums_work_ns) / second_ns)));
  }
  if (recording_.skipped_tasks != 0) {
    all.push_back(fmt::format("{} spawned task{} not executed: cancelled, or after the end of the recording",
                              recording_.skipped_tasks, recording_.skipped_tasks == 1 ? " was" : "s were"));
  }
  if (recording_.missing_iterations != 0)
    all.push_back(
        fmt::format("{} iterations were not executed, as their loops ended early", recording_.missing_iterations));
  std::uint64_t unordered = 0;
  for (const row& r : rows) unordered = std::max(unordered, r.found ? r.found->unordered_awaits : 0);
  if (unordered != 0)
    all.push_back(fmt::format("{} waits for futures came before these were made: what ordered the two is not recorded",
                              unordered));
  return all;
}

void prediction_command::report_text(const std::vector<row>& rows) const {
  const work_and_span& w = found_.whole;
  const auto seconds = [](std::uint64_t ns) { return duration(static_cast<double>(ns) / second_ns); };
  std::cout << fmt::format("{}, recorded by {} thread{}\n", recording_.program, recording_.workers,
                           recording_.workers == 1 ? "" : "s");
  std::cout << fmt::format("  work {} in {} strands, {} of it outside of runs", seconds(w.work_ns), w.strands,
                           seconds(w.outside_ns));
  if (w.blocking_ns != 0) std::cout << fmt::format("; {} in calls that block", seconds(w.blocking_ns));
  std::cout << fmt::format("\n  span {}, parallelism {:.2f}\n", seconds(w.span_ns), span_bound());
  for (const std::string& remark : remarks(rows)) std::cout << "  " << remark << '\n';
  std::cout << '\n';
  cli::table t(
      {"machine", "workers", "time", "speed-up", "work law", "span law", "working", "runtime", "searching", "asleep"});
  for (const row& r : rows) {
    const std::string name = r.where->name.empty() ? "flat" : r.where->name;
    if (!r.found) {
      t.add({name, std::to_string(r.workers), fmt::format("none: has {} units", r.where->units), "", "", "", "", "", "",
             ""});
      continue;
    }
    const simulated_run::shares& s = r.found->world.spent;
    const double speedup = r.found->seconds == 0 ? 1 : serial_seconds(*r.where) / r.found->seconds;
    t.add({name, std::to_string(r.workers), duration(r.found->seconds), fmt::format("{:.2f}", speedup),
           fmt::format("{:.2f}", work_bound(r)), fmt::format("{:.2f}", span_bound()), percentage(s.work),
           percentage(s.memory + s.lines + s.waking), percentage(s.spinning), percentage(s.asleep)});
  }
  std::cout << t.to_text();
}

ordered_json prediction_command::json_of(const row& r) const {
  ordered_json j{{"machine", r.where->name}, {"workers", r.workers}};
  if (!r.found) {
    j["units"] = r.where->units;
    j["seconds"] = nullptr;
    return j;
  }
  const simulated_run::shares& s = r.found->world.spent;
  const double serial = serial_seconds(*r.where);
  j["seconds"] = r.found->seconds;
  j["serial_seconds"] = serial;
  j["speedup"] = r.found->seconds == 0 ? ordered_json() : ordered_json(serial / r.found->seconds);
  j["bounds"] = {{"work", work_bound(r)}, {"span", span_bound()}};
  j["spent"] = {{"work", s.work},         {"memory", s.memory}, {"lines", s.lines},
                {"spinning", s.spinning}, {"waking", s.waking}, {"asleep", s.asleep}};
  j["steps"] = r.found->world.steps;
  j["trace"] = fmt::format("{:016x}", r.found->world.trace);
  j["counters"] = cli::to_json(r.found->counters);
  return j;
}

void prediction_command::report_json(const std::vector<row>& rows) const {
  const work_and_span& w = found_.whole;
  ordered_json all = ordered_json::array();
  for (const row& r : rows) all.push_back(json_of(r));
  const ordered_json j{{"recording", file_},
                       {"again", again_},
                       {"program", recording_.program},
                       {"recorded_threads", recording_.workers},
                       {"sampled", recording_.sampled},
                       {"bias_ns", bias_.ns},
                       {"strand_factor", bias_.factor},
                       {"subtrees_of_sums", recording_.all_sums.size()},
                       {"sums_work_ns", found_.sums_work_ns},
                       {"work_ns", w.work_ns},
                       {"blocking_ns", w.blocking_ns},
                       {"outside_ns", w.outside_ns},
                       {"span_ns", w.span_ns},
                       {"strands", w.strands},
                       {"parallelism", span_bound()},
                       {"scheduler", workers_options(1).resolved().scheduler.value()},
                       {"seed", seed_},
                       {"remarks", remarks(rows)},
                       {"predictions", std::move(all)}};
  std::cout << cli::as_text(j) << '\n';
}

}  // namespace leat::sim
