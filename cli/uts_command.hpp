// leat bench uts: the unbalanced tree search benchmark.

#pragma once

#include "measuring_flags.hpp"
#include "uts_flags.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace leat::cli {

/// The command `leat bench uts`, and `leat uts`, its older form.
class uts_command {
 public:
  /// Adds the command to `parent`: leat or leat bench. The object must outlive the parsing.
  uts_command(CLI::App& parent, const char* description);

  [[nodiscard]] std::string name() const { return command_->get_name(); }
  [[nodiscard]] std::string description() const { return command_->get_description(); }

  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Measures and reports. Returns the program's exit status: 0, or 1 where a count was wrong. Throws
  /// std::invalid_argument naming a bad value.
  [[nodiscard]] int run();

 private:
  [[nodiscard]] int measure_tree() const;

  CLI::App* command_;
  uts_flags uts_;
  bool counted_ = false;
  measuring_flags flags_;
};

}  // namespace leat::cli
