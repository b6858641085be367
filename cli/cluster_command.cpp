#include "cluster_command.hpp"

#include "kernels/range.hpp"
#include "kernels/uts_cluster.hpp"
#include "measurement.hpp"
#include "option_values.hpp"
#include "parse_failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace leat::cli {

namespace uts = kernels::uts;

namespace {

constexpr int failed = 1;     // a wrong result, or a run that could not be done
constexpr int bad_input = 2;  // wrong options or parameters

double in_seconds(std::uint64_t ns) { return 1e-9 * static_cast<double>(ns); }

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

struct cluster_command::times {
  std::vector<double> serial;
  std::vector<double> seconds;
};

struct cluster_command::outcome {
  std::uint32_t ranks;
  std::optional<double> serial;  // the medians, in seconds
  double seconds;
  uts::tally found;
  rank_counters counters;  // of all ranks and runs
  bool ok;
  std::string failure;

  [[nodiscard]] std::optional<double> speedup() const {
    return serial ? std::optional(*serial / seconds) : std::nullopt;
  }
};

bool asks_for_cluster(int argc, const char* const* argv) {
  return argc > 2 && std::string_view(argv[1]) == "uts" &&
         std::any_of(argv + 2, argv + argc, [](std::string_view word) { return word == "--cluster"; });
}

cluster_command::cluster_command(CLI::App& program)
    : command_(
          program.add_subcommand("uts", "Unbalanced tree search on a cluster: all ranks count the nodes of one tree")),
      workers_(options_.workers),
      poll_us_(static_cast<std::int64_t>(options_.poll_us)),
      attempts_(static_cast<std::int64_t>(options_.attempts)) {
  command_->add_flag("--cluster")->description("Count on all ranks: run it under mpiexec for more than one");
  uts_.add_to(*command_);
  rounds_.add_to(*command_);
  add_number(*command_, "--workers", workers_,
             "Workers of each rank: the thread that talks to the others, and as many more");
  command_->add_option("--engine", options_.engine, "How work moves between ranks: messages, rma")->type_name("WORD");
  add_number(*command_, "--poll-us", poll_us_, "Microseconds between two polls of a busy rank");
  add_number(*command_, "--attempts", attempts_,
             "Engine messages: ranks that a steal request asks before it goes to the idle pool");
  command_->add_option("--snapshot", keep_.file, "The file that --snapshot-every and --resume are about")
      ->type_name("FILE");
  add_number(*command_, "--snapshot-every", snapshot_every_s_,
             "Keep the open work and what was found, every so many seconds; 0: never");
  command_->add_flag("--resume", keep_.resume,
                     "Go on with what the file holds, of the same tree, with any number of ranks");
  command_->add_flag("--no-prefetch", no_prefetch_, "Engine rma: ask only when there is no work left");
}

void cluster_command::choose() {
  uts_.choose();
  if (command_->count("--construct") != 0) {
    refuse("--construct", "'" + std::string(name(uts_.construct())) + "'",
           "a cluster has tasks of its own; leave it out");
  }
  kernels::check_range("--workers", workers_, 1, workers_max);
  kernels::check_range("--poll-us", poll_us_, 0, static_cast<std::int64_t>(poll_us_max));
  kernels::check_range("--attempts", attempts_, 0, ranks_max);
  if (std::ranges::find(engine_names(), options_.engine) == engine_names().end()) {
    refuse("--engine", "'" + options_.engine + "'", "must be one of messages, rma");
  }
  choose_snapshots();
  options_.workers = static_cast<std::uint32_t>(workers_);
  options_.poll_us = static_cast<std::uint64_t>(poll_us_);
  options_.attempts = static_cast<std::uint64_t>(attempts_);
  options_.prefetch = !no_prefetch_;
}

std::string cluster_command::in_options() const {
  std::string all = fmt::format("uts {} --engine {} --repeat {}", uts_.in_options(), options_.engine, rounds_.repeat());
  if (keep_.every_us != 0) all += fmt::format(" --snapshot-every {}", snapshot_every_s_);
  return all + (keep_.resume ? " --resume" : "");
}

int cluster_command::run(std::unique_ptr<ranks::transport> by) const {
  cluster on(std::move(by), options_);
  return measure_tree(on);
}

void cluster_command::choose_snapshots() {
  constexpr double every_s_max = 1e9;
  if (!(snapshot_every_s_ >= 0 && snapshot_every_s_ <= every_s_max)) {
    refuse("--snapshot-every", fmt::format("{}", snapshot_every_s_), fmt::format("must be 0 to {}", every_s_max));
  }
  if (keep_.file.empty() && (keep_.resume || snapshot_every_s_ != 0)) {
    refuse("--snapshot", "''", "--snapshot-every and --resume need a file");
  }
  if (!keep_.file.empty() && !keep_.resume && snapshot_every_s_ == 0) {
    refuse("--snapshot", keep_.file, "nothing is written or read without --snapshot-every or --resume");
  }
  keep_.every_us = static_cast<std::uint64_t>(std::ceil(1e6 * snapshot_every_s_));
  keep_.name = uts_.in_options();
}

int cluster_command::measure_tree(cluster& on) const {
  uts::tally_check check(uts_.known());
  const times taken = count_in_rounds(on, check);
  const rank_counters counters = on.reduce(on.counters(), std::plus<>{});
  const bool ok = on.reduce(check.ok(), std::logical_and<>{});
  if (on.rank() == 0) {
    const outcome all{.ranks = on.ranks(),
                      .serial = taken.serial.empty() ? std::nullopt : std::optional(median(taken.serial)),
                      .seconds = median(taken.seconds),
                      .found = check.latest(),
                      .counters = counters,
                      .ok = ok,
                      .failure = check.failure()};
    std::cout << (rounds_.json() ? json_report(all).dump(2) + '\n' : text_report(all));
  }
  return ok ? 0 : failed;
}

cluster_command::times cluster_command::count_in_rounds(cluster& on, uts::tally_check& check) const {
  const uts::tree tree(uts_.tree());
  const auto meet = [&] { (void)on.reduce(0, std::plus<>{}); };
  const unsigned repeat = rounds_.repeat();
  times taken;
  progress shown(rounds_.shows_progress() && on.rank() == 0);
  for (unsigned i = 0; i < repeat; ++i) {
    const std::string run = fmt::format("run {} of {}: ", i + 1, repeat);
    if (rounds_.serial() && on.rank() == 0) {
      const progress::step now(shown, run + "serial");
      taken.serial.push_back(seconds_taken([&] { check.take("serial", uts::count_serially(tree)); }));
    }
    const progress::step now(shown, run + ranks_in_words(on.ranks()));
    meet();  // so that no rank's way here is part of the time
    taken.seconds.push_back(seconds_taken([&] { check.take("cluster", uts::count_on_cluster(on, tree, keep_)); }));
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
  const uts::known_tree* const known = uts_.known();
  nlohmann::ordered_json parameters = uts_.to_json();
  parameters.erase("construct");
  return {
      {"benchmark", "uts"},
      {"parameters", parameters},
      {"engine", options_.engine},
      {"ranks", all.ranks},
      {"workers", options_.workers},
      {"repeat", rounds_.repeat()},
      {"result_ok", all.ok},
      {"serial_seconds", or_null(all.serial)},
      {"seconds", all.seconds},
      {"speedup", or_null(all.speedup())},
      {"count", all.found.nodes()},
      {"expected_count", known ? nlohmann::ordered_json(known->nodes) : nlohmann::ordered_json()},
      {"nodes_per_second", nodes_per_second(all)},
      {"max_depth", all.found.max_depth},
      {"leaves", all.found.leaves},
      {"counters", rank_json(all.counters)},
  };
}

std::string cluster_command::text_report(const outcome& all) const {
  const uts::known_tree* const known = uts_.known();
  const auto speedup = all.speedup();
  return fmt::format("uts {} ({}) on {}{}, engine {}\n", known ? known->name : "tree", uts_.in_options(),
                     ranks_in_words(all.ranks),
                     options_.workers == 1 ? "" : fmt::format(" of {} workers", options_.workers), options_.engine) +
         fmt::format("count     {} nodes, {} leaves, depth {}\n", all.found.nodes(), all.found.leaves,
                     all.found.max_depth) +
         (keep_.resume ? fmt::format("this run  {} nodes, the snapshot has the others\n", nodes_of_a_run(all)) : "") +
         (all.serial ? fmt::format("serial    {:.6f} s\n", *all.serial) : "") +
         fmt::format("cluster   {:.6f} s\n", all.seconds) +
         (speedup ? fmt::format("speed-up  {:.3f}\n", *speedup) : "") + to_text(all.counters) +
         fmt::format("nodes/s   {:.3f} million\n", nodes_per_second(all) / 1e6) +
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
  cluster_command uts_command(program);
  program.require_subcommand(1);

  // First all say what they would do, as a rank that stayed away would be waited for.
  std::string plan;
  std::string refusal;
  bool explains = false;
  try {
    program.parse(argc, argv);
    uts_command.choose();
    plan = uts_command.in_options();
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
    if (!explains) status = uts_command.run(std::move(by));
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
