// `leat predict`: a recorded program on machines that are not there.

#pragma once

#include <CLI/CLI.hpp>

namespace leat::cli {

/// The subcommand. It is the program leat-sim, as the recording is executed again in simulated worlds.
class predict_command {
 public:
  /// Adds the subcommand, which the object must outlive.
  explicit predict_command(CLI::App& program);

  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Becomes leat-sim, with all that was given after `predict`. Throws std::runtime_error, naming the file, if it cannot
  /// be run.
  [[noreturn]] void run() const;

 private:
  CLI::App* command_;
};

}  // namespace leat::cli
