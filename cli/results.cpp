#include "results.hpp"

#include "json_text.hpp"
#include "whole_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <system_error>
#include <tuple>

namespace leat::cli {

namespace {

using nlohmann::ordered_json;

const ordered_json& number_in(const ordered_json& json, const char* member) {
  const ordered_json& value = json.at(member);
  if (value.is_number()) return value;
  throw std::invalid_argument(fmt::format("{} = {}: must be a number", member, as_text(value)));
}

// A member that is more than 0: a time, or a ratio of times. A quotient of two such is a number, too.
double positive(const ordered_json& json, const char* member) {
  constexpr double least = 1e-15, most = 1e15;
  const double value = number_in(json, member).get<double>();
  if (value >= least && value <= most) return value;
  throw std::invalid_argument(fmt::format("{} = {}: must be between {:g} and {:g}", member, value, least, most));
}

std::optional<double> positive_or_none(const ordered_json& json, const char* member) {
  return json.at(member).is_null() ? std::nullopt : std::optional(positive(json, member));
}

// A member that says how many there are of something.
unsigned count_of(const ordered_json& json, const char* member) {
  constexpr std::int64_t most = 1'000'000;
  const ordered_json& value = number_in(json, member);
  if (value.is_number_integer() && value >= 1 && value <= most) return value.get<unsigned>();
  throw std::invalid_argument(
      fmt::format("{} = {}: must be an integer between 1 and {}", member, as_text(value), most));
}

std::map<std::string, std::uint64_t> counters_in(const ordered_json& json) {
  std::map<std::string, std::uint64_t> all;
  for (const auto& [name, value] : json.items()) {
    if (!value.is_number_unsigned())
      throw std::invalid_argument(fmt::format("{} = {}: must be a count", name, as_text(value)));
    all[name] = value.get<std::uint64_t>();
  }
  return all;
}

program_result read_program(const ordered_json& json, const char* kind) {
  program_result p;
  p.name = json.at(kind).get<std::string>();
  p.rival = kind == std::string("rival");
  p.seconds = positive(json, "seconds");
  p.p10 = positive(json, "p10");
  p.p90 = positive(json, "p90");
  if (p.p10 > p.p90) throw std::invalid_argument(fmt::format("p10 = {}: is more than p90 = {}", p.p10, p.p90));
  p.of_best = positive(json, "of_best");
  p.speedup = positive_or_none(json, "speedup");
  p.overhead = positive_or_none(json, "overhead");
  p.standing = json.at("standing").get<std::string>();
  if (p.rival) return p;
  p.counters = counters_in(json.at("counters"));
  for (const ordered_json& worker : json.at("worker_counters")) p.workers.push_back(counters_in(worker));
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
  r.workers = count_of(json, "workers");
  r.repeat = count_of(json, "repeat");
  if (const ordered_json& noise = json.at("noise"); !noise.is_null()) {
    r.noise = positive(noise, "p90") / positive(noise, "p10") - 1;
  }
  r.serial_seconds = positive_or_none(json, "serial_seconds");
  if (!json.value("result_ok", true)) throw std::invalid_argument("result_ok = false: what was measured is no result");
  for (const ordered_json& s : json.at("schedulers")) r.programs.push_back(read_program(s, "scheduler"));
  for (const ordered_json& s : json.at("rivals")) r.programs.push_back(read_program(s, "rival"));
  if (r.programs.empty()) throw std::invalid_argument("schedulers, rivals: nothing was measured");
  return r;
}

execution_profile read_profile(const ordered_json& json) {
  execution_profile p;
  p.workload = workload_of(json);
  p.machine = json.at("machine").get<std::string>();
  p.scheduler = json.at("scheduler").get<std::string>();
  p.seconds = positive(json, "seconds");
  p.speedup = positive_or_none(json, "speedup");
  for (const ordered_json& worker : json.at("spent_by_worker")) {
    auto& shares = p.workers.emplace_back();
    for (std::size_t i = 0; i < spendings.size(); ++i) {
      constexpr double rounding = 1e-6;
      shares[i] = number_in(worker, spendings[i]).get<double>();
      if (!(shares[i] >= 0 && shares[i] <= 1 + rounding))
        throw std::invalid_argument(fmt::format("{} = {}: must be a share, of 0 to 1", spendings[i], shares[i]));
    }
  }
  if (p.workers.empty()) throw std::invalid_argument("spent_by_worker: has no workers");
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
  const std::string text = read_whole(path);
  const std::size_t compared_before = all.compared.size();
  const std::size_t before = compared_before + all.profiles.size();
  try {
    read_into(all, parsed(text));
    if (all.compared.size() + all.profiles.size() == before) throw std::invalid_argument("there is no result in it");
  } catch (const std::exception& e) {
    throw std::invalid_argument(
        fmt::format("{}: not what leat compare --json or leat sim --json writes: {}", path.string(), e.what()));
  }
  const bool only = all.compared.size() == compared_before + 1;
  for (std::size_t i = compared_before; i < all.compared.size(); ++i)
    all.compared[i].title = only ? path.stem().string() : all.compared[i].workload;
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
    std::error_code unknown;
    const auto type = entry.status(unknown).type();
    if (entry.path().extension() != ".json" || type == std::filesystem::file_type::directory) continue;
    if (type != std::filesystem::file_type::regular)
      throw std::invalid_argument(fmt::format("{}: is no file that can be read", entry.path().string()));
    files.push_back(entry.path());
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
