// Runs the commands of figures that have no kept result.

#pragma once

#include "command_words.hpp"
#include "kept_results.hpp"
#include "progress.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace leat::cli {

/// A command that figures need.
struct needed_run {
  command_words command;
  std::string figure;  ///< one that needs it, for people
  std::chrono::seconds limit{};
};

/// Runs each command and keeps what it prints: those of `leat sim` as many at a time as `at_once`, all others alone, after them. A
/// command that fails does not stop the others. Returns what went wrong, a message for each such command: the command, and what it said.
/// Throws std::runtime_error if the folder cannot be written.
///
/// A signal that ends the program ends what it started, too. What has been kept until then stays.
[[nodiscard]] std::vector<std::string> run_all(const std::vector<needed_run>&, kept_results&, unsigned at_once,
                                               progress& shown);

}  // namespace leat::cli
