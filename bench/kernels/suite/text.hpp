// Texts that are drawn: small letters and spaces.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace leat::kernels::suite {

/// How a text is drawn.
enum class script : std::uint8_t {
  words,     ///< each letter by the two before it, so that some words are frequent, as in a language
  letters,   ///< each letter, and the space, as likely as any other
  repeated,  ///< a thousand letters again and again, one of 10000 of which is another
};

inline constexpr std::array scripts = {script::words, script::letters, script::repeated};

[[nodiscard]] std::string_view name(script) noexcept;

/// n characters. The same arguments give the same text.
[[nodiscard]] std::string draw_text(std::size_t n, script);

}  // namespace leat::kernels::suite
