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

// One output's number.
class reading {
 public:
  reading(const figure& f, const command_words& command, const ordered_json& output)
      : figure_(f), command_(command), output_(output) {}

  [[nodiscard]] std::optional<double> number(const std::string& pointer, bool optional) const {
    const ordered_json* const value = value_at(output_, pointer);
    if (value != nullptr && value->is_number()) return value->get<double>();
    if (optional) return std::nullopt;
    throw std::runtime_error(
        fmt::format("{}: there is no number at {} in what 'leat {}' prints", figure_.name, pointer, command_.text()));
  }

 private:
  const figure& figure_;
  const command_words& command_;
  const ordered_json& output_;
};

// Where a quantity of a column is in the output. Only the first quantity may be elsewhere.
std::pair<std::string, std::optional<std::string>> pointers_of(const figure& f, const quantity& q,
                                                               const axis_value& column) {
  const bool first = &q == &f.quantities.front();
  return {first && column.is ? *column.is : q.is, first && column.is ? column.over : q.over};
}

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
  if (const auto words = of.words.find(command.kernel()); words != of.words.end()) command.add(words->second);
  if (quick) {
    command.add(f.quick.words);
    for (const axis_value* const v : {&row, &column, &x}) command.add(v->quick);
  }
  if (f.simulated()) command.add(fmt::format("--seed {}", seed));
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
    for (unsigned seed = 1; seed <= f.seeds; ++seed) {
      command_words command = command_of(f, of, at, seed, quick);
      if (known.insert(command.text()).second) all.push_back(std::move(command));
    }
  }
  return all;
}

figure_numbers::figure_numbers(const figure& f, const document& of, bool quick, const outputs& printed) {
  for (const quantity& q : f.quantities) {
    const auto of_seed = [&](const cell& at, unsigned seed) -> std::optional<double> {
      const command_words command = command_of(f, of, at, seed, quick);
      const ordered_json* const output = printed(command);
      if (output == nullptr) return std::nullopt;
      const axis_value& column = value_of(f.columns, at.column);
      const auto [is, over] = pointers_of(f, q, column);
      const reading read(f, command, *output);
      std::optional<double> value = read.number(is, column.optional);
      if (!value || !over) return value ? std::optional(*value * q.times) : value;
      const std::optional<double> divisor = read.number(*over, column.optional);
      if (!divisor || *divisor == 0) return std::nullopt;
      return *value / *divisor * q.times;
    };
    for (const cell& at : cells_of(f)) {
      std::vector<double> values;
      for (unsigned seed = 1; seed <= f.seeds; ++seed) {
        std::optional<double> value = of_seed(at, seed);
        if (value && q.against && !f.columns.has(*q.against)) value.reset();
        if (value && q.against) {
          const std::optional<double> base = of_seed({at.row, *q.against, at.x}, seed);
          value = base && *base != 0 ? std::optional(*value / *base) : std::nullopt;
        }
        if (value) values.push_back(*value);
      }
      std::optional<measured_number>& number = all_[key_of(q.name, at)];
      if (values.size() != f.seeds) continue;
      const auto [least, most] = std::ranges::minmax(values);
      number = measured_number{median(values), least, most};
    }
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
