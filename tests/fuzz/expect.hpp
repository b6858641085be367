// What a target checks of the code under test, beyond that it does not crash.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace leat_fuzz {

/// Ends the process with this message unless `good`: libFuzzer then keeps the input and names its file.
inline void expect(bool good, std::string_view what) {
  if (good) return;
  std::fprintf(stderr, "leat fuzz: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

/// Checks that a message names what it is about, as far as a C string shows that: up to the first zero byte.
inline void expect_named(std::string_view message, std::string_view value) {
  if (message.find(value.substr(0, value.find('\0'))) != std::string_view::npos) return;
  expect(false, "the message '" + std::string(message) + "' does not name '" + std::string(value) + "'");
}

}  // namespace leat_fuzz
