// Tables, for terminals and for Markdown.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leat::cli {

/// Cells of text in rows and columns. The first column is names, to the left; the others are numbers, to the right.
class table {
 public:
  explicit table(std::vector<std::string> heads) : rows_{std::move(heads)} {}

  /// Adds a row, with a cell for each head.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  /// Columns under each other, two spaces apart.
  [[nodiscard]] std::string to_text() const;

  /// A table of GitHub's Markdown.
  [[nodiscard]] std::string to_markdown() const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths() const;

  std::vector<std::vector<std::string>> rows_;  // the heads first
};

}  // namespace leat::cli
