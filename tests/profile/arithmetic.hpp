// Work of a known size that needs a CPU and nothing else.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace profiled {

/// Takes about 1 us for each `us`.
inline std::uint64_t work(std::uint64_t us) {
  constexpr std::uint64_t steps_of_us = 800;
  std::uint64_t x = us + 1;
  for (std::uint64_t i = 0; i < us * steps_of_us; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  return x;
}

/// Keeps what is computed from being left out.
inline void keep(std::uint64_t value) { asm volatile("" : : "r"(value)); }

using named_program = std::pair<std::string_view, std::function<void()>>;

/// Runs the program that the first argument names. Returns the exit status.
inline int run_named(int argc, char** argv, const std::vector<named_program>& all) {
  for (const auto& [name, program] : all) {
    if (argc != 2 || name != argv[1]) continue;
    program();
    return 0;
  }
  for (const auto& [name, program] : all) std::fprintf(stderr, "%.*s\n", static_cast<int>(name.size()), name.data());
  return 2;
}

}  // namespace profiled
