// leat profile: runs a program and explains its profile.

#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace leat::cli {

/// Removes the "--" between the options of `leat profile` and its program: CLI11 would look for commands of leat behind it.
void remove_mark_of_profile(int& argc, char** argv);

/// The command `leat profile`.
class profile_command {
 public:
  /// Adds the command to the program; the object must outlive the parsing.
  explicit profile_command(CLI::App& program);

  [[nodiscard]] bool chosen() const { return command_->parsed(); }

  /// Runs the program and prints the verdicts. Returns the exit status of the program. Throws std::invalid_argument, naming what is
  /// wrong in an option, std::system_error where it cannot be run, and std::runtime_error where it wrote no profile.
  [[nodiscard]] int run() const;

 private:
  [[nodiscard]] std::string file_of_one() const;

  CLI::App* command_;
  std::string file_ = "leat-profile.txt";
  bool one_ = false;
  bool json_ = false;
};

}  // namespace leat::cli
