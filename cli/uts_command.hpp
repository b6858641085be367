// leat uts: the unbalanced tree search benchmark.

#pragma once

#include "runtime_flags.hpp"

#include "kernels/uts_tree.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

namespace leat::cli {

/// The command `leat uts`.
class uts_command {
 public:
  /// Adds the command to the program; the object must outlive the parsing.
  explicit uts_command(CLI::App& program);

  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Measures and reports. Returns the program's exit status: 0, or 1 where a count was wrong. Throws
  /// std::invalid_argument naming a bad value.
  [[nodiscard]] int run();

 private:
  void add_tree_options();

  CLI::App* command_;
  runtime_flags runtime_;
  std::string tree_name_;
  kernels::uts::parameters parameters_;
  int type_;  // of parameters_, as the numbers that -t and -a take
  int shape_;
  std::int64_t repeat_ = 1;
  bool no_serial_ = false;
  bool json_ = false;
};

}  // namespace leat::cli
