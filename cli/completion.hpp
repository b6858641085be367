// What may follow on a command line, for a shell that completes words.

#pragma once

#include <CLI/CLI.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace leat::cli {

/// The command by which a shell asks: leat complete WORD... It is not listed by --help.
inline constexpr std::string_view completing = "complete";

/// The words that may follow `given`, the finished words after the program's name: the commands and the options of the
/// command that they name, or the words that their last option takes. None where a number or a file name must follow, and
/// where `given` has a word that names nothing.
[[nodiscard]] std::vector<std::string> words_after(const CLI::App& program, std::span<const std::string_view> given);

}  // namespace leat::cli
