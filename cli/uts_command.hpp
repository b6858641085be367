// leat uts: the unbalanced tree search benchmark.

#pragma once

#include "measuring_flags.hpp"

#include "kernels/construct.hpp"
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
  [[nodiscard]] const kernels::uts::known_tree* choose_tree();

  CLI::App* command_;
  measuring_flags flags_;
  kernels::construct construct_ = kernels::construct::spawn;
  std::string tree_name_;
  kernels::uts::parameters parameters_;
  std::int64_t type_;  // of parameters_, as the numbers that -t and -a take
  std::int64_t shape_;
};

}  // namespace leat::cli
