// Charts as SVG, to stand in a page.

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace leat::cli {

/// Text as HTML and SVG have it.
[[nodiscard]] std::string escaped(const std::string& text);

/// A bar, and the range that its value has.
struct bar {
  std::string name;
  double value = 0;
  double low = 0;
  double high = 0;
  bool other = false;  ///< drawn in the second colour
};

/// Horizontal bars under each other, from 0 on, with a line at `mark`, where there is one. `digits`: of the values.
[[nodiscard]] std::string bars(const std::vector<bar>&, std::optional<double> mark, int digits);

/// A line through points.
struct curve {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

/// Curves over a common axis, from 0 on both, with the diagonal for what is ideal.
[[nodiscard]] std::string curves(const std::vector<curve>&, const std::string& x, const std::string& y);

}  // namespace leat::cli
