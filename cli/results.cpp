#include "results.hpp"

#include "bench_kernel.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <tuple>

namespace leat::cli {

namespace {

using nlohmann::ordered_json;

std::optional<double> number_or_none(const ordered_json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

program_result read_program(const ordered_json& json, const char* kind) {
  program_result p;
  p.name = json.at(kind).get<std::string>();
  p.rival = kind == std::string("rival");
  p.seconds = json.at("seconds").get<double>();
  p.p10 = json.at("p10").get<double>();
  p.p90 = json.at("p90").get<double>();
  p.of_best = json.at("of_best").get<double>();
  p.speedup = number_or_none(json.at("speedup"));
  p.standing = json.at("standing").get<std::string>();
  if (p.rival) return p;
  p.counters = json.at("counters").get<decltype(p.counters)>();
  p.workers = json.at("worker_counters").get<decltype(p.workers)>();
  return p;
}

result read_result(const ordered_json& json) {
  result r;
  r.benchmark = json.at("benchmark").get<std::string>();
  ordered_json parameters = json.at("parameters");
  // The options of a tree that has a name say nothing more.
  if (r.benchmark == "uts" && !parameters.at("tree").is_null()) {
    parameters = {{"tree", parameters["tree"]}, {"construct", parameters["construct"]}};
  }
  r.parameters = in_words(parameters);
  r.workers = json.at("workers").get<unsigned>();
  r.repeat = json.at("repeat").get<unsigned>();
  r.serial_seconds = number_or_none(json.at("serial_seconds"));
  for (const ordered_json& s : json.at("schedulers")) r.programs.push_back(read_program(s, "scheduler"));
  for (const ordered_json& s : json.at("rivals")) r.programs.push_back(read_program(s, "rival"));
  return r;
}

result read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::invalid_argument(fmt::format("{}: cannot be read", path.string()));
  try {
    return read_result(ordered_json::parse(file));
  } catch (const ordered_json::exception& e) {
    throw std::invalid_argument(fmt::format("{}: not what leat compare --json writes: {}", path.string(), e.what()));
  }
}

}  // namespace

const program_result* result::find(const std::string& program) const {
  const auto found = std::ranges::find(programs, program, &program_result::name);
  return found == programs.end() ? nullptr : &*found;
}

std::vector<result> read_results(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  if (error) throw std::invalid_argument(fmt::format("{}: {}", folder.string(), error.message()));
  if (files.empty()) throw std::invalid_argument(fmt::format("{}: has no file that ends in .json", folder.string()));
  std::ranges::sort(files);
  std::vector<result> results;
  for (const auto& file : files) results.push_back(read_file(file));
  std::ranges::stable_sort(results, {}, [](const result& r) { return std::tuple(r.workload(), r.workers); });
  return results;
}

}  // namespace leat::cli
