// leat bench loop: parallel loops, beside those of OpenMP.

#pragma once

#include "measuring_flags.hpp"

#include "kernels/loop.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace leat::cli {

/// The command `leat bench loop`.
class loop_command {
 public:
  /// Adds the command to `bench`; the object must outlive the parsing.
  explicit loop_command(CLI::App& bench);

  [[nodiscard]] bool chosen() const { return command_->parsed(); }
  [[nodiscard]] std::string name() const { return command_->get_name(); }
  [[nodiscard]] std::string description() const { return command_->get_description(); }

  /// Measures and reports. Returns the program's exit status: 0, or 1 where an iteration did not run exactly once.
  /// Throws std::invalid_argument naming a bad value.
  [[nodiscard]] int run() const;

 private:
  [[nodiscard]] int measure_loop() const;

  CLI::App* command_;
  measuring_flags flags_;
  kernels::loop::parameters parameters_;
  bool no_openmp_ = false;
};

}  // namespace leat::cli
