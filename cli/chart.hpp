// Charts as SVG, to stand in a page.

#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace leat::cli {

/// The distance of the marks on an axis from 0 to `most`, more than 0: 1, 2 or 5 times a power of ten, for six marks.
[[nodiscard]] double step_for(double most);

/// Text as HTML and SVG have it. What is no character of UTF-8, and what XML refuses, becomes the character for that.
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

/// A bar that is whole: its parts, together 1 at most.
struct divided_bar {
  std::string name;
  std::vector<double> parts;
};

/// Narrow bars under each other, all of the same length, whose parts have the colours of `names`, with a key.
[[nodiscard]] std::string divided_bars(const std::vector<divided_bar>&, const std::vector<std::string>& names);

/// A line through points.
struct curve {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

/// Curves over a common axis of whole numbers, from 0 on both, with the diagonal for what is ideal.
[[nodiscard]] std::string curves(const std::vector<curve>&, const std::string& x, const std::string& y);

}  // namespace leat::cli
