#include "report_picture.hpp"

#include "chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace leat::cli {

namespace {

// Lengths in units of the viewBox: the page that shows the picture scales it.
struct layout {
  static constexpr double width = 760;
  static constexpr double letter = 7.5;  // the width of one, at most, in most words
  static constexpr double values = 50;   // and for a speed-up, right of its bar
  static constexpr double key = 34;      // the height of the key
  static constexpr double bar = 10;
  static constexpr double gap = 12;   // between two groups
  static constexpr double axis = 40;  // below the last one
  static constexpr std::size_t colours = 8;
};

// It is shown as a file of its own, where no page's style reaches it.
constexpr const char* picture_style =
    ":root{--paper:#fff;--ink:#1c1f23;--rule:#d9dee4}"
    "@media(prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e6e9ed;--rule:#30363d}}"
    "text{font:13px system-ui,sans-serif;fill:var(--ink)}text.value{font-size:9.5px}"
    "line{stroke:var(--rule)}rect.paper{fill:var(--paper)}"
    ".p0{fill:#2a6fdb}.p1{fill:#d9822b}.p2{fill:#2f9e63}.p3{fill:#c03b5b}.p4{fill:#7b55c7}.p5{fill:#0f8b9d}"
    ".p6{fill:#8a6d3b}.p7{fill:#6b7480}";

struct column {
  std::string name;   // as the results have it
  std::string shown;  // as the key has it
};

std::vector<const result*> with_speedups(const results& all) {
  std::vector<const result*> found;
  for (const result& r : all.compared) {
    if (std::ranges::any_of(r.programs, [](const program_result& p) { return p.speedup.has_value(); }))
      found.push_back(&r);
  }
  if (found.empty())
    throw std::invalid_argument("--picture: no result has a serial program, so there are no speed-ups");
  for (const result* r : found) {
    if (r->workers != found.front()->workers)
      throw std::invalid_argument(
          fmt::format("--picture: workers = {} in {}, {} in {}: all results must have the same number",
                      found.front()->workers, found.front()->title, r->workers, r->title));
  }
  std::ranges::stable_sort(found, {}, &result::title);
  return found;
}

std::vector<column> columns_of(const std::vector<const result*>& results) {
  std::vector<column> columns;
  std::size_t schedulers = 0;
  for (const bool rival : {false, true}) {
    for (const result* r : results) {
      for (const program_result& p : r->programs) {
        if (p.rival == rival && std::ranges::find(columns, p.name, &column::name) == columns.end())
          columns.push_back({p.name, p.name});
      }
    }
    if (!rival) schedulers = columns.size();
  }
  if (columns.size() > layout::colours)
    throw std::invalid_argument(fmt::format("--picture: {} programs: at most {} have colours that are told apart",
                                            columns.size(), layout::colours));
  if (schedulers == 1) columns.front().shown = "leat";
  return columns;
}

double most_in(const std::vector<const result*>& results) {
  double most = 0;
  for (const result* r : results) {
    for (const program_result& p : r->programs) most = std::max(most, p.speedup.value_or(0));
  }
  return most;
}

std::string in_short(double speedup) {
  return speedup < 0.1 ? fmt::format("{:.1g}", speedup) : fmt::format("{:.2f}", speedup);
}

// The room for words of 13 units.
double room_for(const std::string& words) { return layout::letter * static_cast<double>(words.size()); }

std::string label(double x, double y, const char* attributes, const std::string& words) {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" {}>{}</text>)", x, y, attributes, escaped(words)) + "\n";
}

}  // namespace

std::string report_picture(const results& all) {
  const std::vector<const result*> groups = with_speedups(all);
  const std::vector<column> columns = columns_of(groups);
  double left = 0;  // of the bars
  for (const result* r : groups) left = std::max(left, 20 + room_for(r->title));
  const double most = most_in(groups);
  const double scale = std::max(300.0, layout::width - left - layout::values) / most;
  std::string inside;
  double y = layout::key;
  for (const result* r : groups) {
    const double top = y;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const program_result* const p = r->find(columns[i].name);
      if (p == nullptr || !p->speedup) continue;
      const double length = *p->speedup * scale;
      inside += fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{}" class="p{}"/>)", left, y, length,
                            layout::bar - 1, i) +
                label(left + length + 4, y + layout::bar - 2, R"(class="value")", in_short(*p->speedup));
      y += layout::bar;
    }
    inside += label(left - 10, (top + y) / 2 + 4, R"(text-anchor="end")", r->title);
    y += layout::gap;
  }
  std::string frame;
  for (double mark = 0; mark <= most; mark += step_for(most)) {
    const double x = left + mark * scale;
    frame += fmt::format(R"(<line x1="{0:.1f}" y1="{1}" x2="{0:.1f}" y2="{2:.1f}"/>)", x, layout::key - 6, y) +
             label(x, y + 14, R"(text-anchor="middle")", fmt::format("{:g}", mark));
  }
  double x = 10;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    frame += fmt::format(R"(<rect x="{:.1f}" y="8" width="10" height="10" class="p{}"/>)", x, i) +
             label(x + 15, 18, "", columns[i].shown);
    x += 35 + room_for(columns[i].shown);
  }
  frame +=
      label(left, y + 32, "", fmt::format("speed-up over the serial program, {} workers", groups.front()->workers));
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "role=\"img\">\n<style>{2}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{3}\n{4}</svg>\n",
      std::max(left + most * scale + layout::values, x), y + layout::axis, picture_style, frame, inside);
}

}  // namespace leat::cli
