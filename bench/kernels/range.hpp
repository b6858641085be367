// The limits of a kernel's parameters.

#pragma once

#include <cstdint>

namespace leat::kernels {

/// Throws std::invalid_argument, naming the option and its value, unless `value` is between `least` and `most`.
void check_range(const char* option, std::int64_t value, std::int64_t least, std::int64_t most);

/// The same; what is not a number is not between them.
void check_range(const char* option, double value, double least, double most);

/// Throws std::invalid_argument, naming both options and their values, unless `value`, 1 or more, divides `whole`.
void check_divisor(const char* option, std::int64_t value, const char* of_option, std::int64_t whole);

}  // namespace leat::kernels
