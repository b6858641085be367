#include "table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace leat::cli {

std::vector<std::size_t> table::widths() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  return widths;
}

std::string table::to_text() const {
  const std::vector<std::size_t> width = widths();
  std::string text;
  for (const auto& row : rows_) {
    text += fmt::format("{:<{}}", row.front(), width.front());
    for (std::size_t i = 1; i < row.size(); ++i) text += fmt::format("  {:>{}}", row[i], width[i]);
    text += '\n';
  }
  return text;
}

std::string table::to_markdown() const {
  std::string text;
  for (const auto& row : rows_) {
    for (const std::string& cell : row) text += fmt::format("| {} ", cell);
    text += "|\n";
    if (&row != &rows_.front()) continue;
    for (std::size_t i = 0; i < row.size(); ++i) text += i == 0 ? "| --- " : "| ---: ";
    text += "|\n";
  }
  return text;
}

}  // namespace leat::cli
