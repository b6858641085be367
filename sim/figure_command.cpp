#include "figure_command.hpp"

#include "compared_kernel.hpp"
#include "figures.hpp"
#include "option_values.hpp"
#include "simulated_kernel.hpp"
#include "table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

namespace leat::sim {

namespace {

using nlohmann::ordered_json;

std::string_view machine_of(const figure& f, const point& p) { return p.machine.empty() ? f.machine : p.machine; }

simulated_kernel::results simulate(const figure& f, const point& p, cli::progress& shown, std::string_view what) {
  for (auto& kernel : cli::compared_kernels()) {
    if (kernel->name() != p.kernel) continue;
    CLI::App program;
    simulated_kernel made(program, std::move(kernel));
    program.parse(fmt::format("{} {} --machine {}", p.kernel, p.options, machine_of(f, p)));
    return made.simulate_all(false, shown, what);
  }
  throw std::logic_error("no kernel " + std::string(p.kernel));
}

std::string or_dash(std::optional<double> value) { return value ? fmt::format("{:.2f}", *value) : "-"; }

// "3.9, 3.11, ..."
std::string known_figures() {
  std::string names;
  for (const figure& f : figures()) names += fmt::format("{}{}", names.empty() ? "" : ", ", f.name);
  return names;
}

enum class figure_format { text, markdown, json };

void show_figure(const std::string& name, figure_format format, bool shows_progress) {
  const std::vector<figure> all = figures();
  const auto found = std::ranges::find(all, name, &figure::name);
  if (found == all.end()) cli::refuse("--figure", "'" + name + "'", "must be one of " + known_figures());
  cli::table rows({"workload", "with", "machine", "speed-up", "published", "steals", "tasks stolen", "simulated s"});
  ordered_json points = ordered_json::array();
  cli::progress shown(shows_progress);
  for (const point& p : found->points) {
    const std::string what = fmt::format("{} of {}, {}, {}", points.size() + 1, found->points.size(), p.row, p.column);
    const simulated_kernel::results r = simulate(*found, p, shown, what);
    const auto steals = r.all.counters[event::steals], stolen = r.all.counters[event::tasks_stolen];
    rows.add({std::string(p.row), std::string(p.column), std::string(machine_of(*found, p)), or_dash(r.speedup()),
              or_dash(p.published), std::to_string(steals), std::to_string(stolen),
              fmt::format("{:.6f}", r.all.seconds)});
    points.push_back({{"workload", p.row},
                      {"with", p.column},
                      {"kernel", p.kernel},
                      {"options", p.options},
                      {"machine", machine_of(*found, p)},
                      {"speedup", *r.speedup()},
                      {"published", p.published ? ordered_json(*p.published) : ordered_json()},
                      {"seconds", r.all.seconds},
                      {"steals", steals},
                      {"tasks_stolen", stolen},
                      {"trace", fmt::format("{:016x}", r.all.world.trace)}});
  }
  if (format == figure_format::json) {
    std::cout << ordered_json{{"figure", name}, {"title", found->title}, {"points", points}}.dump(2) << '\n';
    return;
  }
  std::cout << fmt::format("{}: {}\n\n", name, found->title)
            << (format == figure_format::markdown ? rows.to_markdown() : rows.to_text());
}

}  // namespace

figure_command::figure_command(CLI::App& program)
    : program_(program),
      figure_(program.add_option("--figure", name_, "A figure or table of Prell's thesis: " + known_figures())
                  ->type_name("NAME")) {
  program.add_flag("--markdown", markdown_, "Of a figure: a table in Markdown");
  program.add_flag("--json", json_, "Of a figure: JSON");
  program.add_flag("--no-progress", no_progress_, "Of a figure: show nothing on a terminal while it lasts");
}

void figure_command::refuse_flags_alone() const {
  if (chosen()) return;
  const std::pair<const char*, bool> flags[] = {
      {"--json", json_}, {"--markdown", markdown_}, {"--no-progress", no_progress_}};
  for (const auto& [flag, given] : flags) {
    if (given) throw std::invalid_argument(std::string(flag) + ": takes --figure, or comes after a kernel");
  }
}

void figure_command::run() const {
  if (const auto kernel = program_.get_subcommands(); !kernel.empty()) {
    cli::refuse("--figure", "'" + name_ + "'", "takes no kernel, such as " + kernel.front()->get_name());
  }
  figure_format format = figure_format::text;
  if (markdown_) format = figure_format::markdown;
  if (json_) format = figure_format::json;
  show_figure(name_, format, !no_progress_);
}

}  // namespace leat::sim
