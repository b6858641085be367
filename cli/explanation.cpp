#include "explanation.hpp"

#include "json_text.hpp"
#include "span_table.hpp"
#include "verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace leat::cli {

namespace {

constexpr double s_per_ns = 1e-9;

bool most_costly_first(const profile_verdict& a, const profile_verdict& b) { return a.cost > b.cost; }

// The text about a program that loses nothing: what limits it next.
std::string next_text(const explanation& e) {
  const double running = e.cause_share[static_cast<std::size_t>(cause::running)];
  const std::string so_far =
      fmt::format("It scales as well as it can: {} of the workers' time goes into tasks", percent(running));
  if (!e.next) return so_far + ".";
  return fmt::format("{}. What limits it next: {}{}.", so_far, e.next->text,
                     e.next->place.empty() ? "" : ", in " + e.next->place);
}

nlohmann::ordered_json as_json(const profile_verdict& v) {
  nlohmann::ordered_json json = {{"key", v.key}, {"cost", v.cost}, {"text", v.text}, {"advice", v.advice}};
  if (!v.place.empty()) json["place"] = v.place;
  return json;
}

}  // namespace

std::string percent(double share) {
  constexpr double whole = 100, digit_below = 0.0995;
  return share < digit_below ? fmt::format("{:.1f} %", whole * share) : fmt::format("{:.0f} %", whole * share);
}

std::string duration(double ns) {
  constexpr double step = 1000, rounded_up = 999.5, digit_below = 10;
  std::size_t unit = 0;
  constexpr std::array<const char*, 4> units = {"ns", "us", "ms", "s"};
  while (ns >= rounded_up && unit + 1 < units.size()) ns /= step, ++unit;
  return unit != 0 && ns < digit_below ? fmt::format("{:.1f} {}", ns, units[unit])
                                       : fmt::format("{:.0f} {}", ns, units[unit]);
}

explanation explained(const profile& of, const explanation_beside& beside) {
  explanation found;
  found.program = of.program;
  const profile_times times = times_of(of);
  found.seconds = s_per_ns * times.total_ns;
  if (of.runtimes.empty()) return found;
  const runtime_times& main = times.of_runtime[times.main];
  found.workers = main.workers;
  const auto workers = static_cast<double>(main.workers);
  const profiled_run run{of, times, main, of.runtimes[times.main], beside, workers, workers * times.total_ns};
  for (std::size_t c = 0; c < cause_count; ++c) found.cause_share[c] = main.cause_ns[c] / run.worker_ns;
  add_idle_verdicts(run, found.verdicts);
  add_task_verdicts(run, found.verdicts);
  add_system_verdicts(run, found.verdicts);
  std::ranges::stable_sort(found.verdicts, most_costly_first);
  const auto below =
      std::ranges::find_if(found.verdicts, [](const profile_verdict& v) { return v.cost < verdict_cost_min; });
  constexpr double worth_a_word = 0.001;
  if (below != found.verdicts.end() && below->cost >= worth_a_word) found.next = *below;
  found.verdicts.erase(below, found.verdicts.end());
  return found;
}

std::string explanation_text(const explanation& e) {
  std::string text = fmt::format("{}: {} worker{}, {}\n\n", e.program.empty() ? "a program" : e.program, e.workers,
                                 e.workers == 1 ? "" : "s", duration(e.seconds / s_per_ns));
  if (e.workers == 0) return text + "It made no runtime of leat, so there is nothing to explain.\n";
  for (const profile_verdict& v : e.verdicts)
    text += fmt::format("{:>6}  {}{}.\n        {}\n", percent(v.cost), v.text, v.place.empty() ? "" : ", in " + v.place,
                        v.advice);
  if (e.verdicts.empty()) text += next_text(e) + "\n";
  else text += "\nThe percentages on the left are shares of all workers' time that each costs.\n";
  return text;
}

nlohmann::ordered_json explanation_json(const explanation& e) {
  nlohmann::ordered_json shares, verdicts = nlohmann::ordered_json::array();
  for (std::size_t c = 0; c < cause_count; ++c) shares[std::string(cause_names[c])] = e.cause_share[c];
  for (const profile_verdict& v : e.verdicts) verdicts.push_back(as_json(v));
  return {{"program", e.program}, {"workers", e.workers},
          {"seconds", e.seconds}, {"shares", shares},
          {"verdicts", verdicts}, {"next", e.next ? as_json(*e.next) : nlohmann::ordered_json()}};
}

std::string explanation_as(bool json, const explanation& e, const profile& of) {
  if (!json) return explanation_text(e) + span_text(of);
  nlohmann::ordered_json all = explanation_json(e);
  all["span"] = span_json(of);
  return as_text(all) + "\n";
}

}  // namespace leat::cli
