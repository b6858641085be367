#include "report_page.hpp"

#include "chart.hpp"

#include <leat/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace leat::cli {

namespace {

constexpr const char* style = R"(
:root{--paper:#fff;--ink:#1c1f23;--faint:#6b7480;--rule:#d9dee4;--own:#2a6fdb;--other:#a3adb8;--best:#e6f0ff}
@media(prefers-color-scheme:dark){:root{--paper:#15181c;--ink:#e6e9ed;--faint:#98a2ad;--rule:#30363d;--own:#5b97f0;--other:#5f6973;--best:#1d2f4a}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1100px;padding:1rem;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.6rem;margin:.5rem 0}h2{font-size:1.15rem;margin:2.2rem 0 .4rem;border-top:1px solid var(--rule);padding-top:1rem}
p,figcaption{color:var(--faint);margin:.3rem 0;max-width:70ch}figure{margin:.6rem 0}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .6rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--rule)}
th:first-child,td:first-child{text-align:left;position:sticky;left:0;background:var(--paper);white-space:normal;min-width:8rem;max-width:40vw}
td.best{background:var(--best);font-weight:600}small{color:var(--faint)}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24rem),1fr));gap:1rem}
svg{width:100%;height:auto;max-width:640px}svg text{font:12px system-ui,sans-serif;fill:var(--ink)}
@media(max-width:500px){svg text{font-size:14px}}
.own{fill:var(--own)}.other{fill:var(--other)}.range{stroke:var(--ink);stroke-width:1.5}
.mark{stroke:var(--faint);stroke-dasharray:4 3}.grid{stroke:var(--rule)}path{fill:none;stroke-width:2}
.c0{stroke:#2a6fdb}.c1{stroke:#d9822b}.c2{stroke:#2f9e63}.c3{stroke:#c03b5b}.c4{stroke:#7b55c7}.c5{stroke:#0f8b9d}.c6{stroke:#8a6d3b}.c7{stroke:#6b7480}.c8{stroke:#b13ab0}
.p0{fill:#2a6fdb}.p1{fill:#d9822b}.p2{fill:#2f9e63}.p3{fill:#c03b5b}.p4{fill:#7b55c7}.p5{fill:#0f8b9d}.p6{fill:#8a6d3b}.p7{fill:#6b7480}.p8{fill:#b13ab0}
)";

// The programs of some results: schedulers, then rivals, each in the order of its first appearance.
std::vector<std::string> programs_of(const std::vector<const result*>& results) {
  std::vector<std::string> names;
  for (const bool rival : {false, true}) {
    for (const result* r : results) {
      for (const program_result& p : r->programs) {
        if (p.rival == rival && std::ranges::find(names, p.name) == names.end()) names.push_back(p.name);
      }
    }
  }
  return names;
}

// With two digits that say something, however small it is.
std::string in_digits(double speedup) {
  return speedup < 0.1 ? fmt::format("{:.2g}", speedup) : fmt::format("{:.2f}", speedup);
}

// A speed-up and how far it is below the best one; the time, where the serial program was not run.
std::string summary_cell(const program_result* p) {
  if (p == nullptr) return "<td>-</td>";
  const std::string value = p->speedup ? in_digits(*p->speedup) : fmt::format("{:.4g} s", p->seconds);
  if (p->of_best <= 1) return fmt::format(R"(<td class="best">{}</td>)", value);
  const char* const alike = p->standing == "not told apart" ? " ~" : "";
  return fmt::format("<td>{} <small>-{:.1f} %{}</small></td>", value, 100 - 100 / p->of_best, alike);
}

// A geometric mean, and of how many numbers.
struct ratio_mean {
  double value = 0;
  std::size_t count = 0;
};

// Of ratio(result), where it is not none.
template <class Ratio>
ratio_mean mean_of(const std::vector<const result*>& all, Ratio ratio) {
  ratio_mean mean;
  double sum = 0;
  for (const result* r : all) {
    const std::optional<double> one = ratio(*r);
    if (!one) continue;
    sum += std::log(*one);
    ++mean.count;
  }
  if (mean.count != 0) mean.value = std::exp(sum / static_cast<double>(mean.count));
  return mean;
}

// What the programs come to over all workloads: beside the best ones, in those in which all take part, and beside the first
// program, in those in which one takes part.
std::string mean_rows(const std::vector<const result*>& all, const std::vector<std::string>& programs) {
  std::vector<const result*> common;
  std::ranges::copy_if(all, std::back_inserter(common), [&](const result* r) {
    return std::ranges::all_of(programs, [r](const std::string& name) { return r->find(name) != nullptr; });
  });
  std::string rows;
  if (!common.empty()) {
    rows += fmt::format("<tr><td>times the best one's time (geometric mean of {})</td>", common.size());
    for (const std::string& name : programs) {
      const auto of_best = [&](const result& r) { return std::optional(r.find(name)->of_best); };
      rows += fmt::format("<td>{:.3f}</td>", mean_of(common, of_best).value);
    }
    rows += "</tr>\n";
  }
  const std::string& first = programs.front();
  rows += fmt::format("<tr><td>times {}'s time (geometric mean of so many)</td>", escaped(first));
  for (const std::string& name : programs) {
    const ratio_mean mean = mean_of(all, [&](const result& r) -> std::optional<double> {
      const program_result* const own = r.find(name);
      const program_result* const other = r.find(first);
      if (own == nullptr || other == nullptr) return std::nullopt;
      return own->seconds / other->seconds;
    });
    rows +=
        mean.count != 0 ? fmt::format("<td>{:.3f} <small>of {}</small></td>", mean.value, mean.count) : "<td>-</td>";
  }
  return rows + "</tr>\n";
}

// `all`: those with one number of workers.
std::string summary_table(const std::vector<const result*>& all) {
  const std::vector<std::string> programs = programs_of(all);
  if (programs.empty()) return "";
  std::string rows = "<tr><th>workload</th>";
  for (const std::string& name : programs) rows += "<th>" + escaped(name) + "</th>";
  rows += "</tr>\n";
  for (const result* r : all) {
    rows += "<tr><td>" + escaped(r->workload) + "</td>";
    for (const std::string& name : programs) rows += summary_cell(r->find(name));
    rows += "</tr>\n";
  }
  return "<div class=\"wide\"><table>\n" + rows + mean_rows(all, programs) + "</table></div>\n";
}

std::string noise_of(const result& r) { return r.noise ? fmt::format("; noise {:.1f} %", 100 * *r.noise) : ""; }

std::string times_figure(const result& r) {
  std::vector<bar> all;
  if (r.serial_seconds) {
    for (const program_result& p : r.programs) {
      all.push_back({p.name, p.speedup.value_or(0), *r.serial_seconds / p.p90, *r.serial_seconds / p.p10, p.rival});
    }
    return fmt::format(
        "<figure>{}<figcaption>Speed-up over the serial program ({:.4g} s) with {} workers; medians of "
        "{}, 10th to 90th percentile{}</figcaption></figure>",
        bars(all, r.workers, 2), *r.serial_seconds, r.workers, r.repeat, noise_of(r));
  }
  for (const program_result& p : r.programs)
    all.push_back({p.name, 1e3 * p.seconds, 1e3 * p.p10, 1e3 * p.p90, p.rival});
  return fmt::format(
      "<figure>{}<figcaption>Milliseconds with {} workers; medians of {}, 10th to 90th "
      "percentile{}</figcaption></figure>",
      bars(all, std::nullopt, 3), r.workers, r.repeat, noise_of(r));
}

// Of one workload, by the number of workers.
std::string curves_figure(const std::vector<const result*>& same) {
  std::map<std::string, curve> by_name;
  std::vector<std::string> order;
  for (const result* r : same) {
    for (const program_result& p : r->programs) {
      if (!p.speedup) continue;
      auto [at, is_new] = by_name.try_emplace(p.name, curve{p.name, {}});
      if (is_new) order.push_back(p.name);
      at->second.points.emplace_back(r->workers, *p.speedup);
    }
  }
  std::vector<curve> all;
  for (const std::string& name : order) all.push_back(by_name[name]);
  return "<figure>" + curves(all, "workers", "speed-up") + "</figure>";
}

// What each worker of the first scheduler executed and stole in one run.
std::string workers_figure(const result& r) {
  const auto first = std::ranges::find(r.programs, false, &program_result::rival);
  if (first == r.programs.end()) return "";
  std::vector<bar> tasks;
  for (std::size_t w = 0; w < first->workers.size(); ++w) {
    const auto& counters = first->workers[w];
    const auto of = [&](const char* event) { return counters.contains(event) ? counters.at(event) : 0; };
    const auto executed = static_cast<double>(of("tasks"));
    tasks.push_back({fmt::format("worker {} ({} steals)", w, of("steals")), executed, 0, 0, false});
  }
  return fmt::format("<figure>{}<figcaption>Tasks that each worker executed, {}, one run</figcaption></figure>",
                     bars(tasks, std::nullopt, 0), escaped(first->name));
}

// Who asked and who gave, in a run.
std::string messages_table(const result& r) {
  constexpr std::array<std::pair<const char*, const char*>, 9> events = {{{"tasks", "tasks"},
                                                                          {"steals", "steals"},
                                                                          {"tasks_stolen", "tasks stolen"},
                                                                          {"requests_sent", "requests sent"},
                                                                          {"requests_forwarded", "forwarded"},
                                                                          {"requests_pooled", "pooled"},
                                                                          {"requests_revoked", "revoked"},
                                                                          {"updates", "updates"},
                                                                          {"parks", "parks"}}};
  std::string rows = "<tr><th>a run</th>";
  for (const auto& [event, head] : events) rows += fmt::format("<th>{}</th>", head);
  rows += "</tr>\n";
  for (const program_result& p : r.programs) {
    if (p.rival) continue;
    rows += "<tr><td>" + escaped(p.name) + "</td>";
    for (const auto& [event, head] : events) {
      rows += fmt::format("<td>{}</td>", p.counters.contains(event) ? p.counters.at(event) : 0);
    }
    rows += "</tr>\n";
  }
  return "<div class=\"wide\"><table>\n" + rows + "</table></div>\n";
}

// The work overhead of those that ran with one worker, too.
std::string overhead_figure(const result& r) {
  std::vector<bar> all;
  for (const program_result& p : r.programs) {
    if (p.overhead) all.push_back({p.name, *p.overhead, 0, 0, p.rival});
  }
  if (all.empty()) return "";
  return fmt::format(
      "<figure>{}<figcaption>Work overhead: the time with one worker over that of the serial program"
      "</figcaption></figure>\n",
      bars(all, 1, 2));
}

// Where each worker's time went.
std::string profile_section(const execution_profile& p) {
  std::vector<divided_bar> all;
  constexpr std::size_t named = 4;  // every so many-th
  for (std::size_t w = 0; w < p.workers.size(); ++w) {
    const bool has_name = p.workers.size() <= 2 * named || w % named == 0;
    all.push_back({has_name ? fmt::format("{}", w) : "", {p.workers[w].begin(), p.workers[w].end()}});
  }
  const std::string speedup = p.speedup ? fmt::format(", {:.2f} times as fast as the serial program", *p.speedup) : "";
  return fmt::format(
      "<h2>{}: execution-time profile</h2>\n<figure>{}<figcaption>Where the time of each of {} workers went, simulated "
      "on "
      "{}, {}: {:.3f} ms{}. Running tasks; queueing, on lines that are at hand; messages, waiting for lines that "
      "others "
      "had: sending and receiving tasks and requests; searching, awake without tasks; waking others; asleep."
      "</figcaption></figure>\n",
      escaped(p.workload),
      divided_bars(all, {"running tasks", "queueing", "messages", "searching", "waking", "asleep"}), p.workers.size(),
      p.machine.empty() ? "a flat machine" : escaped(p.machine), escaped(p.scheduler), 1e3 * p.seconds, speedup);
}

std::string workload_section(const std::vector<const result*>& same) {
  const result& most = *same.back();
  std::string section = "<h2>" + escaped(most.workload) + "</h2>\n<div class=\"pair\">\n";
  section += times_figure(most) + "\n";
  if (same.size() > 1 && most.serial_seconds) section += curves_figure(same) + "\n";
  section += overhead_figure(most) + workers_figure(most) + "\n</div>\n" + messages_table(most);
  return section;
}

std::string compared_sections(const std::vector<result>& compared) {
  std::set<unsigned, std::greater<>> counts;
  for (const result& r : compared) counts.insert(r.workers);
  std::string body;
  for (const unsigned workers : counts) {
    body += fmt::format("<h2>All workloads, {} {}</h2>\n", workers, workers == 1 ? "worker" : "workers");
    body +=
        "<p>Speed-ups over the serial program, and how far each is below the best of its row; ~ where it is not told "
        "apart from that: the noise could have made the difference.</p>\n";
    std::vector<const result*> with_so_many;
    for (const result& r : compared) {
      if (r.workers == workers) with_so_many.push_back(&r);
    }
    body += summary_table(with_so_many);
  }
  std::vector<const result*> same;
  for (std::size_t i = 0; i < compared.size(); ++i) {
    same.push_back(&compared[i]);
    if (i + 1 < compared.size() && compared[i + 1].workload == compared[i].workload) continue;
    body += workload_section(same);
    same.clear();
  }
  return body;
}

}  // namespace

std::string report_page(const results& all) {
  std::string body = fmt::format("<h1>leat {}: {}</h1>\n", version(), all.compared.empty() ? "simulated" : "measured");
  body += compared_sections(all.compared);
  for (const execution_profile& p : all.profiles) body += profile_section(p);
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "<title>leat: measured</title><style>{}</style></head>\n<body>\n{}</body></html>\n",
      style, body);
}

}  // namespace leat::cli
