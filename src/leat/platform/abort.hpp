// What ends the process: the program has done what cannot be thrown to it. Compiled in the library (abort.cpp).
#pragma once

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::platform {

/// Writes `message`, which ends with a newline, to the standard error, and aborts.
[[noreturn]] void abort_with(const char* message) noexcept;

}  // namespace leat::inline LEAT_ABI::platform
