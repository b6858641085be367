#include "figure_criteria.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

namespace leat::cli {

namespace {

using nlohmann::ordered_json;
using enum criterion::kind;

constexpr std::array criterion_kinds = {order, level, effect, near, range, peak};

void expect_label(const json_members& in, const char* member, const axis& of, const std::string& label) {
  if (!of.has(label)) in.refuse(member, fmt::format("there is no '{}' on that axis", label));
}

std::string label_in(const json_members& in, const char* member, const axis& of) {
  if (!in.has(member)) return {};
  std::string label = in.text(member);
  expect_label(in, member, of, label);
  return label;
}

cell read_cell(const json_members& in, const figure& f) {
  in.expect_only({"row", "column", "x"});
  return {label_in(in, "row", f.rows), label_in(in, "column", f.columns), label_in(in, "x", f.x)};
}

std::vector<std::string> listed_labels(const json_members& in, const char* member, const axis& of) {
  std::vector<std::string> labels = in.texts_or_none(member);
  for (const std::string& label : labels) expect_label(in, member, of, label);
  return labels;
}

criterion::kind read_kind(const json_members& in) {
  const std::string word = in.text("kind");
  std::string names;
  for (const criterion::kind one : criterion_kinds) {
    if (word == name(one)) return one;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name(one));
  }
  in.refuse("kind", fmt::format("must be one of {}", names));
}

criterion::subject read_subject(const json_members& in, criterion::kind kind) {
  const bool ordering = kind == order || kind == level || kind == peak;
  const std::string word = in.text_or("about", ordering ? "ordering" : "size");
  if (word != "ordering" && word != "size") in.refuse("about", "must be ordering or size");
  return word == "size" ? criterion::subject::size : criterion::subject::ordering;
}

criterion::statistic read_statistic(const json_members& in) {
  const std::string word = in.text_or("of", "each");
  if (word == "each") return criterion::statistic::each;
  if (word == "mean") return criterion::statistic::mean;
  if (word == "share") return criterion::statistic::share;
  in.refuse("of", "must be each, mean or share");
}

void expect_members(const json_members& in, criterion::kind kind) {
  std::vector<std::string_view> known = {"kind", "about", "quantity", "says", "this", "where"};
  switch (kind) {
    case order:
    case level: known.insert(known.end(), {"that", "factor", "share"}); break;
    case effect: known.insert(known.end(), {"that", "published", "factor", "share"}); break;
    case near: known.insert(known.end(), {"factor", "share"}); break;
    case range: known.insert(known.end(), {"least", "most", "of", "above"}); break;
    case peak: known.insert(known.end(), {"least", "most"}); break;
  }
  in.expect_only(known);
}

// Both sides must fix the same axes: the others run over the same cells.
void expect_sides(const json_members& in, const criterion& c) {
  for (const auto member : {&cell::row, &cell::column, &cell::x}) {
    if ((c.these.*member).empty() != (c.those.*member).empty())
      in.refuse("that", "must name the same of row, column and x as 'this'");
  }
  if (c.these.label_beside({}) == c.those.label_beside({})) in.refuse("that", "must be another cell than 'this'");
}

void read_numbers(criterion& c, const json_members& in) {
  c.factor = in.number_or("factor", c.factor);
  c.share = in.number_or("share", c.share);
  if (c.is == effect) c.published = in.number("published");
  if (c.is == level || c.is == near || c.is == effect) {
    if (c.factor <= 1) in.refuse("factor", "must be there, and more than 1");
  } else if (c.factor <= 0) {
    in.refuse("factor", "must be more than 0");
  }
  if (c.share <= 0 || c.share > 1) in.refuse("share", "must be more than 0, and 1 at most");
  if (c.is == effect && c.published <= 0) in.refuse("published", "must be more than 0");
  c.least = in.number_if("least");
  c.most = in.number_if("most");
  c.of = read_statistic(in);
  c.above = in.number_or("above", c.above);
  if ((c.is == range || c.is == peak) && !c.least && !c.most) in.refuse("least", "or 'most' must be there");
}

// A criterion that compares with published numbers must have some.
void expect_published(const json_members& in, const criterion& c, const figure& f) {
  const auto q = std::ranges::find(f.quantities, c.quantity, &quantity::name);
  if (c.is == near && q->published.empty()) in.refuse("quantity", "has no published numbers");
}

// Where a curve has its peak is a number.
void expect_numbers_on_x(const json_members& in, const figure& f) {
  for (const axis_value& v : f.x.values) {
    char* end = nullptr;
    static_cast<void>(std::strtod(v.label.c_str(), &end));
    if (v.label.empty() || *end != '\0') in.refuse("kind", "takes an x-axis of numbers");
  }
}

criterion read_criterion(const json_members& in, const figure& f) {
  criterion c;
  c.is = read_kind(in);
  expect_members(in, c.is);
  c.about = read_subject(in, c.is);
  c.says = in.text_or("says", "");
  c.quantity = in.text_or("quantity", f.quantities.front().name);
  if (std::ranges::find(f.quantities, c.quantity, &quantity::name) == f.quantities.end())
    in.refuse("quantity", "must be the name of a quantity");
  if (in.has("this")) c.these = read_cell(in.object("this"), f);
  if (c.is == order || c.is == level || c.is == effect) {
    c.these = read_cell(in.object("this"), f);
    c.those = read_cell(in.object("that"), f);
    expect_sides(in, c);
  }
  if (in.has("where")) {
    const json_members where = in.object("where");
    where.expect_only({"rows", "columns", "x"});
    c.where = {listed_labels(where, "rows", f.rows), listed_labels(where, "columns", f.columns),
               listed_labels(where, "x", f.x)};
  }
  read_numbers(c, in);
  expect_published(in, c, f);
  if (c.is == peak) expect_numbers_on_x(in, f);
  return c;
}

}  // namespace

std::vector<criterion> read_criteria(const json_members& in, const figure& f) {
  std::vector<criterion> all;
  if (!in.has("criteria")) return all;
  const ordered_json& listed = in["criteria"];
  if (!listed.is_array()) in.refuse("criteria", "must be a list");
  for (std::size_t i = 0; i < listed.size(); ++i)
    all.push_back(read_criterion({listed[i], in.file(), fmt::format("criteria/{}", i)}, f));
  return all;
}

}  // namespace leat::cli
