#include "span_table.hpp"

#include "table.hpp"
#include "verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace leat::cli {

namespace {

std::vector<profiled_span> longest_first(std::vector<profiled_span> sites) {
  std::ranges::stable_sort(sites, std::greater<>(), &profiled_span::span_ns);
  return sites;
}

// Steals count, too: with the burdened span one sees what remains if each edge that can be stolen is stolen.
std::string parallelism(const profiled_span& s, std::uint64_t span_ns) {
  return span_ns == 0 ? "" : fmt::format("{:.1f}", static_cast<double>(s.work_ns) / static_cast<double>(span_ns));
}

std::vector<std::string> row(const profiled_span& s, const std::string& name, const std::string& calls) {
  return {name,
          duration(static_cast<double>(s.work_ns)),
          duration(static_cast<double>(s.span_ns)),
          duration(static_cast<double>(s.burdened_ns)),
          parallelism(s, s.span_ns),
          calls};
}

nlohmann::ordered_json as_json(const profiled_span& s) {
  return {{"work_ns", s.work_ns}, {"span_ns", s.span_ns}, {"burdened_span_ns", s.burdened_ns}};
}

}  // namespace

std::vector<std::vector<std::string>> span_rows(const profile& of) {
  if (!of.span) return {};
  std::vector<std::vector<std::string>> rows = {row(*of.span, "the whole program", "")};
  for (const profiled_span& s : longest_first(of.sites)) rows.push_back(row(s, s.site, std::to_string(s.count)));
  return rows;
}

std::string span_text(const profile& of, std::size_t sites_max) {
  std::vector<std::vector<std::string>> rows = span_rows(of);
  if (rows.empty()) return {};
  const std::size_t left_out = rows.size() - 1 - std::min(rows.size() - 1, sites_max);
  rows.resize(rows.size() - left_out);
  table shown({span_heads.begin(), span_heads.end()});
  for (std::vector<std::string>& cells : rows) shown.add(std::move(cells));
  std::string text = "\n" + shown.to_text();
  if (left_out != 0) text += fmt::format("and {} more, which `leat report` lists\n", left_out);
  if (of.span->work_ns == 0) return text + "The program ended inside a run, so the whole has no work and no span.\n";
  return text + fmt::format("If each task that can be stolen is stolen, the parallelism is {}.\n",
                            parallelism(*of.span, of.span->burdened_ns));
}

nlohmann::ordered_json span_json(const profile& of) {
  if (!of.span) return nullptr;
  nlohmann::ordered_json whole = as_json(*of.span), sites = nlohmann::ordered_json::array();
  whole["strands"] = of.span->count;
  for (const profiled_span& s : longest_first(of.sites)) {
    nlohmann::ordered_json site = {{"site", s.site}};
    site.update(as_json(s));
    site["calls"] = s.count;
    sites.push_back(std::move(site));
  }
  whole["sites"] = std::move(sites);
  return whole;
}

}  // namespace leat::cli
