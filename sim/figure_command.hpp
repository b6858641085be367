// `leat sim --figure`: a figure or table of Prell's thesis, simulated.

#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace leat::sim {

/// --figure, with the flags that go with it. It takes no kernel.
class figure_command {
 public:
  /// Adds the flags to the program, which the object must outlive.
  explicit figure_command(CLI::App& program);

  [[nodiscard]] bool chosen() const { return figure_->count() != 0; }

  /// Throws std::invalid_argument if one of its flags stands without --figure.
  void refuse_flags_alone() const;

  /// Simulates all programs of the figure and writes speed-ups beside those published. Throws std::invalid_argument if the program
  /// was given a kernel, too, and for a figure that is not known, naming those that are.
  void run() const;

 private:
  CLI::App& program_;
  std::string name_;
  CLI::Option* figure_;
  bool markdown_ = false;
  bool json_ = false;
  bool no_progress_ = false;
};

}  // namespace leat::sim
