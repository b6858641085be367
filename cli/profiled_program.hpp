// A program that runs in front of the user, and is profiled.

#pragma once

#include <string>
#include <vector>

namespace leat::cli {

/// Runs a program to its end, with this process's files, terminal and environment, and with LEAT_PROFILE set to `file`. `words` begin
/// with its name, which is searched for as a shell does. Meanwhile this process ignores the interrupts of the terminal.
/// `one_worker`: with LEAT_NUM_WORKERS set to 1.
/// Returns its exit status; the signal's number and 128, if a signal ended it. Throws std::system_error if it cannot be run.
[[nodiscard]] int run_profiled(const std::vector<std::string>& words, const std::string& file, bool one_worker);

}  // namespace leat::cli
