// `leat sim`: kernels in simulated worlds.

#pragma once

#include <CLI/CLI.hpp>

namespace leat::cli {

/// The subcommand. It is another program, leat-sim, as all of the runtime is compiled for another platform there.
class sim_command {
 public:
  /// Adds the subcommand, which the object must outlive.
  explicit sim_command(CLI::App& program);

  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Becomes leat-sim, which lies beside this program, with all that was given after `sim`. Throws std::runtime_error,
  /// naming the file, if it cannot be run.
  [[noreturn]] void run() const;

 private:
  CLI::App* command_;
};

}  // namespace leat::cli
