// The message of a green thread that comes to the end of its stack.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::fibre {

/// Writes it to `text`, as much as fits, and returns its length, without an end mark. Inside a signal handler: it
/// allocates nothing, and calls nothing that is not safe there.
inline std::size_t describe_overflow(std::uint64_t thread, std::size_t stack_bytes, std::span<char> text) noexcept {
  std::size_t length = 0;
  // Each piece is cut at the end of `text`, so a short one gets the beginning of the message.
  const auto say = [&](const char* words) {
    const std::size_t n = std::min(std::strlen(words), text.size() - length);
    std::memcpy(text.data() + length, words, n);
    length += n;
  };
  const auto say_number = [&](std::uint64_t n) {
    // 20 digits at most, and the end. From the last digit on, as std::to_string allocates.
    std::array<char, 24> digits;
    char* at = digits.data() + digits.size() - 1;
    *at = '\0';
    do *--at = static_cast<char>('0' + n % 10);
    while ((n /= 10) != 0);
    say(at);
  };
  say("leat: thread ");
  say_number(thread);
  say(" has come to the end of its stack of ");
  say_number(stack_bytes);
  say(" bytes\n");
  return length;
}

}  // namespace leat::inline LEAT_ABI::fibre
