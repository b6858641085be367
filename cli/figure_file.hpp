// Definitions of figures: JSON files that say what is run for a figure of a paper, and what the paper found.

#pragma once

#include "command_words.hpp"
#include "criterion.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace leat::cli {

/// A row, a column or a place on the x-axis.
struct axis_value {
  std::string label;
  std::string words;             ///< that it adds to the command
  std::string quick;             ///< that it adds with --quick
  std::optional<std::string> is;  ///< of a column: where the first quantity is, if not where the quantity says
  std::optional<std::string> over;
  std::vector<std::string> rows;  ///< of a column: the labels of those that it has; all, if none is named
  bool optional = false;  ///< of a column: the command may lack it, such as a rival that was not built
};

struct axis {
  std::string name;
  std::vector<axis_value> values;

  [[nodiscard]] bool has(const std::string& label) const;
  /// Whether the definition has it.
  [[nodiscard]] bool there() const { return !values.front().label.empty(); }
};

/// What is read from the output of the command.
struct quantity {
  std::string name;
  std::string is;                   ///< a JSON pointer; {} in it stands for the column
  std::optional<std::string> minus;  ///< a pointer to what is taken off it
  std::optional<std::string> over;
  double times = 1;                 ///< by which it is multiplied, such as 1000 for milliseconds
  std::optional<std::string> against;  ///< a column: all are divided by its value
  std::optional<std::string> against_x;  ///< a place on the x-axis: all of a curve are divided by its value there
  int digits = 2;
  /// Published: by row, column and x; x is empty where there is no x-axis.
  std::map<std::string, std::map<std::string, std::map<std::string, double>>> published;

  [[nodiscard]] std::optional<double> published_at(const std::string& row, const std::string& column,
                                                   const std::string& x) const;
};

/// A smaller run of the same figure.
struct quick_run {
  std::string words;
  std::optional<std::vector<std::string>> rows, columns, x;  ///< labels; all, if none
};

struct figure {
  std::string name;      ///< of the file, without .json
  std::string document;  ///< a member of documents.json
  std::string title;
  std::string says;  ///< what the paper found
  std::string note;  ///< what is different here
  std::string picture;  ///< lines, bars, boxes or none
  std::string command;
  axis rows, columns, x;  ///< each has a value at least; an axis that is not there has one without label
  std::vector<quantity> quantities;
  std::vector<criterion> criteria;
  unsigned seeds = 1;
  std::vector<std::string> samples;  ///< in place of seeds: words that each of the runs of one cell adds
  unsigned limit_s = 0;  ///< for each run
  quick_run quick;

  /// Runs of one cell, whose median counts.
  [[nodiscard]] unsigned runs() const { return samples.empty() ? seeds : static_cast<unsigned>(samples.size()); }
  [[nodiscard]] bool simulated() const { return command_words(command).command() == "sim"; }
};

/// A paper.
struct document {
  std::string title;
  std::map<std::string, std::string> words;     ///< added to commands of its figures: by "sim spc" and its like
  std::map<std::string, std::string> left_out;  ///< figures that have no definition, and why
};

/// All that a folder has.
struct figure_folder {
  std::map<std::string, document> documents;
  std::vector<figure> figures;  ///< by name: 3.9 before 3.11
};

/// Seconds that a run of a definition that names no limit may take.
inline constexpr unsigned run_limit_s = 900;

/// Reads documents.json and all definitions of a folder. Throws std::invalid_argument, naming the file and the member, for one
/// that is no definition.
[[nodiscard]] figure_folder read_figures(const std::filesystem::path& folder);

/// Reads one definition. `what` is the name that messages have. Throws std::invalid_argument, naming it and the member.
[[nodiscard]] figure read_figure(const std::string& name, const std::string& text,
                                 const std::map<std::string, document>& documents, const std::string& what);

/// Reads documents.json. Throws std::invalid_argument, naming `what` and the member.
[[nodiscard]] std::map<std::string, document> read_documents(const std::string& text, const std::string& what);

/// The figure as --quick runs it: smaller, with one seed, or the first sample.
[[nodiscard]] figure quick_figure(figure);

}  // namespace leat::cli
