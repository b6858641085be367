#include "cluster_command.hpp"

#include "kernels/range.hpp"
#include "measurement.hpp"
#include "option_values.hpp"
#include "parse_failure.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <iostream>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace leat::cli {

namespace {

// Of more ranks the text gives the range.
constexpr std::size_t ranks_listed_max = 16;

constexpr int failed = 1;     // a wrong result, or a run that could not be done
constexpr int bad_input = 2;  // wrong options or parameters

double in_seconds(std::uint64_t ns) { return 1e-9 * static_cast<double>(ns); }

// What the value of a flag in seconds is.
std::uint64_t in_us(const char* flag, double seconds) {
  constexpr double seconds_max = 1e9;
  if (!(seconds >= 0 && seconds <= seconds_max)) {
    refuse(flag, fmt::format("{}", seconds), fmt::format("must be 0 to {}", seconds_max));
  }
  return static_cast<std::uint64_t>(std::ceil(1e6 * seconds));
}

nlohmann::ordered_json rank_json(const rank_counters& counters) {
  nlohmann::ordered_json all;
  for (std::size_t i = 0; i < rank_events; ++i) {
    const auto e = static_cast<rank_event>(i);
    all[std::string(name(e))] = counters[e];
  }
  return all;
}

std::string to_text(const rank_counters& c) {
  return fmt::format(
      "requests  {} ({} answered with work, {} prefetches of which {} were)\n"
      "moved     {} tasks, {} bytes\n"
      "idle      {:.6f} s until work came, {:.6f} s at the end, all ranks\n",
      c[rank_event::requests], c[rank_event::answers_work], c[rank_event::prefetches], c[rank_event::prefetches_met],
      c[rank_event::tasks_given], c[rank_event::bytes_given], in_seconds(c[rank_event::idle_seeking_ns]),
      in_seconds(c[rank_event::idle_ending_ns]));
}

std::string ranks_in_words(std::uint32_t ranks) { return fmt::format("{} rank{}", ranks, ranks == 1 ? "" : "s"); }

}  // namespace

// Tasks that each rank has expanded.
struct tasks_by_rank {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> by_rank;

  static tasks_by_rank both(tasks_by_rank a, const tasks_by_rank& b) {
    a.by_rank.insert(a.by_rank.end(), b.by_rank.begin(), b.by_rank.end());
    return a;
  }

  [[nodiscard]] std::vector<std::uint64_t> in_order() const {
    std::vector<std::uint64_t> tasks(by_rank.size());
    for (const auto& [rank, its] : by_rank) tasks.at(rank) = its;
    return tasks;
  }

  [[nodiscard]] std::string to_text() const {
    std::vector<std::uint64_t> tasks = in_order();
    if (tasks.size() <= ranks_listed_max) return fmt::format("by rank   {} nodes\n", fmt::join(tasks, ", "));
    std::ranges::sort(tasks);
    return fmt::format("by rank   {} to {} nodes, half of the ranks {} at most\n", tasks.front(), tasks.back(),
                       tasks[(tasks.size() - 1) / 2]);
  }
};

}  // namespace leat::cli

template <>
struct leat::packing<leat::cli::tasks_by_rank> {
  static void pack(const cli::tasks_by_rank& tasks, std::vector<std::byte>& out) {
    packing<std::uint64_t>::pack(tasks.by_rank.size(), out);
    for (const auto& one : tasks.by_rank) {
      packing<std::uint32_t>::pack(one.first, out);
      packing<std::uint64_t>::pack(one.second, out);
    }
  }
  static cli::tasks_by_rank unpack(std::span<const std::byte>& in) {
    cli::tasks_by_rank tasks;
    for (auto left = packing<std::uint64_t>::unpack(in); left != 0; --left) {
      const auto rank = packing<std::uint32_t>::unpack(in);
      tasks.by_rank.emplace_back(rank, packing<std::uint64_t>::unpack(in));
    }
    return tasks;
  }
};

namespace leat::cli {

struct cluster_command::times {
  std::vector<double> serial;
  std::vector<double> seconds;
};

struct cluster_command::outcome {
  std::uint32_t ranks;
  std::optional<double> serial;  // the medians, in seconds
  double seconds;
  rank_counters counters;  // of all ranks and runs
  tasks_by_rank tasks;     // of all runs
  bool ok;
  std::string failure;

  [[nodiscard]] std::optional<double> speedup() const {
    return serial ? std::optional(*serial / seconds) : std::nullopt;
  }
};

bool asks_for_cluster(int argc, const char* const* argv) {
  if (argc < 3) return false;
  const auto programs = cluster_programs();
  return std::ranges::any_of(programs, [argv](const auto& p) { return p->name() == argv[1]; }) &&
         std::any_of(argv + 2, argv + argc, [](std::string_view word) { return word == "--cluster"; });
}

cluster_command::cluster_command(CLI::App& program, std::unique_ptr<cluster_program> what)
    : command_(program.add_subcommand(what->name(), what->about())),
      what_(std::move(what)),
      workers_(options_.workers) {
  command_->add_flag("--cluster")->description("Count on all ranks; for more than one, run it under mpiexec");
  what_->add_to(*command_);
  rounds_.add_to(*command_);
  add_number(*command_, "--workers", workers_, "Workers of each rank, including the thread that starts it");
  flags_.add_to(*command_);
  command_->add_option("--snapshot", keep_.file, "The file of snapshots, for --snapshot-every and --resume")
      ->type_name("FILE");
  add_number(*command_, "--snapshot-every", snapshot_every_s_,
             "Seconds between two snapshots of the open work and the results so far; 0: never");
  command_->add_flag("--resume", keep_.resume,
                     "Go on from the file, which must be of the same problem, with any number of ranks");
  add_number(
      *command_, "--progress-every", progress_every_s_,
      "Seconds between two lines on standard error that say how many tasks rank 0 has expanded, with another at the "
      "end of each run; 0: never");
}

void cluster_command::choose() {
  what_->choose();
  kernels::check_range("--workers", workers_, 1, workers_max);
  options_ = flags_.chosen(workers_);
  choose_snapshots();
  progress_every_us_ = in_us("--progress-every", progress_every_s_);
}

std::string cluster_command::in_options() const {
  std::string all = fmt::format("{} {} --engine {} --repeat {}", what_->name(), what_->in_options(), options_.engine,
                                rounds_.repeat());
  if (keep_.every_us != 0) all += fmt::format(" --snapshot-every {}", snapshot_every_s_);
  return all + (keep_.resume ? " --resume" : "");
}

int cluster_command::run(std::unique_ptr<ranks::transport> by) {
  cluster on(std::move(by), options_);
  return measure(on);
}

void cluster_command::choose_snapshots() {
  keep_.every_us = in_us("--snapshot-every", snapshot_every_s_);
  if (keep_.file.empty() && (keep_.resume || snapshot_every_s_ != 0)) {
    refuse("--snapshot", "''", "--snapshot-every and --resume need a file");
  }
  if (!keep_.file.empty() && !keep_.resume && snapshot_every_s_ == 0) {
    refuse("--snapshot", keep_.file, "nothing is written or read without --snapshot-every or --resume");
  }
  keep_.name = what_->in_options();
}

int cluster_command::measure(cluster& on) {
  const times taken = run_in_rounds(on);
  const rank_counters counters = on.reduce(on.counters(), std::plus<>{});
  const tasks_by_rank tasks =
      on.reduce(tasks_by_rank{{{on.rank(), on.counters()[rank_event::tasks]}}}, &tasks_by_rank::both);
  const bool ok = on.reduce(what_->ok(), std::logical_and<>{});
  if (on.rank() == 0) {
    const outcome all{.ranks = on.ranks(),
                      .serial = taken.serial.empty() ? std::nullopt : std::optional(median(taken.serial)),
                      .seconds = median(taken.seconds),
                      .counters = counters,
                      .tasks = tasks,
                      .ok = ok,
                      .failure = what_->failure()};
    std::cout << (rounds_.json() ? json_report(all).dump(2) + '\n' : text_report(all));
  }
  return ok ? 0 : failed;
}

// Whole lines, which stay: standard error may be a file, or another machine's.
void cluster_command::show_progress(cluster& on) const {
  if (on.rank() != 0) return;
  const std::uint64_t before = on.counters()[rank_event::tasks];
  const auto begun = std::chrono::steady_clock::now();
  on.show_progress(progress_every_us_, [before, begun](const rank_counters& c) {
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
    const std::string line = fmt::format("rank 0: {} tasks, {:.1f} s\n", c[rank_event::tasks] - before, taken.count());
    std::fputs(line.c_str(), stderr);  // where it cannot be written the run goes on
  });
}

cluster_command::times cluster_command::run_in_rounds(cluster& on) {
  const auto meet = [&] { (void)on.reduce(0, std::plus<>{}); };
  const unsigned repeat = rounds_.repeat();
  times taken;
  progress shown(rounds_.shows_progress() && on.rank() == 0 && progress_every_us_ == 0);
  for (unsigned i = 0; i < repeat; ++i) {
    const std::string run = fmt::format("run {} of {}: ", i + 1, repeat);
    if (rounds_.serial() && on.rank() == 0) {
      const progress::step now(shown, run + "serial");
      taken.serial.push_back(seconds_taken([&] { what_->run_serially(); }));
    }
    const progress::step now(shown, run + ranks_in_words(on.ranks()));
    meet();  // so that no rank's way here is part of the time
    show_progress(on);
    taken.seconds.push_back(seconds_taken([&] { what_->run_on(on, keep_); }));
  }
  return taken;
}

std::uint64_t cluster_command::nodes_of_a_run(const outcome& all) const {
  return all.counters[rank_event::tasks] / rounds_.repeat();
}

double cluster_command::nodes_per_second(const outcome& all) const {
  return static_cast<double>(nodes_of_a_run(all)) / all.seconds;
}

nlohmann::ordered_json cluster_command::json_report(const outcome& all) const {
  nlohmann::ordered_json report = {
      {"benchmark", what_->name()},  {"parameters", what_->parameters()},
      {"engine", options_.engine},   {"ranks", all.ranks},
      {"workers", options_.workers}, {"repeat", rounds_.repeat()},
      {"result_ok", all.ok},         {"serial_seconds", or_null(all.serial)},
      {"seconds", all.seconds},      {"speedup", or_null(all.speedup())},
  };
  report.update(what_->results());
  report["nodes_per_second"] = nodes_per_second(all);
  report["counters"] = rank_json(all.counters);
  report["tasks_by_rank"] = all.tasks.in_order();
  return report;
}

std::string cluster_command::text_report(const outcome& all) const {
  const auto speedup = all.speedup();
  return fmt::format("{} {} ({}) on {}{}, engine {}\n", what_->name(), what_->problem(), what_->in_options(),
                     ranks_in_words(all.ranks),
                     options_.workers == 1 ? "" : fmt::format(" of {} workers", options_.workers), options_.engine) +
         what_->found() + '\n' +
         (keep_.resume ? fmt::format("this run  {} nodes, the snapshot has the others\n", nodes_of_a_run(all)) : "") +
         (all.serial ? fmt::format("serial    {:.6f} s\n", *all.serial) : "") +
         fmt::format("cluster   {:.6f} s\n", all.seconds) +
         (speedup ? fmt::format("speed-up  {:.3f}\n", *speedup) : "") + to_text(all.counters) +
         fmt::format("nodes/s   {:.3f} million\n", nodes_per_second(all) / 1e6) + all.tasks.to_text() +
         fmt::format("result    {}\n", all.ok ? "ok" : "WRONG: " + all.failure);
}

int run_on_cluster(int argc, char** argv, std::unique_ptr<ranks::transport> by, const agreement& agree) {
  const bool speaks = by->rank() == 0;
  const auto complain = [speaks](std::string_view what, int status) {
    if (speaks) std::cerr << (what.starts_with("leat") ? "" : "leat: ") << what << '\n';
    return status;
  };
  CLI::App program("Task parallelism by work stealing, on a cluster.", "leat");
  refuse_values_of_flags(program);
  std::vector<std::unique_ptr<cluster_command>> commands;
  for (auto& what : cluster_programs()) commands.push_back(std::make_unique<cluster_command>(program, std::move(what)));
  const auto chosen = [&]() -> cluster_command& {
    return **std::ranges::find_if(commands, [](const auto& c) { return c->chosen(); });
  };
  program.require_subcommand(1);

  // First all say what they would do, as a rank that stayed away would be waited for.
  std::string plan;
  std::string refusal;
  bool explains = false;
  try {
    program.parse(argc, argv);
    chosen().choose();
    plan = chosen().in_options();
  } catch (const CLI::ParseError& error) {
    explains = error.get_exit_code() == 0;
    if (explains) plan = "--help";
    else plan = refusal = reason(program, error);
  } catch (const std::invalid_argument& error) {
    plan = refusal = error.what();
  }
  if (const auto odd = agree(plan)) {
    return complain(
        fmt::format("ranks are not of one mind: rank 0: {}; rank {}: {}", odd->first_plan, odd->rank, odd->plan),
        bad_input);
  }
  if (!refusal.empty()) return complain(refusal, bad_input);

  try {
    int status = 0;
    if (!explains) status = chosen().run(std::move(by));
    else if (speaks) std::cout << program.help("", CLI::AppFormatMode::All);
    if (!std::cout.flush()) return complain("cannot write to standard output", failed);
    return status;
  } catch (const std::invalid_argument& error) {
    return complain(error.what(), bad_input);
  } catch (const std::exception& error) {
    return complain(error.what(), failed);
  }
}

}  // namespace leat::cli
