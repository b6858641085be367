// What counts as a number on the command line.

#pragma once

#include <CLI/CLI.hpp>

namespace leat::cli {

/// Accepts a whole number in decimal digits that fits std::int64_t, and nothing else: no other base, no silent
/// saturation.
[[nodiscard]] CLI::Validator whole_number();

/// Accepts a number that a double can hold.
[[nodiscard]] CLI::Validator real_number();

}  // namespace leat::cli
