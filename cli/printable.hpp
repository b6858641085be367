// Text of a file that anybody may have written, as a terminal may show it.
#pragma once

#include <string>
#include <string_view>

namespace leat::cli {

/// The text with a question mark in place of each control character.
[[nodiscard]] inline std::string printable(std::string_view text) {
  std::string shown;
  for (const char c : text) shown += static_cast<unsigned char>(c) < ' ' || c == 0x7f ? '?' : c;
  return shown;
}

}  // namespace leat::cli
