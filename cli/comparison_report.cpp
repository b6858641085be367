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

std::optional<double> efficiency(const compared_program& p, unsigned workers) {
  return p.speedup ? std::optional(*p.speedup / workers) : std::nullopt;
}

ordered_json json_of(const char* kind, const compared_program& p) {
  return {
      {kind, p.name},
      {"seconds", p.seconds.median},
      {"p10", p.seconds.p10},
      {"p90", p.seconds.p90},
      {"of_best", p.of_best},
      {"speedup", or_null(p.speedup)},
      {"alone_seconds", p.alone ? ordered_json(p.alone->median) : ordered_json()},
      {"overhead", or_null(p.overhead)},
      {"standing", name(p.standing)},
      {"rounds", p.seconds.rounds},
  };
}

ordered_json json_of(const compared_scheduler& s) {
  ordered_json all = json_of("scheduler", s);
  all["counters"] = to_json(s.counters.all);
  all["worker_counters"] = to_json(s.counters.workers);
  all["counted"] = to_json(s.counted);
  return all;
}

ordered_json noise_of(const std::optional<spread>& noise) {
  if (!noise) return {};
  return {{"seconds", noise->median}, {"p10", noise->p10}, {"p90", noise->p90}};
}

// Text that stands where there is no number.
constexpr const char* nothing = "-";

std::string in_digits(std::optional<double> value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : nothing;
}

table times_of(const comparison_report& r) {
  const bool alone = std::ranges::any_of(r.found.schedulers, [](const auto& s) { return s.alone.has_value(); });
  std::vector<std::string> heads = {"program", "seconds", "10 %", "90 %", "of best", "speed-up", "efficiency"};
  if (alone) heads.insert(heads.end(), {"T1", "T1/Ts"});
  heads.emplace_back("standing");
  table times(std::move(heads));
  const auto add = [&](const compared_program& p) {
    std::vector<std::string> cells = {p.name};
    for (const double seconds : {p.seconds.median, p.seconds.p10, p.seconds.p90})
      cells.push_back(in_digits(seconds, 6));
    cells.push_back(in_digits(p.of_best, 3));
    cells.push_back(in_digits(p.speedup, 3));
    cells.push_back(in_digits(efficiency(p, r.workers), 3));
    if (alone) cells.insert(cells.end(), {in_digits(p.alone->median, 6), in_digits(p.overhead, 3)});
    cells.emplace_back(name(p.standing));
    times.add(std::move(cells));
  };
  std::ranges::for_each(r.found.schedulers, add);
  std::ranges::for_each(r.found.rivals, add);
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
    std::vector<std::string> cells = {s.name};
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
  if (const auto& noise = r.found.noise) {
    text += fmt::format("; noise {:.1f} % ({:.3f} to {:.3f} ms for the same work before each turn)",
                        100 * (noise->p90 / noise->p10 - 1), 1e3 * noise->p10, 1e3 * noise->p90);
  }
  return text;
}

// What the column `standing` means in this comparison, and who is not in it.
std::string rule(const comparison_report& r) {
  std::string text = fmt::format("With fewer than {} rounds no difference is called.", rounds_to_judge);
  if (const auto ratio = r.found.told_apart_above) {
    text = fmt::format(
        "Medians, 10th and 90th percentiles. Not told apart: the range between these overlaps that of the best, or the "
        "medians differ by less than {:.1f} %, as the noise does, or the programs themselves.",
        100 * (*ratio - 1));
  }
  for (const auto& [rival, why] : r.found.left_out) text += fmt::format(" Left out: {} ({}).", rival, why);
  return text;
}

}  // namespace

ordered_json to_json(const comparison_report& r) {
  ordered_json schedulers = ordered_json::array();
  for (const compared_scheduler& s : r.found.schedulers) schedulers.push_back(json_of(s));
  ordered_json rivals = ordered_json::array();
  for (const compared_program& p : r.found.rivals) rivals.push_back(json_of("rival", p));
  ordered_json left_out = ordered_json::object();
  for (const auto& [rival, why] : r.found.left_out) left_out[rival] = why;
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
      {"noise", noise_of(r.found.noise)},
      {"told_apart_above", or_null(r.found.told_apart_above)},
      {"serial_seconds", of_serial(&spread::median)},
      {"serial_p10", of_serial(&spread::p10)},
      {"serial_p90", of_serial(&spread::p90)},
      {"serial_rounds", of_serial(&spread::rounds)},
      {"schedulers", std::move(schedulers)},
      {"rivals", std::move(rivals)},
      {"left_out", std::move(left_out)},
  };
}

namespace {

// As a cell of CSV.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? "\"\"" : std::string(1, c);
  return cell + '"';
}

std::string csv_row(const comparison_report& r, std::string_view kind, const std::string& program, const spread& s) {
  return fmt::format("{},{},{},{},{},{},{:.9g},{:.9g},{:.9g}", r.benchmark, quoted(r.title), r.workers, r.repeat, kind,
                     quoted(program), s.median, s.p10, s.p90);
}

std::string csv_row(const comparison_report& r, std::string_view kind, const compared_program& p) {
  const auto number = [](std::optional<double> value) { return value ? fmt::format("{:.9g}", *value) : std::string(); };
  const std::optional<double> alone = p.alone ? std::optional(p.alone->median) : std::nullopt;
  return fmt::format("{},{:.9g},{},{},{},{},{}\n", csv_row(r, kind, p.name, p.seconds), p.of_best, number(p.speedup),
                     number(efficiency(p, r.workers)), number(alone), number(p.overhead), name(p.standing));
}

}  // namespace

std::string csv_head() {
  return "benchmark,title,workers,repeat,kind,program,seconds,p10,p90,of_best,speedup,efficiency,alone_seconds,"
         "overhead,standing\n";
}

std::string to_csv(const comparison_report& r) {
  constexpr const char* no_more = ",,,,,,\n";
  std::string rows;
  if (r.found.noise) rows += csv_row(r, "noise", "", *r.found.noise) + no_more;
  if (r.found.serial) rows += csv_row(r, "serial", "serial", *r.found.serial) + no_more;
  for (const compared_scheduler& s : r.found.schedulers) rows += csv_row(r, "scheduler", s);
  for (const compared_program& p : r.found.rivals) rows += csv_row(r, "rival", p);
  return rows;
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
