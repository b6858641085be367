// What is said of a command line that cannot be understood.

#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace leat::cli {

/// Has `program`, and the commands that are added to it from now on, refuse a value that is given to a flag: "--json=no" is a
/// mistake, not its absence.
void refuse_values_of_flags(CLI::App& program);

/// In the style of all messages: which word is meant, and what is wrong with it.
[[nodiscard]] std::string reason(const CLI::App& program, const CLI::ParseError& error);

/// Which help to ask for: that of the command that was given, as far as it was understood.
[[nodiscard]] std::string where_to_look(const CLI::App& program);

}  // namespace leat::cli
