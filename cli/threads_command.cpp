#include "threads_command.hpp"

#include "measurement.hpp"
#include "memory.hpp"
#include "option_values.hpp"
#include "progress.hpp"
#include "result_check.hpp"
#include "table.hpp"

#include "kernels/range.hpp"
#include "kernels/threads.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <iostream>
#include <vector>

namespace leat::cli {

namespace threads = kernels::threads;

namespace {

using nlohmann::ordered_json;
using threads::kind;
using threads::operation;

// What each operation took with each kind of thread, round by round.
struct taken {
  std::vector<double> ns, cycles;
};

class figures {
 public:
  taken& of(operation o, kind k) { return rounds_[static_cast<std::size_t>(o)][static_cast<std::size_t>(k)]; }
  [[nodiscard]] const taken& of(operation o, kind k) const {
    return rounds_[static_cast<std::size_t>(o)][static_cast<std::size_t>(k)];
  }

 private:
  std::array<std::array<taken, threads::kinds.size()>, threads::operations.size()> rounds_;
};

// All kinds take turns, so that a change of the machine's speed meets all alike.
figures measure_all(runtime& rt, const std::string& machine, std::uint64_t count, std::int64_t repeat,
                    result_check& check, progress& shown) {
  figures all;
  for (std::int64_t round = 1; round <= repeat; ++round) {
    for (const operation o : threads::operations) {
      for (const kind k : threads::kinds) {
        const progress::step now(shown, fmt::format("round {} of {}: {}, {}", round, repeat, name(o), name(k)));
        const threads::outcome made = threads::run(rt, machine, k, o, count);
        check.take(fmt::format("{} of {}", name(o), name(k)), std::min(made.done, count), count);
        all.of(o, k).ns.push_back(made.ns);
        all.of(o, k).cycles.push_back(made.cycles);
      }
    }
  }
  return all;
}

ordered_json to_json(const figures& all) {
  ordered_json json = ordered_json::object();
  for (const operation o : threads::operations) {
    for (const kind k : threads::kinds) {
      const auto& [ns, cycles] = all.of(o, k);
      const double counted = median(cycles);
      json[std::string(name(o))][std::string(name(k))] = {
          {"ns", median(ns)},
          {"p10", quantile(ns, 0.1)},
          {"p90", quantile(ns, 0.9)},
          {"cycles", counted == 0 ? ordered_json() : ordered_json(counted)}};
    }
  }
  return json;
}

std::string to_text(const figures& all) {
  std::vector<std::string> heads = {"ns"};
  for (const kind k : threads::kinds) heads.emplace_back(name(k));
  table rows(std::move(heads));
  for (const operation o : threads::operations) {
    std::vector<std::string> cells = {std::string(name(o))};
    for (const kind k : threads::kinds) cells.push_back(fmt::format("{:.1f}", median(all.of(o, k).ns)));
    rows.add(std::move(cells));
  }
  return rows.to_text();
}

}  // namespace

threads_command::threads_command(CLI::App& bench)
    : command_(bench.add_subcommand("threads", "User-level threads and bubbles, beside the system's threads")) {
  add_number(*command_, "--count", count_, "Operations of each kind in a round");
  add_number(*command_, "--repeat", repeat_, "Rounds; medians are reported");
  command_
      ->add_option("--machine", machine_,
                   "The machine on whose lists threads lie, such as \"numa:4 core:4 pu:1\"; else this one")
      ->type_name("TEXT");
  add_no_progress(*command_, no_progress_);
  command_->add_flag("--json", json_, "Report one JSON object on standard output");
}

int threads_command::run() const {
  kernels::check_range("--count", count_, 1, count_max);
  kernels::check_range("--repeat", repeat_, 1, repeat_max);
  leat::options options;
  options.workers = 1;
  auto rt = start<runtime>(options);
  result_check check;
  progress shown(!no_progress_);
  const figures all = measure_all(rt, machine_, static_cast<std::uint64_t>(count_), repeat_, check, shown);
  if (json_) {
    const ordered_json report = {
        {"benchmark", name()},         {"parameters", {{"count", count_}, {"machine", machine_}}},
        {"scheduler", rt.scheduler()}, {"workers", 1},
        {"repeat", repeat_},           {"result_ok", check.ok()},
        {"operations", to_json(all)}};
    std::cout << report.dump(2) << '\n';
  } else {
    std::cout << fmt::format("threads (count {}{}), 1 worker, scheduler {}, medians of {} rounds\n", count_,
                             machine_.empty() ? "" : ", machine " + machine_, rt.scheduler(), repeat_)
              << to_text(all);
  }
  if (!check.ok()) std::cerr << "leat: bench threads: " << check.failure() << '\n';
  return check.ok() ? 0 : 1;
}

}  // namespace leat::cli
