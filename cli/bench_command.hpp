// leat bench: the kernels that measure what tasks cost.

#pragma once

#include "bench_kernel.hpp"
#include "loop_command.hpp"
#include "measuring_flags.hpp"
#include "threads_command.hpp"
#include "uts_command.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <vector>

namespace leat::cli {

/// The command `leat bench`, with a command of its own for each kernel.
class bench_command {
 public:
  /// Adds the command to the program; the object must outlive the parsing.
  explicit bench_command(CLI::App& program);

  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Measures the chosen kernel and reports; without one, lists the kernels. Returns the program's exit status: 0, or 1
  /// where a result was wrong. Throws std::invalid_argument naming a bad value.
  [[nodiscard]] int run();

 private:
  struct entry {
    std::unique_ptr<bench_kernel> kernel;
    std::unique_ptr<measuring_flags> flags;
    CLI::App* command;
  };

  static int measure_kernel(const bench_kernel& kernel, const measuring_flags& flags);

  CLI::App* command_;
  std::vector<entry> entries_;
  std::unique_ptr<uts_command> uts_;
  std::unique_ptr<loop_command> loop_;
  std::unique_ptr<threads_command> threads_;
};

}  // namespace leat::cli
