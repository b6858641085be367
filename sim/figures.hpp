// Figures and tables of Prell's thesis, simulated: what is run for each, and what was published.

#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace leat::sim {

/// One program of a figure.
struct point {
  std::string_view row;     ///< the workload
  std::string_view column;  ///< what is compared
  std::string_view kernel;
  std::string_view options;  ///< of `leat sim KERNEL`, but for the machine
  std::optional<double> published;  ///< speed-up, if the text has a number
  std::string_view machine = {};  ///< where it is not the figure's
};

struct figure {
  std::string_view name;  ///< as `--figure` takes it: "6.2"
  std::string_view title;
  std::string_view machine;
  std::vector<point> points;
};

[[nodiscard]] std::vector<figure> figures();

}  // namespace leat::sim
