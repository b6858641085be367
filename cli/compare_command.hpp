// leat compare: all schedulers in one run.

#pragma once

#include "compared_kernel.hpp"
#include "comparing_flags.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <vector>

namespace leat::cli {

/// The command `leat compare`, with a command of its own for each kernel.
class compare_command {
 public:
  /// Adds the command to the program; the object must outlive the parsing.
  explicit compare_command(CLI::App& program);

  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Measures the schedulers on the chosen kernel and reports; without one, lists the kernels. Returns the program's
  /// exit status, 0. Throws std::invalid_argument naming a bad value, and std::runtime_error where a result was wrong.
  [[nodiscard]] int run();

 private:
  struct entry {
    std::unique_ptr<compared_kernel> kernel;
    std::unique_ptr<comparing_flags> flags;
    CLI::App* command;
  };

  CLI::App* command_;
  std::vector<entry> entries_;
};

}  // namespace leat::cli
