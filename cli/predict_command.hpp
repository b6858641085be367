// `leat predict`: a recorded program on other machines.

#pragma once

#include <CLI/CLI.hpp>

namespace leat::cli {

/// The subcommand. It starts the program leat-sim, which executes the recording again in simulated worlds.
class predict_command {
 public:
  /// Adds the subcommand, which the object must outlive.
  explicit predict_command(CLI::App& program);

  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Becomes leat-sim, with all arguments after `predict`. Throws std::runtime_error, which names the file, if it cannot be
  /// run.
  [[noreturn]] void run() const;

 private:
  CLI::App* command_;
};

}  // namespace leat::cli
