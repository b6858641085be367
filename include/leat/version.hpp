#pragma once

#include "leat/platform/language.hpp"

#include "leat/platform/built.hpp"

#define LEAT_VERSION_TEXT_OF(major, minor, patch) #major "." #minor "." #patch
#define LEAT_VERSION_TEXT(major, minor, patch) LEAT_VERSION_TEXT_OF(major, minor, patch)

namespace leat::inline LEAT_ABI {

/// Returns the version of the headers, "major.minor.patch". The version of the library differs in the patch at most:
/// otherwise no program links.
///
/// Any thread may call it; costs nothing.
inline const char* version() noexcept {
  return LEAT_VERSION_TEXT(LEAT_VERSION_MAJOR, LEAT_VERSION_MINOR, LEAT_VERSION_PATCH);
}

}  // namespace leat::inline LEAT_ABI
