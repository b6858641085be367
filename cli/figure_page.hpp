// One page of all figures.

#pragma once

#include "figure_report.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace leat::cli {

/// What stands at the top of the page.
struct page_head {
  std::string machine;
  std::string date;
  std::map<std::string, document> documents;
};

/// Writes a page in Markdown: the verdicts, then a section for each figure, with pictures in the folder beside it that has the
/// name of the page without its extension. They are drawn by draw.py, which lies beside the definitions; the page says so if
/// that could not be done. Throws std::runtime_error, naming a file that cannot be written.
void write_page(const std::filesystem::path& page, const std::vector<measured_figure>&, const page_head&,
                const std::filesystem::path& definitions);

/// The processor of this machine and how many of its CPUs the program may use.
[[nodiscard]] std::string this_machine();

/// The day, as 2026-11-26, by the clock of the system.
[[nodiscard]] std::string today();

}  // namespace leat::cli
