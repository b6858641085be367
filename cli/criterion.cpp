#include "criterion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace leat::cli {

namespace {

// Comparisons whose numbers are shown one by one.
constexpr std::size_t shown_max = 6;

struct comparison {
  std::string where;
  std::optional<double> a, b;
  bool holds = false;

  [[nodiscard]] std::optional<double> ratio() const {
    return a && b && *b != 0 ? std::optional(*a / *b) : std::nullopt;
  }
};

std::vector<std::string> chosen_labels(const std::vector<std::string>& all, const std::vector<std::string>& wanted,
                                       const std::string& fixed) {
  if (!fixed.empty()) return {fixed};
  if (wanted.empty()) return all;
  std::vector<std::string> some;
  for (const std::string& label : all) {
    if (std::ranges::find(wanted, label) != wanted.end()) some.push_back(label);
  }
  return some;
}

// All cells that a side means, in the order of rows, columns and x.
std::vector<cell> meant_cells(const criterion& c, const cell& side, const judged_numbers& n) {
  std::vector<cell> all;
  for (const std::string& row : chosen_labels(n.rows, c.where.rows, side.row)) {
    for (const std::string& column : chosen_labels(n.columns, c.where.columns, side.column)) {
      for (const std::string& x : chosen_labels(n.x, c.where.x, side.x)) all.push_back({row, column, x});
    }
  }
  return all;
}

std::string label_of(const cell& side) {
  const std::string label = side.label_beside({});
  return label.empty() ? "each" : label;
}

std::string in_three_digits(double value) {
  if (value != 0 && std::abs(value) < 0.01) return fmt::format("{:.2g}", value);
  return std::abs(value) < 100 ? fmt::format("{:.2f}", value) : fmt::format("{:.0f}", value);
}

std::string or_none(std::optional<double> value) { return value ? in_three_digits(*value) : "nothing"; }

bool within_factor(double ratio, double factor) {
  // Numbers that are printed as this factor count as it.
  constexpr double rounding = 1e-9;
  return ratio <= factor * (1 + rounding) && ratio * factor * (1 + rounding) >= 1;
}

bool holds(const criterion& c, double ratio) {
  constexpr double rounding = 1e-9;
  switch (c.is) {
    case criterion::kind::order: return ratio * (1 + rounding) >= c.factor;
    case criterion::kind::effect: return within_factor(ratio / c.published, c.factor);
    default: return within_factor(ratio, c.factor);
  }
}

std::vector<comparison> compare(const criterion& c, const judged_numbers& n) {
  std::vector<comparison> all;
  const std::vector<cell> these = meant_cells(c, c.these, n), those = meant_cells(c, c.those, n);
  for (std::size_t i = 0; i < these.size(); ++i) {
    comparison one{these[i].label_beside(c.these), n.measured(c.quantity, these[i]), std::nullopt, false};
    if (c.is == criterion::kind::near) {
      one.where = these[i].label_beside({});
      one.b = n.published(c.quantity, these[i]);
      if (!one.b) continue;
    } else if (i < those.size()) {
      one.b = n.measured(c.quantity, those[i]);
    }
    if (const auto ratio = one.ratio()) one.holds = holds(c, *ratio);
    all.push_back(std::move(one));
  }
  return all;
}

std::string shown(const std::vector<comparison>& all, std::string_view between) {
  std::string text;
  if (all.size() <= shown_max) {
    for (const comparison& one : all) {
      text += fmt::format("{}{} {} {}{}", text.empty() ? "" : "; ", or_none(one.a), between, or_none(one.b),
                          one.where.empty() ? "" : fmt::format(" ({})", one.where));
    }
    return text;
  }
  const auto by_ratio = [](const comparison& one) { return one.ratio().value_or(0); };
  const auto [least, most] = std::ranges::minmax_element(all, {}, by_ratio);
  return fmt::format("it holds in {} of {}; the ratios are between {:.2f} ({}) and {:.2f} ({})",
                     std::ranges::count(all, true, &comparison::holds), all.size(), by_ratio(*least), least->where,
                     by_ratio(*most), most->where);
}

std::string statement_of(const criterion& c) {
  std::string text;
  const std::string a = label_of(c.these), b = label_of(c.those);
  switch (c.is) {
    case criterion::kind::order:
      text = c.factor == 1 ? fmt::format("{} is {} at least", a, b)
                           : fmt::format("{} is at least {:g} times {}", a, c.factor, b);
      break;
    case criterion::kind::level:
      text = fmt::format("{} and {} differ by a factor of {:g} at most", a, b, c.factor);
      break;
    case criterion::kind::effect:
      text = fmt::format("{} over {} is {:g}, within a factor of {:g}", a, b, c.published, c.factor);
      break;
    default: text = fmt::format("{} is within a factor of {:g} of the published number", a, c.factor); break;
  }
  if (c.share < 1) text += fmt::format(", in {:g} % of the cells at least", 100 * c.share);
  return text;
}

judgement judge_pairs(const criterion& c, const judged_numbers& n) {
  const std::vector<comparison> all = compare(c, n);
  judgement j{c.about, verdict::not_measured, statement_of(c), "nothing was measured"};
  if (all.empty()) return j;
  j.numbers = shown(all, c.is == criterion::kind::near ? "for" : "against");
  if (!std::ranges::all_of(all, [](const comparison& one) { return one.ratio().has_value(); })) return j;
  const auto holding = static_cast<double>(std::ranges::count(all, true, &comparison::holds));
  constexpr double rounding = 1e-9;
  j.is = holding + rounding >= c.share * static_cast<double>(all.size()) ? verdict::as_published
                                                                         : verdict::not_as_published;
  return j;
}

std::string bounds_of(const criterion& c) {
  if (!c.most) return fmt::format("{:g} at least", *c.least);
  if (!c.least) return fmt::format("{:g} at most", *c.most);
  return fmt::format("between {:g} and {:g}", *c.least, *c.most);
}

bool within_bounds(const criterion& c, double value) {
  return (!c.least || value >= *c.least) && (!c.most || value <= *c.most);
}

std::string statement_of_range(const criterion& c) {
  const std::string whose = label_of(c.these);
  switch (c.of) {
    case criterion::statistic::each: return fmt::format("{} is {}", whose, bounds_of(c));
    case criterion::statistic::mean: return fmt::format("the mean of {} is {}", whose, bounds_of(c));
    case criterion::statistic::share:
      return fmt::format("the share of {} above {:g} is {}", whose, c.above, bounds_of(c));
  }
  return {};
}

judgement judge_range(const criterion& c, const judged_numbers& n) {
  judgement j{c.about, verdict::not_measured, statement_of_range(c), "nothing was measured"};
  std::vector<double> values;
  std::string listed;
  for (const cell& at : meant_cells(c, c.these, n)) {
    const auto value = n.measured(c.quantity, at);
    if (!value) return j;
    values.push_back(*value);
    const std::string label = at.label_beside(c.these);
    listed += fmt::format("{}{}{}", listed.empty() ? "" : "; ", in_three_digits(*value),
                          label.empty() ? "" : fmt::format(" ({})", label));
  }
  if (values.empty()) return j;
  const auto count = static_cast<double>(values.size());
  double value = 0;
  if (c.of == criterion::statistic::each) {
    const auto [least, most] = std::ranges::minmax(values);
    j.numbers = values.size() <= shown_max ? listed
                                           : fmt::format("{} numbers between {} and {}", values.size(),
                                                         in_three_digits(least), in_three_digits(most));
    const bool all = std::ranges::all_of(values, [&c](double v) { return within_bounds(c, v); });
    j.is = all ? verdict::as_published : verdict::not_as_published;
    return j;
  }
  for (const double v : values) value += (c.of == criterion::statistic::mean ? v : (v > c.above ? 1 : 0)) / count;
  j.numbers = fmt::format("{} of {} numbers", in_three_digits(value), values.size());
  j.is = within_bounds(c, value) ? verdict::as_published : verdict::not_as_published;
  return j;
}

judgement judge_peak(const criterion& c, const judged_numbers& n) {
  judgement j{c.about, verdict::not_measured, fmt::format("{} is greatest at {}", label_of(c.these), bounds_of(c)), ""};
  // Each curve has a peak of its own.
  std::vector<std::string> x = n.x;
  bool all = true;
  criterion first = c;
  first.where.x = {n.x.front()};
  for (cell at : meant_cells(first, c.these, n)) {
    const std::string curve = cell{at.row, at.column, ""}.label_beside(c.these);
    double greatest = -std::numeric_limits<double>::infinity();
    std::string where;
    for (const std::string& label : chosen_labels(n.x, c.where.x, "")) {
      at.x = label;
      const auto value = n.measured(c.quantity, at);
      if (!value) return {c.about, verdict::not_measured, j.statement, "nothing was measured"};
      if (*value > greatest) {
        greatest = *value;
        where = label;
      }
    }
    all = all && within_bounds(c, std::strtod(where.c_str(), nullptr));
    j.numbers += fmt::format("{}{} at {}{}", j.numbers.empty() ? "" : "; ", in_three_digits(greatest), where,
                             curve.empty() ? "" : fmt::format(" ({})", curve));
  }
  j.is = all ? verdict::as_published : verdict::not_as_published;
  return j;
}

}  // namespace

std::string cell::label_beside(const cell& fixed) const {
  std::string label;
  for (const auto member : {&cell::row, &cell::column, &cell::x}) {
    if ((this->*member).empty() || !(fixed.*member).empty()) continue;
    label += (label.empty() ? "" : ", ") + this->*member;
  }
  return label;
}

std::string_view name(criterion::kind k) noexcept {
  switch (k) {
    case criterion::kind::order: return "order";
    case criterion::kind::level: return "level";
    case criterion::kind::effect: return "effect";
    case criterion::kind::near: return "near";
    case criterion::kind::range: return "range";
    case criterion::kind::peak: return "peak";
  }
  return "unknown";
}

std::string_view name(criterion::subject s) noexcept { return s == criterion::subject::size ? "size" : "ordering"; }

std::string_view name(verdict v) noexcept {
  switch (v) {
    case verdict::as_published: return "as published";
    case verdict::not_as_published: return "not as published";
    case verdict::not_measured: return "not measured";
  }
  return "unknown";
}

judgement judge(const criterion& c, const judged_numbers& n) {
  judgement j = c.is == criterion::kind::range  ? judge_range(c, n)
                : c.is == criterion::kind::peak ? judge_peak(c, n)
                                                : judge_pairs(c, n);
  if (!c.quantity.empty()) j.statement = fmt::format("{}: {}", c.quantity, j.statement);
  if (!c.says.empty()) j.statement += fmt::format(" ({})", c.says);
  return j;
}

std::optional<verdict> verdict_of(const std::vector<judgement>& all, criterion::subject about) {
  std::optional<verdict> worst;
  for (const judgement& j : all) {
    if (j.about != about) continue;
    if (j.is == verdict::not_as_published) return j.is;
    if (!worst || j.is == verdict::not_measured) worst = j.is;
  }
  return worst;
}

}  // namespace leat::cli
