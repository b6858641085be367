#include "topology_command.hpp"

#include "machine_file.hpp"
#include "option_values.hpp"

#include "leat/topology/places.hpp"

#include <leat/options.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <utility>
#include <vector>

namespace leat::cli {

namespace {

using topology::domain_id;
using topology::machine;
using workers_of_units = std::vector<std::vector<std::uint32_t>>;

workers_of_units put(std::uint32_t workers, const machine& on) {
  const std::vector<topology::unit_id> places = topology::places(on);
  workers_of_units of_unit(on.units());
  for (std::uint32_t w = 0; w < workers; ++w) of_unit[places[w % places.size()]].push_back(w);
  return of_unit;
}

std::string_view name(machine::source s) noexcept {
  switch (s) {
    case machine::source::flat: return "flat";
    case machine::source::described: return "described";
    case machine::source::host: return "host";
  }
  return "unknown";
}

std::string counted(std::size_t n, std::string_view what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

// Draws a line for each domain but those that are the only child of another, which stand in its line.
class artist {
 public:
  artist(const machine& m, const workers_of_units& workers) : machine_(m), workers_(workers) {}

  std::string draw() && {
    draw_line(topology::root_domain, "", "");
    return std::move(text_);
  }

 private:
  // `before` stands at the beginning of the line, `beneath` at that of its children's.
  void draw_line(domain_id d, const std::string& before, const std::string& beneath) {
    text_ += before + machine_[d].kind;
    if (d != topology::root_domain) text_ += fmt::format(" {}", machine_[d].index);
    while (machine_[d].children.size() == 1) {
      d = machine_[d].children.front();
      text_ += fmt::format(", {} {}", machine_[d].kind, machine_[d].index);
    }
    const auto& children = machine_[d].children;
    if (children.empty()) add_unit(machine_[d].first_unit);
    text_ += '\n';
    for (const domain_id child : children) {
      const bool last = child == children.back();
      draw_line(child, beneath + (last ? "`-- " : "|-- "), beneath + (last ? "    " : "|   "));
    }
  }

  void add_unit(topology::unit_id u) {
    if (machine_.from() == machine::source::host) text_ += fmt::format(" (CPU {})", machine_.cpu(u));
    const auto& here = workers_[u];
    if (!here.empty()) text_ += fmt::format("  worker{} {}", here.size() == 1 ? "" : "s", fmt::join(here, ", "));
  }

  const machine& machine_;
  const workers_of_units& workers_;
  std::string text_;
};

nlohmann::ordered_json to_json(const machine& m, const workers_of_units& workers) {
  auto domains = nlohmann::ordered_json::array();
  for (const topology::domain& d : m.domains()) {
    nlohmann::ordered_json one{{"kind", d.kind},         {"index", d.index},           {"depth", d.depth},
                               {"children", d.children}, {"first_unit", d.first_unit}, {"units", d.units}};
    if (d.children.empty()) {
      if (m.from() == machine::source::host) one["cpu"] = m.cpu(d.first_unit);
      one["workers"] = workers[d.first_unit];
    }
    domains.push_back(std::move(one));
  }
  return {{"source", name(m.from())}, {"units", m.units()}, {"levels", m.levels()}, {"domains", std::move(domains)}};
}

void write(const machine& m, const std::string& file) {
  const std::string text = machine_file(m).dump(2) + '\n';
  std::ofstream out(file, std::ios::binary);
  if (!(out << text).flush()) refuse("--machine-file", "'" + file + "'", "cannot be written");
}

}  // namespace

topology_command::topology_command(CLI::App& program)
    : command_(program.add_subcommand("topology", "Show the machine as a tree, with the workers in place")) {
  command_->add_option("--synthetic", synthetic_, "Show this machine instead, such as 'numa:4 core:4 pu:1'")
      ->type_name("TEXT");
  add_number(*command_, "--workers", workers_,
             "Workers; else LEAT_NUM_WORKERS and one per available CPU, or one per unit of another machine");
  command_->add_flag("--json", json_, "Report one JSON object on standard output");
  command_->add_option("--machine-file", file_, "Write the machine into this file, for `leat sim` and `leat predict`")
      ->type_name("FILE");
}

std::uint32_t topology_command::workers_on(const machine& m) const {
  if (workers_) {
    if (*workers_ < 1 || *workers_ > std::int64_t{workers_max}) {
      refuse("--workers", std::to_string(*workers_), fmt::format("must be between 1 and {}", workers_max));
    }
    return static_cast<std::uint32_t>(*workers_);
  }
  if (m.from() == machine::source::host) return static_cast<std::uint32_t>(options().resolved().workers.value());
  return std::min(m.units(), workers_max);
}

int topology_command::run() const {
  const machine m = synthetic_ ? machine::synthetic(*synthetic_) : this_machine();
  if (file_) write(m, *file_);
  const workers_of_units workers = put(workers_on(m), m);
  if (json_) {
    std::cout << to_json(m, workers).dump(2) << '\n';
  } else {
    std::cout << artist(m, workers).draw()
              << fmt::format("{}, {} levels, {}\n", counted(m.units(), "unit"), m.levels(),
                             counted(workers_on(m), "worker"));
  }
  return 0;
}

}  // namespace leat::cli
