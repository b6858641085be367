#include "comparison_report.hpp"

#include "measurement.hpp"
#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace leat::cli {

namespace {

using nlohmann::ordered_json;

constexpr std::array shown_events = {event::steals, event::taken, event::exposed, event::unstolen, event::interrupts};

ordered_json json_of(const compared_scheduler& s) {
  return {
      {"scheduler", s.scheduler},
      {"seconds", s.seconds.median},
      {"p10", s.seconds.p10},
      {"p90", s.seconds.p90},
      {"of_best", s.of_best},
      {"speedup", or_null(s.speedup)},
      {"standing", name(s.standing)},
      {"rounds", s.seconds.rounds},
      {"counters", to_json(s.counters.all)},
      {"worker_counters", to_json(s.counters.workers)},
      {"counted", to_json(s.counted)},
  };
}

// Text that stands where there is no number.
constexpr const char* nothing = "-";

table times_of(const comparison_report& r) {
  table times({"scheduler", "seconds", "10 %", "90 %", "of best", "speed-up", "standing"});
  for (const compared_scheduler& s : r.found.schedulers) {
    times.add({s.scheduler, fmt::format("{:.6f}", s.seconds.median), fmt::format("{:.6f}", s.seconds.p10),
               fmt::format("{:.6f}", s.seconds.p90), fmt::format("{:.3f}", s.of_best),
               s.speedup ? fmt::format("{:.3f}", *s.speedup) : nothing, std::string(name(s.standing))});
  }
  return times;
}

table events_of(const comparison_report& r) {
  const bool counted = std::ranges::any_of(r.found.schedulers, [](const auto& s) { return s.counted.has_value(); });
  std::vector<std::string> heads = {"a run"};
  for (const event e : shown_events) heads.emplace_back(name(e));
  for (const event e : counted_events) {
    if (counted) heads.push_back(fmt::format("{}/{}", name(e), r.unit));
  }
  table events(heads);
  for (const compared_scheduler& s : r.found.schedulers) {
    std::vector<std::string> cells = {s.scheduler};
    for (const event e : shown_events) cells.push_back(std::to_string(s.counters[e]));
    for (const event e : counted_events) {
      if (!s.counted) continue;
      const std::optional<double> amount = s.counted->per_unit(e);
      cells.push_back(amount ? fmt::format("{:.3g}", *amount) : nothing);
    }
    events.add(std::move(cells));
  }
  return events;
}

std::string plural(unsigned n, std::string_view noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

std::string circumstances(const comparison_report& r) {
  std::string text = fmt::format("{}, steal {}, {}, each run after {}", plural(r.workers, "worker"), r.steal,
                                 plural(r.repeat, "round"), plural(r.warmup, "run") + " to warm up");
  if (const auto& serial = r.found.serial) {
    text += fmt::format("; serial {:.6f} s ({:.6f} to {:.6f})", serial->median, serial->p10, serial->p90);
  }
  return text;
}

// What the column `standing` means in this comparison.
std::string rule(const comparison_report& r) {
  if (r.repeat < rounds_to_judge) {
    return fmt::format("With fewer than {} rounds no difference is called.", rounds_to_judge);
  }
  return "Medians, 10th and 90th percentiles. Equal: the range between these overlaps that of the best.";
}

}  // namespace

ordered_json to_json(const comparison_report& r) {
  ordered_json schedulers = ordered_json::array();
  for (const compared_scheduler& s : r.found.schedulers) schedulers.push_back(json_of(s));
  const auto of_serial = [&r](auto part) {
    return r.found.serial ? ordered_json(*r.found.serial.*part) : ordered_json();
  };
  return {
      {"benchmark", r.benchmark},
      {"parameters", r.parameters},
      {"steal", r.steal},
      {"workers", r.workers},
      {"repeat", r.repeat},
      {"warmup", r.warmup},
      {"result_ok", true},  // else there is no report
      {"serial_seconds", of_serial(&spread::median)},
      {"serial_p10", of_serial(&spread::p10)},
      {"serial_p90", of_serial(&spread::p90)},
      {"serial_rounds", of_serial(&spread::rounds)},
      {"schedulers", std::move(schedulers)},
  };
}

std::string to_text(const comparison_report& r) {
  return fmt::format("{}\n{}\n\n{}\n{}\n{}", r.title, circumstances(r), times_of(r).to_text(), events_of(r).to_text(),
                     rule(r) + '\n');
}

std::string to_markdown(const comparison_report& r) {
  return fmt::format("**{}**, {}.\n\n{}\n{}\n{}", r.title, circumstances(r), times_of(r).to_markdown(),
                     events_of(r).to_markdown(), rule(r) + '\n');
}

}  // namespace leat::cli
