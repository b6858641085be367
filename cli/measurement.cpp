#include "measurement.hpp"

#include "capacity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace leat::cli {

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

double quantile(std::vector<double> values, double part) {
  std::ranges::sort(values);
  const double place = part * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double beyond = place - static_cast<double>(below);
  if (beyond == 0) return values[below];
  return values[below] + beyond * (values[below + 1] - values[below]);
}

progress::detail what_happens_in(const runtime& rt) {
  return [&rt, before = rt.counters()] {
    const leat::counters done = rt.counters() - before;
    std::string text;
    for (const event e : {event::tasks, event::steals}) {
      if (done[e] != 0) text += fmt::format(", {} {}", name(e), done[e]);
    }
    return text;
  };
}

timing measure(runtime& rt, unsigned repeat, const std::vector<reference>& references,
               const std::function<double()>& parallel, progress& shown) {
  timing result;
  std::vector<std::vector<double>> reference_seconds(references.size());
  std::vector<double> parallel_seconds;
  for (unsigned run = 1; run <= repeat; ++run) {
    for (std::size_t i = 0; i < references.size(); ++i) {
      const progress::step now(shown, fmt::format("run {} of {}: {}", run, repeat, references[i].name));
      reference_seconds[i].push_back(references[i].run());
    }
    const progress::step now(
        shown, fmt::format("run {} of {}: {} worker{}", run, repeat, rt.workers(), rt.workers() == 1 ? "" : "s"),
        what_happens_in(rt));
    const run_counters before = read_counters(rt);
    parallel_seconds.push_back(parallel());
    result.counters = read_counters(rt) - before;
  }
  for (std::size_t i = 0; i < references.size(); ++i) {
    result.references.emplace_back(references[i].name, median(std::move(reference_seconds[i])));
  }
  result.seconds = median(std::move(parallel_seconds));
  return result;
}

std::optional<double> timing::seconds_of(std::string_view reference) const {
  for (const auto& [name, taken] : references) {
    if (name == reference) return taken;
  }
  return std::nullopt;
}

std::optional<double> measurement::speedup() const {
  const std::optional<double> serial = times.seconds_of("serial");
  if (!serial) return std::nullopt;
  return *serial / times.seconds;
}

std::optional<double> measurement::capacity() const {
  const std::optional<double> serial = times.seconds_of("serial");
  const std::optional<double> at_once = times.seconds_of(capacity_name);
  if (!serial || !at_once) return std::nullopt;
  return *serial / *at_once;
}

nlohmann::ordered_json or_null(std::optional<double> value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

nlohmann::ordered_json to_json(const measurement& m) {
  nlohmann::ordered_json json = {
      {"benchmark", m.benchmark},
      {"parameters", m.parameters},
      {"scheduler", m.scheduler},
      {"steal", m.steal},
      {"choices", m.choices},
      {"workers", m.workers},
      {"repeat", m.repeat},
      {"result_ok", m.result_ok},
      {"serial_seconds", or_null(m.times.seconds_of("serial"))},
      {"seconds", m.times.seconds},
      {"speedup", or_null(m.speedup())},
      {"capacity", or_null(m.capacity())},
      {"counters", to_json(m.times.counters.all)},
      {"worker_counters", to_json(m.times.counters.workers)},
  };
  json.update(m.results);
  return json;
}

std::string to_text(const measurement& m) {
  std::string text;
  for (const auto& [name, seconds] : m.times.references) {
    if (name != capacity_name) text += fmt::format("{:<9} {:.6f} s\n", name, seconds);
  }
  text += fmt::format("parallel  {:.6f} s  ({} worker{}, scheduler {}, steal {})\n", m.times.seconds, m.workers,
                      m.workers == 1 ? "" : "s", m.scheduler, m.steal);
  if (const std::optional<double> speedup = m.speedup()) text += fmt::format("speed-up  {:.3f}\n", *speedup);
  if (const std::optional<double> capacity = m.capacity()) {
    text += fmt::format("capacity  {:.3f}, of serial programs in {} thread{}\n", *capacity, m.workers,
                        m.workers == 1 ? "" : "s");
  }
  text += fmt::format("steals    {} (last run)\n", m.times.counters[event::steals]);
  return text;
}

}  // namespace leat::cli
