// A figure that has been measured, as text, Markdown and JSON.

#pragma once

#include "criterion.hpp"
#include "figure_file.hpp"
#include "figure_points.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace leat::cli {

/// A figure with its numbers and its verdicts.
struct measured_figure {
  figure of;
  document paper;
  bool quick = false;
  figure_numbers numbers;
  std::vector<judgement> judgements;
};

/// Judges the figure by its criteria.
[[nodiscard]] measured_figure measured(figure, const document&, bool quick, const figure_numbers::outputs&);

[[nodiscard]] nlohmann::ordered_json to_json(const measured_figure&);
[[nodiscard]] std::string to_text(const measured_figure&);
/// A section of a page. `picture`: a link to it, or empty.
[[nodiscard]] std::string to_markdown(const measured_figure&, const std::string& picture);

/// The verdict on a subject; "-" where no criterion is about it.
[[nodiscard]] std::string verdict_on(const measured_figure&, criterion::subject);

/// The verdicts of several figures, a row for each.
[[nodiscard]] std::string summary_text(const std::vector<measured_figure>&);
[[nodiscard]] std::string summary_markdown(const std::vector<measured_figure>&);

}  // namespace leat::cli
