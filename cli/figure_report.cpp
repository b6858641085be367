#include "figure_report.hpp"

#include "table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

namespace leat::cli {

namespace {

using nlohmann::ordered_json;

constexpr const char* no_number = "-";

std::string digits_of(std::optional<double> value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : no_number;
}

// The median, and the range of the seeds where there are several.
std::string cell_text(const std::optional<measured_number>& n, int digits, bool ranges) {
  if (!n) return no_number;
  const std::string median = digits_of(n->median, digits);
  return ranges ? fmt::format("{} ({}-{})", median, digits_of(n->least, digits), digits_of(n->most, digits)) : median;
}

// Columns of published numbers: those that are measured, first, then others.
std::vector<std::string> published_columns(const figure& f, const quantity& q) {
  std::vector<std::string> columns;
  const auto add = [&columns](const std::string& column) {
    if (std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
  };
  std::vector<std::string> given;
  for (const auto& [row, by_column] : q.published) {
    for (const auto& [column, numbers] : by_column) given.push_back(column);
  }
  for (const axis_value& v : f.columns.values) {
    if (std::ranges::find(given, v.label) != given.end()) add(v.label);
  }
  std::ranges::for_each(given, add);
  return columns;
}

std::vector<std::string> heads_of(const figure& f, const quantity& q, const std::vector<std::string>& published) {
  std::vector<std::string> heads;
  if (f.rows.there()) heads.push_back(f.rows.name);
  if (f.x.there()) heads.push_back(f.x.name);
  if (heads.empty()) heads.emplace_back();
  for (const axis_value& v : f.columns.values) heads.push_back(v.label.empty() ? q.name : v.label);
  for (const std::string& column : published) heads.push_back("published" + (column.empty() ? "" : ": " + column));
  return heads;
}

table table_of(const measured_figure& m, const quantity& q) {
  const figure& f = m.of;
  const std::vector<std::string> published = published_columns(f, q);
  table t(heads_of(f, q, published));
  for (const axis_value& row : f.rows.values) {
    for (const axis_value& x : f.x.values) {
      std::vector<std::string> line;
      if (f.rows.there()) line.push_back(row.label);
      if (f.x.there()) line.push_back(x.label);
      if (line.empty()) line.emplace_back();
      for (const axis_value& v : f.columns.values)
        line.push_back(cell_text(m.numbers.at(q.name, {row.label, v.label, x.label}), q.digits, f.runs() > 1));
      for (const std::string& column : published)
        line.push_back(digits_of(q.published_at(row.label, column, x.label), q.digits));
      t.add(std::move(line));
    }
  }
  return t;
}

std::string with_capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string judgement_line(const judgement& j) {
  return fmt::format("{}, {}: {}. Found: {}.", with_capital(std::string(name(j.about))), name(j.is), j.statement,
                     j.numbers);
}

// The command with the words of the axes named, not spelt out.
std::string command_line(const measured_figure& m) {
  command_words command(m.of.command);
  if (m.quick) command.add(m.of.quick.words);
  return "leat " + command.text();
}

std::string added_words(const measured_figure& m) {
  const figure& f = m.of;
  const bool quick = m.quick;
  std::string text, of_document;
  std::set<std::string> kernels;
  for (const cell& at : cells_of(f)) {
    const command_words command = command_of(f, m.paper, at, 1, quick);
    kernels.insert(command.command() + " " + command.kernel());
  }
  for (const auto& [kernel, words] : m.paper.words) {
    if (!words.empty() && kernels.contains(kernel)) of_document += fmt::format("; {} `{}`", kernel, words);
  }
  for (const axis* const a : {&f.rows, &f.columns, &f.x}) {
    std::string words;
    for (const axis_value& v : a->values) {
      const std::string own = quick && !v.quick.empty() ? v.words + " " + v.quick : v.words;
      if (!own.empty()) words += fmt::format("{}{} `{}`", words.empty() ? "" : ", ", v.label, own);
    }
    if (!words.empty()) text += fmt::format("{}{}", text.empty() ? "" : "; ", words);
  }
  return text.empty() && !of_document.empty() ? of_document.substr(2) : text + of_document;
}

std::string seeds_of(const figure& f) {
  if (!f.simulated()) return "Measured on this machine.";
  const bool seeds = f.samples.empty();
  if (f.runs() == 1) return seeds ? "One seed." : fmt::format("One run, with `{}`.", f.samples.front());
  return fmt::format("Medians of {} {}, with the least and the greatest in brackets.", f.runs(),
                     seeds ? "seeds" : fmt::format("runs, with `{}`", fmt::join(f.samples, "`, `")));
}

table summary_of(const std::vector<measured_figure>& all) {
  table t({"figure", "ordering", "size"});
  for (const measured_figure& m : all)
    t.add({m.of.name, verdict_on(m, criterion::subject::ordering), verdict_on(m, criterion::subject::size)});
  return t;
}

ordered_json axis_json(const axis& a) {
  ordered_json labels = ordered_json::array();
  for (const axis_value& v : a.values) labels.push_back(v.label);
  return {{"name", a.name}, {"labels", labels}};
}

ordered_json points_json(const measured_figure& m, const quantity& q) {
  ordered_json points = ordered_json::array();
  for (const cell& at : cells_of(m.of)) {
    const auto number = m.numbers.at(q.name, at);
    const auto published = q.published_at(at.row, at.column, at.x);
    points.push_back({{"row", at.row},
                      {"column", at.column},
                      {"x", at.x},
                      {"median", number ? ordered_json(number->median) : ordered_json()},
                      {"least", number ? ordered_json(number->least) : ordered_json()},
                      {"most", number ? ordered_json(number->most) : ordered_json()},
                      {"published", published ? ordered_json(*published) : ordered_json()}});
  }
  return points;
}

}  // namespace

measured_figure measured(figure f, const document& paper, bool quick, const figure_numbers::outputs& printed) {
  figure_numbers numbers(f, paper, quick, printed);
  measured_figure m{std::move(f), paper, quick, std::move(numbers), {}};
  for (const criterion& c : m.of.criteria) m.judgements.push_back(judge(c, m.numbers.judged_by(m.of)));
  return m;
}

std::string verdict_on(const measured_figure& m, criterion::subject about) {
  const auto is = verdict_of(m.judgements, about);
  if (!is) return no_number;
  const auto of_it = [about](const judgement& j) { return j.about == about; };
  const auto good = std::ranges::count_if(
      m.judgements, [&](const judgement& j) { return of_it(j) && j.is == verdict::as_published; });
  const auto all = std::ranges::count_if(m.judgements, of_it);
  if (*is == verdict::not_as_published && good != 0) return fmt::format("{} ({} of {} are)", name(*is), good, all);
  return std::string(name(*is));
}

ordered_json to_json(const measured_figure& m) {
  ordered_json quantities = ordered_json::array();
  for (const quantity& q : m.of.quantities) quantities.push_back({{"name", q.name}, {"points", points_json(m, q)}});
  ordered_json judgements = ordered_json::array();
  for (const judgement& j : m.judgements) {
    judgements.push_back(
        {{"about", name(j.about)}, {"verdict", name(j.is)}, {"statement", j.statement}, {"numbers", j.numbers}});
  }
  return {{"figure", m.of.name},
          {"document", m.paper.title},
          {"title", m.of.title},
          {"quick", m.quick},
          {"picture", m.of.picture},
          {"command", command_line(m)},
          {"seeds", m.of.seeds},
          {"samples", m.of.samples},
          {"rows", axis_json(m.of.rows)},
          {"columns", axis_json(m.of.columns)},
          {"x", axis_json(m.of.x)},
          {"quantities", std::move(quantities)},
          {"ordering", verdict_on(m, criterion::subject::ordering)},
          {"size", verdict_on(m, criterion::subject::size)},
          {"criteria", std::move(judgements)}};
}

std::string to_text(const measured_figure& m) {
  std::string text = fmt::format("{}: {}{}\n\n{}\n", m.of.name, m.of.title, m.quick ? " (quick)" : "", m.of.says);
  if (!m.of.note.empty()) text += m.of.note + '\n';
  for (const quantity& q : m.of.quantities) text += fmt::format("\n{}\n{}", q.name, table_of(m, q).to_text());
  text += '\n';
  for (const judgement& j : m.judgements) text += judgement_line(j) + '\n';
  return text + fmt::format("{}\n{}\n", command_line(m), seeds_of(m.of));
}

std::string to_markdown(const measured_figure& m, const std::string& picture) {
  std::string text = fmt::format("## {}: {}{}\n\n{}\n", m.of.name, m.of.title, m.quick ? " (quick)" : "", m.of.says);
  if (!m.of.note.empty()) text += fmt::format("\n{}\n", m.of.note);
  for (const quantity& q : m.of.quantities)
    text += fmt::format("\n{}:\n\n{}", with_capital(q.name), table_of(m, q).to_markdown());
  if (!picture.empty()) text += fmt::format("\n![{}]({})\n", m.of.name, picture);
  if (!m.judgements.empty()) text += '\n';
  for (const judgement& j : m.judgements) text += "- " + judgement_line(j) + '\n';
  const std::string added = added_words(m);
  return text + fmt::format("\n`{}`{}. {}\n", command_line(m), added.empty() ? "" : ", with " + added, seeds_of(m.of));
}

std::string summary_text(const std::vector<measured_figure>& all) { return summary_of(all).to_text(); }
std::string summary_markdown(const std::vector<measured_figure>& all) { return summary_of(all).to_markdown(); }

}  // namespace leat::cli
