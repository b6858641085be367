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
  p.overhead = number_or_none(json.at("overhead"));
  p.standing = json.at("standing").get<std::string>();
  if (p.rival) return p;
  p.counters = json.at("counters").get<decltype(p.counters)>();
  p.workers = json.at("worker_counters").get<decltype(p.workers)>();
  return p;
}

std::string workload_of(const ordered_json& json) {
  const std::string benchmark = json.at("benchmark").get<std::string>();
  ordered_json parameters = json.at("parameters");
  // The options of a tree that has a name say nothing more.
  if (benchmark == "uts" && !parameters.at("tree").is_null()) {
    parameters = {{"tree", parameters["tree"]}, {"construct", parameters["construct"]}};
  }
  const std::string words = in_words(parameters);
  return words.empty() ? benchmark : benchmark + ", " + words;
}

result read_result(const ordered_json& json) {
  result r;
  r.workload = workload_of(json);
  r.workers = json.at("workers").get<unsigned>();
  r.repeat = json.at("repeat").get<unsigned>();
  r.serial_seconds = number_or_none(json.at("serial_seconds"));
  for (const ordered_json& s : json.at("schedulers")) r.programs.push_back(read_program(s, "scheduler"));
  for (const ordered_json& s : json.at("rivals")) r.programs.push_back(read_program(s, "rival"));
  return r;
}

execution_profile read_profile(const ordered_json& json) {
  execution_profile p;
  p.workload = workload_of(json);
  p.machine = json.at("machine").get<std::string>();
  p.scheduler = json.at("scheduler").get<std::string>();
  p.seconds = json.at("seconds").get<double>();
  p.speedup = number_or_none(json.at("speedup"));
  for (const ordered_json& worker : json.at("spent_by_worker")) {
    auto& shares = p.workers.emplace_back();
    for (std::size_t i = 0; i < spendings.size(); ++i) shares[i] = worker.at(spendings[i]).get<double>();
  }
  return p;
}

void read_into(results& all, const ordered_json& json) {
  if (json.is_array()) {
    for (const ordered_json& one : json) read_into(all, one);
  } else if (json.contains("spent_by_worker")) {
    all.profiles.push_back(read_profile(json));
  } else {
    all.compared.push_back(read_result(json));
  }
}

void read_file_into(results& all, const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::invalid_argument(fmt::format("{}: cannot be read", path.string()));
  try {
    read_into(all, ordered_json::parse(file));
  } catch (const ordered_json::exception& e) {
    throw std::invalid_argument(
        fmt::format("{}: not what leat compare --json or leat sim --json writes: {}", path.string(), e.what()));
  }
}

}  // namespace

const program_result* result::find(const std::string& program) const {
  const auto found = std::ranges::find(programs, program, &program_result::name);
  return found == programs.end() ? nullptr : &*found;
}

results read_results(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  if (error) throw std::invalid_argument(fmt::format("{}: {}", folder.string(), error.message()));
  if (files.empty()) throw std::invalid_argument(fmt::format("{}: has no file that ends in .json", folder.string()));
  std::ranges::sort(files);
  results all;
  for (const auto& file : files) read_file_into(all, file);
  std::ranges::stable_sort(all.compared, {}, [](const result& r) { return std::tuple(r.workload, r.workers); });
  return all;
}

}  // namespace leat::cli
