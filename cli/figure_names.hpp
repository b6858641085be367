// The figures that a command line names.

#pragma once

#include "figure_file.hpp"

#include <string>
#include <vector>

namespace leat::cli {

/// The figures with these names, in the order of the folder, each once. A name may be a pattern of the shell, such as
/// `thesis-3.*`, or `all`. Throws std::invalid_argument for one that fits no figure: naming figures that are near, or saying why it is left
/// out.
[[nodiscard]] std::vector<figure> named_figures(const figure_folder&, const std::vector<std::string>& names);

}  // namespace leat::cli
