#include "machine_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace leat::cli {

namespace {

using topology::domain;
using topology::domain_id;
using topology::machine;

// What a cache line takes from one domain of a kind to another one. Packages, cores and units: as in machines/xeon-2x6-smt.json,
// NUMA nodes: as in machines/opteron-4x12.json, where the sources stand. A group, a die or a cache lies between core and package.
struct line_time {
  std::string_view kind;
  int ns;
};
constexpr std::array<line_time, 4> line_times = {{{"package", 105}, {"numa", 90}, {"core", 35}, {"pu", 10}}};
constexpr int between_ns = 60;

// Of tasks that compute, beside another one on the same core (machines/xeon-2x6-smt.json).
constexpr double slowdown_on_a_core = 1.9;

int line_ns(std::string_view kind) {
  const auto found = std::ranges::find(line_times, kind, &line_time::kind);
  return found == line_times.end() ? between_ns : found->ns;
}

// The domains one level further down.
std::vector<domain_id> beneath(const machine& m, const std::vector<domain_id>& level) {
  std::vector<domain_id> all;
  for (const domain_id d : level) all.insert(all.end(), m[d].children.begin(), m[d].children.end());
  return all;
}

std::string named(const domain& d) { return d.kind == "machine" ? d.kind : fmt::format("{} {}", d.kind, d.index); }

// A machine file has one number for all domains of a level.
std::size_t children(const machine& m, const std::vector<domain_id>& level) {
  const domain& first = m[level.front()];
  for (const domain_id d : level) {
    if (m[d].children.size() == first.children.size()) continue;
    throw std::invalid_argument(
        fmt::format("--machine-file: {} has {} parts and {} has {}, but a machine file has one number for all",
                    named(first), first.children.size(), named(m[d]), m[d].children.size()));
  }
  return first.children.size();
}

}  // namespace

nlohmann::ordered_json machine_file(const machine& m) {
  nlohmann::ordered_json levels = nlohmann::ordered_json::array();
  bool has_siblings = false;
  std::vector<domain_id> level = {topology::root_domain};
  while (const std::size_t count = children(m, level)) {
    level = beneath(m, level);
    if (count == 1) continue;
    const std::string& kind = m[level.front()].kind;
    levels.push_back({{"name", kind}, {"children", count}, {"line_ns", line_ns(kind)}});
    has_siblings = has_siblings || kind == "pu";
  }
  if (levels.empty()) levels.push_back({{"name", "pu"}, {"children", 1}, {"line_ns", line_ns("pu")}});
  nlohmann::ordered_json file = {
      {"about",
       fmt::format("A machine of {} units, as `leat topology` shows it. Its times are not measured.", m.units())},
      {"sources",
       {"line_ns: usual times for such a level, from the files xeon-2x6-smt and opteron-4x12",
        "all other times: those of the two-core Xeon"}},
      {"levels", std::move(levels)}};
  if (has_siblings) file["smt_slowdown"] = slowdown_on_a_core;
  return file;
}

}  // namespace leat::cli
