// leat explain: verdicts about a profile.

#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace leat::cli {

/// The command `leat explain`.
class explain_command {
 public:
  /// Adds the command to the program; the object must outlive the parsing.
  explicit explain_command(CLI::App& program);

  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Prints the verdicts. Returns the program's exit status, 0. Throws std::invalid_argument, naming what is wrong in a file, and
  /// std::runtime_error where one cannot be read.
  [[nodiscard]] int run() const;

 private:
  CLI::App* command_;
  std::string file_;
  std::string one_;
  double capacity_ = 0;  // 0: not given
  bool json_ = false;
};

}  // namespace leat::cli
