// The runs that a figure takes, and the numbers that come out of them.

#pragma once

#include "criterion.hpp"
#include "figure_file.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace leat::cli {

/// The command of one cell with one seed, or with one sample in place of it. `seed` counts from 1; all samples have the seed 1.
[[nodiscard]] command_words command_of(const figure&, const document&, const cell& at, unsigned seed, bool quick);

/// All commands of a figure, each once, in the order of rows, columns, x and seeds.
[[nodiscard]] std::vector<command_words> commands_of(const figure&, const document&, bool quick);

/// A number over the seeds.
struct measured_number {
  double median = 0;
  double least = 0;
  double most = 0;
};

/// The numbers of a figure, as far as its commands have run.
class figure_numbers {
 public:
  /// What a command printed; null if there is nothing of it.
  using outputs = std::function<const nlohmann::ordered_json*(const command_words&)>;

  /// Reads all numbers. Throws std::runtime_error, naming the figure, the pointer and the command, where an output has no
  /// number at the place that the definition names.
  figure_numbers(const figure&, const document&, bool quick, const outputs&);

  /// None where a run has no output, or where an optional column lacks it.
  [[nodiscard]] std::optional<measured_number> at(const std::string& quantity, const cell&) const;

  /// What the criteria of the figure are judged by. The figure and the numbers must outlive it.
  [[nodiscard]] judged_numbers judged_by(const figure&) const;

 private:
  std::map<std::string, std::optional<measured_number>> all_;
};

/// The value that a JSON pointer leads to; null if none. In place of a member or an index it may have NAME=TEXT: the first object of a list whose
/// member of that name is that text.
[[nodiscard]] const nlohmann::ordered_json* value_at(const nlohmann::ordered_json&, const std::string& pointer);

/// All cells of a figure, by row, then x, then column.
[[nodiscard]] std::vector<cell> cells_of(const figure&);

}  // namespace leat::cli
