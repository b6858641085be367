// The programs that lie beside this one.

#pragma once

#include <string>
#include <string_view>

namespace leat::cli {

/// The file of the program of this name in the directory that this program is in, where the system tells.
[[nodiscard]] std::string sibling_program(std::string_view name);

}  // namespace leat::cli
