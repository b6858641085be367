#include "figure_points.hpp"

#include "measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <stdexcept>
#include <string_view>

namespace leat::cli {

namespace {

using nlohmann::ordered_json;

const axis_value& value_of(const axis& a, const std::string& label) {
  return *std::ranges::find(a.values, label, &axis_value::label);
}

std::string key_of(const std::string& quantity, const cell& at) {
  return quantity + '\n' + at.row + '\n' + at.column + '\n' + at.x;
}

const ordered_json* stepped(const ordered_json& in, const std::string& part) {
  if (in.is_object()) {
    const auto member = in.find(part);
    return member == in.end() ? nullptr : &*member;
  }
  if (!in.is_array()) return nullptr;
  const std::size_t equals = part.find('=');
  if (equals != std::string::npos) {
    const std::string member = part.substr(0, equals), text = part.substr(equals + 1);
    for (const ordered_json& one : in) {
      if (one.is_object() && one.contains(member) && one[member] == text) return &one;
    }
    return nullptr;
  }
  std::size_t i = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), i);
  if (error != std::errc() || end != part.data() + part.size() || i >= in.size()) return nullptr;
  return &in[i];
}

// Reads the numbers of one quantity from the outputs.
class reading {
 public:
  reading(const figure& f, const document& of, const quantity& q, bool quick, const figure_numbers::outputs& printed)
      : figure_(f), document_(of), quantity_(q), quick_(quick), printed_(printed) {}

  // The number of a cell, over all seeds; none if one lacks.
  [[nodiscard]] std::optional<measured_number> over_seeds(const cell& at) const {
    std::vector<double> values;
    for (unsigned seed = 1; seed <= figure_.runs(); ++seed) {
      const std::optional<double> value = beside_others(at, seed);
      if (!value) return std::nullopt;
      values.push_back(*value);
    }
    const auto [least, most] = std::ranges::minmax(values);
    return measured_number{median(values), least, most};
  }

 private:
  // Divided by what stands at the column and at the place on the x-axis that the quantity names, if it names any.
  [[nodiscard]] std::optional<double> beside_others(const cell& at, unsigned seed) const {
    if (!quantity_.against && !quantity_.against_x) return of_seed(at, seed);
    const cell other{at.row, quantity_.against.value_or(at.column), quantity_.against_x.value_or(at.x)};
    // A quick run may leave it out.
    if (!figure_.columns.has(other.column) || !figure_.x.has(other.x)) return std::nullopt;
    return ratio(of_seed(at, seed), of_seed(other, seed));
  }

  [[nodiscard]] std::optional<double> of_seed(const cell& at, unsigned seed) const {
    const command_words command = command_of(figure_, document_, at, seed, quick_);
    const ordered_json* const output = printed_(command);
    if (output == nullptr) return std::nullopt;
    const axis_value& column = value_of(figure_.columns, at.column);
    const bool elsewhere = column.is && &quantity_ == &figure_.quantities.front();
    const std::optional<std::string>& over = elsewhere ? column.over : quantity_.over;
    std::optional<double> value = number(*output, elsewhere ? *column.is : quantity_.is, column, command);
    if (quantity_.minus) value = difference(value, number(*output, *quantity_.minus, column, command));
    if (over) value = ratio(value, number(*output, *over, column, command));
    return value ? std::optional(*value * quantity_.times) : value;
  }

  [[nodiscard]] std::optional<double> number(const ordered_json& output, std::string pointer, const axis_value& column,
                                             const command_words& command) const {
    if (const std::size_t at = pointer.find("{}"); at != std::string::npos) pointer.replace(at, 2, column.label);
    const ordered_json* const value = value_at(output, pointer);
    if (value != nullptr && value->is_number()) return value->get<double>();
    if (column.optional) return std::nullopt;
    throw std::runtime_error(
        fmt::format("{}: there is no number at {} in what 'leat {}' prints", figure_.name, pointer, command.text()));
  }

  static std::optional<double> difference(std::optional<double> a, std::optional<double> b) {
    return a && b ? std::optional(*a - *b) : std::nullopt;
  }

  static std::optional<double> ratio(std::optional<double> a, std::optional<double> b) {
    return a && b && *b != 0 ? std::optional(*a / *b) : std::nullopt;
  }

  const figure& figure_;
  const document& document_;
  const quantity& quantity_;
  bool quick_;
  const figure_numbers::outputs& printed_;
};

}  // namespace

const ordered_json* value_at(const ordered_json& json, const std::string& pointer) {
  const ordered_json* at = &json;
  std::size_t begin = 1;
  while (at != nullptr && begin <= pointer.size()) {
    const std::size_t end = std::min(pointer.find('/', begin), pointer.size());
    at = stepped(*at, pointer.substr(begin, end - begin));
    begin = end + 1;
  }
  return at;
}

command_words command_of(const figure& f, const document& of, const cell& at, unsigned seed, bool quick) {
  command_words command(f.command);
  const axis_value& row = value_of(f.rows, at.row);
  const axis_value& column = value_of(f.columns, at.column);
  const axis_value& x = value_of(f.x, at.x);
  for (const axis_value* const v : {&row, &column, &x}) command.add(v->words);
  if (const auto words = of.words.find(command.command() + " " + command.kernel()); words != of.words.end())
    command.add(words->second);
  if (quick) {
    command.add(f.quick.words);
    for (const axis_value* const v : {&row, &column, &x}) command.add(v->quick);
  }
  if (!f.samples.empty()) command.add(f.samples[seed - 1]);
  if (f.simulated()) command.add(fmt::format("--seed {}", f.samples.empty() ? seed : 1));
  command.add("--json");
  return command;
}

std::vector<cell> cells_of(const figure& f) {
  std::vector<cell> all;
  for (const axis_value& row : f.rows.values) {
    for (const axis_value& x : f.x.values) {
      for (const axis_value& column : f.columns.values) all.push_back({row.label, column.label, x.label});
    }
  }
  return all;
}

std::vector<command_words> commands_of(const figure& f, const document& of, bool quick) {
  std::vector<command_words> all;
  std::set<std::string> known;
  for (const cell& at : cells_of(f)) {
    const std::vector<std::string>& rows = value_of(f.columns, at.column).rows;
    if (!rows.empty() && std::ranges::find(rows, at.row) == rows.end()) continue;
    for (unsigned seed = 1; seed <= f.runs(); ++seed) {
      command_words command = command_of(f, of, at, seed, quick);
      if (known.insert(command.text()).second) all.push_back(std::move(command));
    }
  }
  return all;
}

figure_numbers::figure_numbers(const figure& f, const document& of, bool quick, const outputs& printed) {
  for (const quantity& q : f.quantities) {
    const reading read(f, of, q, quick, printed);
    for (const cell& at : cells_of(f)) all_[key_of(q.name, at)] = read.over_seeds(at);
  }
}

std::optional<measured_number> figure_numbers::at(const std::string& quantity, const cell& c) const {
  const auto found = all_.find(key_of(quantity, c));
  return found == all_.end() ? std::nullopt : found->second;
}

judged_numbers figure_numbers::judged_by(const figure& f) const {
  const auto labels = [](const axis& a) {
    std::vector<std::string> all;
    for (const axis_value& v : a.values) all.push_back(v.label);
    return all;
  };
  return {labels(f.rows), labels(f.columns), labels(f.x),
          [this](const std::string& q, const cell& c) -> std::optional<double> {
            const auto number = at(q, c);
            return number ? std::optional(number->median) : std::nullopt;
          },
          [&f](const std::string& q, const cell& c) {
            const auto of = std::ranges::find(f.quantities, q, &quantity::name);
            return of->published_at(c.row, c.column, c.x);
          }};
}

}  // namespace leat::cli
