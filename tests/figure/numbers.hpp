// Numbers of a figure that tests make up.

#pragma once

#include "criterion.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>

namespace leat::cli::test {

using numbers = std::map<std::tuple<std::string, std::string, std::string>, double>;

/// Two rows, two columns, three places on the x-axis, of the quantity "speed-up".
inline judged_numbers two_by_two(const numbers& measured, const numbers& published = {}) {
  const auto look_up = [](const numbers& in, const std::string& quantity, const cell& at) -> std::optional<double> {
    const auto found = in.find({at.row, at.column, at.x});
    return quantity != "speed-up" || found == in.end() ? std::nullopt : std::optional(found->second);
  };
  return {{"short", "long"},
          {"one", "half"},
          {"6", "12", "48"},
          [=](const std::string& q, const cell& at) { return look_up(measured, q, at); },
          [=](const std::string& q, const cell& at) { return look_up(published, q, at); }};
}

/// All twelve numbers: rows, then columns, then x.
inline numbers all(const std::array<double, 12>& values) {
  numbers n;
  std::size_t i = 0;
  for (const char* const row : {"short", "long"}) {
    for (const char* const column : {"one", "half"}) {
      for (const char* const x : {"6", "12", "48"}) n[{row, column, x}] = values[i++];
    }
  }
  return n;
}

}  // namespace leat::cli::test
