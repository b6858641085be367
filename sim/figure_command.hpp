// `leat sim --figure`: a figure or table of Prell's thesis, simulated.

#pragma once

#include <string>

namespace leat::sim {

enum class figure_format { text, markdown, json };

/// Simulates all programs of a figure and writes speed-ups beside those published. Throws std::invalid_argument for a figure that
/// is not known, naming those that are.
/// \param shows_progress  on a terminal: which of them is under way
void show_figure(const std::string& name, figure_format format, bool shows_progress);

/// "3.9, 3.11, ..."
[[nodiscard]] std::string known_figures();

}  // namespace leat::sim
