// `leat figure`: figures and tables of papers, repeated.

#pragma once

#include "figure_file.hpp"
#include "figure_report.hpp"
#include "figure_runs.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace leat::cli {

/// The subcommand.
class figure_command {
 public:
  /// Adds the subcommand, which the object must outlive.
  explicit figure_command(CLI::App& program);

  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Without a name, lists the figures. Else runs what their definitions need and is not kept, and reports. Returns the
  /// program's exit status: 0, or 1 if a command failed; its message is on standard error. Throws std::invalid_argument,
  /// naming a definition that is wrong or a figure that is not there.
  [[nodiscard]] int run() const;

 private:
  [[nodiscard]] std::filesystem::path definitions() const;
  [[nodiscard]] std::vector<needed_run> runs_of(const figure_folder&, const std::vector<figure>&) const;
  void report(const std::vector<measured_figure>&, const figure_folder&) const;
  void check() const;

  CLI::App* command_;
  std::vector<std::string> names_;
  std::string definitions_;
  std::string folder_ = "leat-figures";
  std::string page_;
  std::string machine_;
  std::string date_;
  std::optional<std::int64_t> at_once_;
  bool quick_ = false;
  bool dry_run_ = false;
  bool markdown_ = false;
  bool json_ = false;
  bool no_progress_ = false;
};

}  // namespace leat::cli
