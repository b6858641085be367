// Results as one picture, to stand in a text.

#pragma once

#include "results.hpp"

#include <string>

namespace leat::cli {

/// An SVG file that needs nothing else, light and dark: for each comparison with a serial program a group of bars, the
/// speed-up of each scheduler and rival, in the order of their first appearance. A group has its result's title. The only scheduler of all results is called leat. Throws std::invalid_argument where no
/// result has a speed-up, and where two results have different numbers of workers, whose bars would not be comparable.
[[nodiscard]] std::string report_picture(const results&);

}  // namespace leat::cli
