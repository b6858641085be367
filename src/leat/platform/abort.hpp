// What ends the process: the program has done what cannot be thrown to it. Compiled in the library (abort.cpp).
#pragma once

namespace leat::platform {

/// Writes `message`, which ends with a newline, to the standard error, and aborts.
[[noreturn]] void abort_with(const char* message) noexcept;

}  // namespace leat::platform
