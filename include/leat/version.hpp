#pragma once

#if __cplusplus < 202002L
#error "leat needs C++20: compile with -std=c++20"
#endif

namespace leat {

/// The version of the library, "major.minor.patch". CMakeLists.txt reads it here, so that it is written once.
///
/// Safe from any thread; costs nothing.
inline const char* version() noexcept { return "0.1.0"; }

}  // namespace leat
