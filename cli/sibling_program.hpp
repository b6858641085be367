// The programs that lie beside this one.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace leat::cli {

/// The file of the program of this name in the directory that this program is in, where the system tells.
[[nodiscard]] std::string sibling_program(std::string_view name);

/// Becomes that program, under the name `called`, with these arguments. Throws std::runtime_error, naming its file, where
/// that cannot be run.
[[noreturn]] void become_sibling(std::string_view name, std::string called, std::vector<std::string> words);

}  // namespace leat::cli
