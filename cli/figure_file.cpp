#include "figure_file.hpp"

#include "figure_criteria.hpp"
#include "json_members.hpp"
#include "json_text.hpp"
#include "whole_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <strings.h>

namespace leat::cli {

namespace {

using nlohmann::ordered_json;

constexpr const char* documents_file = "documents.json";
constexpr unsigned seeds_max = 100;
constexpr unsigned limit_s_max = 7200;
constexpr unsigned digits_max = 9;
constexpr std::size_t axis_values_max = 200;

axis_value read_value(const json_members& in) {
  in.expect_only({"label", "words", "quick", "is", "over", "rows", "optional"});
  axis_value v;
  v.label = in.text("label");
  if (v.label.empty()) in.refuse("label", "must not be empty");
  v.words = in.text_or("words", "");
  v.quick = in.text_or("quick", "");
  v.is = in.text_if("is");
  v.over = in.text_if("over");
  if (in.has("rows")) v.rows = in.texts_or_none("rows");
  v.optional = in.flag("optional");
  return v;
}

std::string filled(std::string words, const std::string& label) {
  for (std::size_t at = words.find("{}"); at != std::string::npos; at = words.find("{}", at + label.size()))
    words.replace(at, 2, label);
  return words;
}

axis read_axis(const json_members& in, const char* member) {
  axis a;
  if (!in.has(member)) {
    a.values.emplace_back();
    return a;
  }
  const json_members of_it = in.object(member);
  of_it.expect_only({"name", "words", "values"});
  a.name = of_it.text_or("name", "");
  const std::string words = of_it.text_or("words", "");
  const ordered_json& values = of_it["values"];
  if (!values.is_array() || values.empty() || values.size() > axis_values_max)
    of_it.refuse("values", fmt::format("must be a list of 1 to {} values", axis_values_max));
  for (std::size_t i = 0; i < values.size(); ++i) {
    axis_value v;
    if (values[i].is_string()) v.label = values[i].get<std::string>();
    else v = read_value({values[i], of_it.file(), of_it.place_of(fmt::format("values/{}", i))});
    v.words = filled(words, v.label) + (words.empty() || v.words.empty() ? "" : " ") + v.words;
    if (a.has(v.label)) of_it.refuse("values", fmt::format("has '{}' twice", v.label));
    a.values.push_back(std::move(v));
  }
  return a;
}

double number_of(const ordered_json& value, const json_members& in, const std::string& place) {
  if (!value.is_number()) in.refuse("published", fmt::format("{}: must be a number", place));
  return value.get<double>();
}

void read_published(quantity& q, const json_members& in, const figure& f) {
  if (!in.has("published")) return;
  const json_members by_row = in.object("published");
  for (const auto& [row, columns] : by_row.json().items()) {
    if (!f.rows.has(row)) in.refuse("published", fmt::format("there is no row '{}'", row));
    const json_members by_column(columns, in.file(), by_row.place_of(row));
    for (const auto& [column, value] : columns.items()) {
      auto& numbers = q.published[row][column];
      if (!value.is_object()) {
        numbers[""] = number_of(value, in, by_column.place_of(column));
        continue;
      }
      for (const auto& [x, number] : value.items()) {
        if (!f.x.has(x)) in.refuse("published", fmt::format("there is no '{}' on the x-axis", x));
        numbers[x] = number_of(number, in, by_column.place_of(column));
      }
    }
  }
}

quantity read_quantity(const json_members& in, const figure& f) {
  in.expect_only({"name", "is", "minus", "over", "times", "against", "against_x", "digits", "published"});
  quantity q;
  q.name = in.text("name");
  q.is = in.text("is");
  q.minus = in.text_if("minus");
  q.over = in.text_if("over");
  q.times = in.number_or("times", 1);
  q.against = in.text_if("against");
  q.against_x = in.text_if("against_x");
  q.digits = static_cast<int>(in.count_or("digits", 2, digits_max));
  if (!q.is.starts_with('/')) in.refuse("is", "must be a JSON pointer, such as /speedup");
  if (q.minus && !q.minus->starts_with('/')) in.refuse("minus", "must be a JSON pointer, such as /serial_seconds");
  if (q.over && !q.over->starts_with('/')) in.refuse("over", "must be a JSON pointer, such as /serial_seconds");
  if (q.against && !f.columns.has(*q.against)) in.refuse("against", "must be the label of a column");
  if (q.against_x && !f.x.has(*q.against_x)) in.refuse("against_x", "must be a label on the x-axis");
  read_published(q, in, f);
  return q;
}

std::optional<std::vector<std::string>> labels_in(const json_members& in, const char* member, const axis& of) {
  if (!in.has(member)) return std::nullopt;
  std::vector<std::string> labels = in.texts_or_none(member);
  if (labels.empty()) in.refuse(member, "must not be empty");
  for (const std::string& label : labels) {
    if (!of.has(label)) in.refuse(member, fmt::format("there is no '{}' on that axis", label));
  }
  return labels;
}

quick_run read_quick(const json_members& in, const figure& f) {
  in.expect_only({"words", "rows", "columns", "x"});
  return {in.text_or("words", ""), labels_in(in, "rows", f.rows), labels_in(in, "columns", f.columns),
          labels_in(in, "x", f.x)};
}

void read_command(figure& f, const json_members& in, const std::map<std::string, document>& documents) {
  f.command = in.text("command");
  const std::string command = command_words(f.command).command();
  if (command != "sim" && command != "bench" && command != "compare" && command != "uts")
    in.refuse("command", "must begin with sim, bench, compare or uts");
  f.document = in.text("document");
  if (!documents.contains(f.document)) in.refuse("document", fmt::format("there is none in {}", documents_file));
  f.seeds = in.count_or("seeds", 1, seeds_max);
  if (f.seeds > 1 && !f.simulated()) in.refuse("seeds", "only worlds of leat sim have seeds; a bench has --repeat");
  if (in.has("samples")) {
    if (in.has("seeds")) in.refuse("samples", "must not stand beside 'seeds'");
    f.samples = in.texts_or_none("samples");
    if (f.samples.empty() || f.samples.size() > seeds_max)
      in.refuse("samples", fmt::format("must be a list of 1 to {} texts", seeds_max));
  }
  f.limit_s = in.count_or("limit_seconds", run_limit_s, limit_s_max);
}

std::map<std::string, std::string> texts_in(const json_members& in, const char* member) {
  std::map<std::string, std::string> all;
  if (!in.has(member)) return all;
  const json_members of_it = in.object(member);
  for (const auto& [name, value] : of_it.json().items()) all[name] = of_it.text(name.c_str());
  return all;
}

// Names in the order of people: 3.9 before 3.11.
bool comes_before(const figure& a, const figure& b) { return strverscmp(a.name.c_str(), b.name.c_str()) < 0; }

template <class Labels>
void keep_only(axis& a, const Labels& wanted) {
  if (!wanted) return;
  std::erase_if(a.values, [&](const axis_value& v) { return std::ranges::find(*wanted, v.label) == wanted->end(); });
}

// Throws std::invalid_argument, naming the file.
ordered_json read_json(const std::string& text, const std::string& what) {
  try {
    return parsed(text);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{}: {}", what, error.what()));
  }
}

}  // namespace

bool axis::has(const std::string& label) const {
  return std::ranges::find(values, label, &axis_value::label) != values.end();
}

std::optional<double> quantity::published_at(const std::string& row, const std::string& column,
                                             const std::string& x) const {
  const auto by_row = published.find(row);
  if (by_row == published.end()) return std::nullopt;
  const auto by_column = by_row->second.find(column);
  if (by_column == by_row->second.end()) return std::nullopt;
  const auto by_x = by_column->second.find(x);
  return by_x == by_column->second.end() ? std::nullopt : std::optional(by_x->second);
}

figure read_figure(const std::string& name, const std::string& text, const std::map<std::string, document>& documents,
                   const std::string& what) {
  const ordered_json json = read_json(text, what);
  const json_members in(json, what, "");
  in.expect_only({"document", "title", "says", "note", "picture", "command", "rows", "columns", "x", "seeds", "samples",
                  "limit_seconds", "quick", "quantities", "criteria"});
  figure f;
  f.name = name;
  f.title = in.text("title");
  f.says = in.text("says");
  f.note = in.text_or("note", "");
  f.picture = in.text_or("picture", "bars");
  if (f.picture != "lines" && f.picture != "bars" && f.picture != "boxes" && f.picture != "none")
    in.refuse("picture", "must be one of lines, bars, boxes, none");
  read_command(f, in, documents);
  f.rows = read_axis(in, "rows");
  f.columns = read_axis(in, "columns");
  f.x = read_axis(in, "x");
  for (const axis_value& column : f.columns.values) {
    for (const std::string& row : column.rows) {
      if (!f.rows.has(row)) in.refuse("columns", fmt::format("'{}': there is no row '{}'", column.label, row));
    }
  }
  const ordered_json& quantities = in["quantities"];
  if (!quantities.is_array() || quantities.empty()) in.refuse("quantities", "must be a list of one or more");
  for (std::size_t i = 0; i < quantities.size(); ++i)
    f.quantities.push_back(read_quantity({quantities[i], what, fmt::format("quantities/{}", i)}, f));
  f.criteria = read_criteria(in, f);
  if (in.has("quick")) f.quick = read_quick(in.object("quick"), f);
  return f;
}

std::map<std::string, document> read_documents(const std::string& text, const std::string& what) {
  const ordered_json json = read_json(text, what);
  const json_members in(json, what, "");
  std::map<std::string, document> all;
  for (const auto& [name, value] : json.items()) {
    const json_members of_it(value, what, name);
    of_it.expect_only({"title", "words", "left_out"});
    all[name] = {of_it.text("title"), texts_in(of_it, "words"), texts_in(of_it, "left_out")};
  }
  return all;
}

figure_folder read_figures(const std::filesystem::path& folder) {
  figure_folder all;
  const std::filesystem::path documents = folder / documents_file;
  if (!std::filesystem::exists(documents))
    throw std::invalid_argument(
        fmt::format("{}: has no definitions of figures ({} is missing)", folder.string(), documents_file));
  all.documents = read_documents(read_whole(documents), documents.string());
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() != ".json" || path.filename() == documents_file) continue;
    all.figures.push_back(read_figure(path.stem().string(), read_whole(path), all.documents, path.string()));
  }
  if (error) throw std::invalid_argument(fmt::format("{}: {}", folder.string(), error.message()));
  std::ranges::sort(all.figures, comes_before);
  return all;
}

figure quick_figure(figure f) {
  f.seeds = 1;
  if (!f.samples.empty()) f.samples.resize(1);
  keep_only(f.rows, f.quick.rows);
  keep_only(f.columns, f.quick.columns);
  keep_only(f.x, f.quick.x);
  return f;
}

}  // namespace leat::cli
