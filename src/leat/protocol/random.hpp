// A small random number generator whose whole state is one word, so that a run can be replayed from a seed.
#pragma once

#include <cstdint>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::protocol {

/// SplitMix64: an addition and a mix per number; any seed is a good seed.
class random {
 public:
  explicit constexpr random(std::uint64_t seed) noexcept : state_(seed) {}

  constexpr std::uint64_t operator()() noexcept {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// A number in [0, bound), bound > 0. The bias of at most bound / 2^32 does not matter to victim selection.
  constexpr std::uint32_t below(std::uint32_t bound) noexcept {
    return static_cast<std::uint32_t>(((*this)() >> 32) * bound >> 32);
  }

  friend constexpr bool operator==(const random&, const random&) = default;

 private:
  std::uint64_t state_;
};

}  // namespace leat::inline LEAT_ABI::protocol
