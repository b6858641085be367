#include "profile_page.hpp"

#include "chart.hpp"
#include "drawn_times.hpp"
#include "explanation.hpp"
#include "json_text.hpp"
#include "profile_script.hpp"
#include "span_table.hpp"
#include "verdicts.hpp"

#include <leat/version.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

namespace leat::cli {

namespace {

using nlohmann::ordered_json;

// A page with so many intervals has a few megabytes at most.
constexpr std::size_t drawn_intervals_max = 200'000;

std::string name_of(const drawn_worker& w, bool several_runtimes) {
  return several_runtimes ? fmt::format("{} {}, {}", w.runtime->kind, w.runtime->id, w.worker->number)
                          : fmt::format("worker {}", w.worker->number);
}

std::string verdict_list(const explanation& e) {
  if (e.verdicts.empty()) {
    // Its first two lines are the program and an empty one.
    const std::string text = explanation_text(e);
    return fmt::format("<p>{}</p>\n", escaped(text.substr(text.find("\n\n") + 2)));
  }
  std::string list = "<ol>";
  for (const profile_verdict& v : e.verdicts) {
    list += fmt::format("<li><b>{}</b><span>{}{}.<small>{}</small></span></li>\n", percent(v.cost), escaped(v.text),
                        v.place.empty() ? "" : ", in " + escaped(v.place), escaped(v.advice));
  }
  return list + "</ol>\n<p>The percentages are shares of all workers' time that each costs.</p>\n";
}

ordered_json line_of(const drawn_worker& w, bool several_runtimes) {
  std::string letters;
  ordered_json lengths = ordered_json::array();
  for (const profile_interval& i : w.intervals) {
    letters += cause_letters[static_cast<std::size_t>(i.what)];
    lengths.push_back(i.end_ns - i.begin_ns);
  }
  return {{"name", name_of(w, several_runtimes)},
          {"at", w.intervals.empty() ? 0 : w.intervals.front().begin_ns},
          {"what", letters},
          {"ns", lengths}};
}

std::string data_of(const profile& of, const drawn_times& times) {
  ordered_json names = ordered_json::array(), lines = ordered_json::array();
  for (const std::string_view name : cause_names) names.push_back(name);
  std::uint64_t end_ns = of.elapsed_ns;
  for (const drawn_worker& w : times.workers) {
    lines.push_back(line_of(w, of.runtimes.size() > 1));
    if (!w.intervals.empty()) end_ns = std::max(end_ns, w.intervals.back().end_ns);
  }
  return script_text({{"letters", cause_letters}, {"names", names}, {"end_ns", end_ns}, {"workers", lines}});
}

// Colours and names, with the share of all workers' time.
std::string cause_key(const explanation& e) {
  std::string key = "<div id=\"key\">";
  for (std::size_t c = 0; c < cause_count; ++c) {
    if (e.cause_share[c] == 0 && c != 0) continue;
    key += fmt::format("<span><i style=\"background:var(--{})\"></i>{} {}</span>\n", cause_letters[c], cause_names[c],
                       percent(e.cause_share[c]));
  }
  return key + "</div>\n";
}

std::string table_row(const std::vector<std::string>& cells, const char* cell) {
  std::string text = "<tr>";
  for (const std::string& c : cells) text += fmt::format("<{}>{}</{}>", cell, escaped(c), cell);
  return text + "</tr>\n";
}

std::string counter(const profiled_worker& w, const char* name) {
  const auto known = w.counters.find(name);
  return known == w.counters.end() ? "0" : std::to_string(known->second);
}

std::string totals(const profile& of, const drawn_times& times) {
  std::vector<std::string> heads = {"worker"};
  for (const std::string_view name : cause_names) heads.emplace_back(name);
  heads.insert(heads.end(), {"CPU time", "without a CPU", "tasks", "steals"});
  std::string rows = table_row(heads, "th");
  for (const drawn_worker& drawn : times.workers) {
    const profiled_worker& w = *drawn.worker;
    std::vector<std::string> cells = {name_of(drawn, of.runtimes.size() > 1)};
    for (const profile_sum& sum : w.sums) cells.push_back(duration(static_cast<double>(sum.ns)));
    cells.insert(cells.end(), {duration(static_cast<double>(w.ran_ns)), duration(static_cast<double>(w.queued_ns)),
                               counter(w, "tasks"), counter(w, "steals")});
    rows += table_row(cells, "td");
  }
  return fmt::format("<div class=\"wide\"><table>{}</table></div>\n", rows);
}

std::string sites(const profile& of) {
  if (!of.span) return "";
  std::string rows = table_row({span_heads.begin(), span_heads.end()}, "th");
  for (const std::vector<std::string>& cells : span_rows(of)) rows += table_row(cells, "td");
  return fmt::format("<h2>Work and span</h2>\n<div class=\"wide\"><table>{}</table></div>\n", rows);
}

constexpr const char* time_lines =
    R"html(<div id="bar"><button id="in" aria-label="Enlarge">+</button><button id="out" aria-label="Make smaller">&#8722;</button>
<button id="back" aria-label="Earlier">&#8592;</button><button id="on" aria-label="Later">&#8594;</button>
<button id="all">All</button><span id="span"></span></div>
<canvas id="times" aria-label="What each worker did over time"></canvas><div id="said" aria-live="polite"></div>
)html";

}  // namespace

std::string profile_page(const profile& of) {
  const explanation found = explained(of, {});
  const drawn_times times = drawn(of, drawn_intervals_max);
  const std::string merged =
      times.resolution_ns == 0
          ? ""
          : fmt::format(" What is shorter than {} is drawn as what takes most of the time around it.",
                        duration(static_cast<double>(times.resolution_ns)));
  const std::string program = escaped(of.program);
  constexpr double ns_per_s = 1e9;
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "<title>leat: profile of {}</title><style>{}</style></head>\n<body>\n<h1>{}</h1>\n"
      "<p>{} workers, {}; leat {}</p>\n{}<h2>Workers over time</h2>\n"
      "<p>Drag to move; turn the wheel, pinch or press + and &#8722; to enlarge.{}</p>\n{}{}"
      "<h2>Totals</h2>\n{}{}<script>\nconst D={};\n{}</script>\n</body></html>\n",
      program, profile_style, program, found.workers, duration(found.seconds * ns_per_s), version(),
      verdict_list(found), merged, cause_key(found), time_lines, totals(of, times), sites(of), data_of(of, times),
      profile_script);
}

}  // namespace leat::cli
