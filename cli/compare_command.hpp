// leat compare: all schedulers and rivals in one run.

#pragma once

#include "compared_kernel.hpp"
#include "comparing_flags.hpp"
#include "comparison_report.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

namespace leat::cli {

/// The command `leat compare`, with a command of its own for each kernel. Several kernels may follow each other, each with
/// its own options, and one kernel several times; those of `leat compare` itself may stand anywhere, and hold for all.
class compare_command {
 public:
  /// Adds the command to the program; the object must outlive the parsing.
  explicit compare_command(CLI::App& program);

  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Measures the schedulers and rivals on the chosen kernels and reports; without one, lists the kernels. Returns the
  /// program's exit status, 0. Throws std::invalid_argument naming a bad value, and std::runtime_error where a result was wrong.
  [[nodiscard]] int run();

 private:
  struct entry {
    std::unique_ptr<compared_kernel> kernel;
    CLI::App* command;
  };

  void add(std::unique_ptr<compared_kernel>);
  void list() const;
  [[nodiscard]] std::string help_of_flags() const;
  [[nodiscard]] comparison_report measured(compared_kernel&, const comparing&) const;

  CLI::App* command_;
  comparing_flags flags_;
  std::vector<entry> entries_;
};

}  // namespace leat::cli
