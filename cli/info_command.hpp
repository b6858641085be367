// leat info: the version, the machine and the configuration in force.

#pragma once

#include "runtime_flags.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace leat::cli {

/// The command `leat info`.
class info_command {
 public:
  /// Adds the command to the program; the object must outlive the parsing.
  /// `described`: what git describe calls the source tree; may be empty.
  info_command(CLI::App& program, std::string described);

  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Reports. Returns the program's exit status, 0. Throws std::invalid_argument naming a bad value.
  [[nodiscard]] int run() const;

 private:
  CLI::App* command_;
  runtime_flags runtime_;
  std::string described_;
  bool json_ = false;
};

}  // namespace leat::cli
