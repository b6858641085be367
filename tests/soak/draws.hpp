// Draws: the random numbers of a sitting, the same again from the same seed.
#pragma once

#include <cstdint>

namespace soak {

/// A sequence of numbers that its seed determines (splitmix64). A value: copies draw the same numbers.
class draws {
 public:
  explicit constexpr draws(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t x = state_;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
  }

  /// 0 to n - 1. n is not 0.
  constexpr std::uint64_t below(std::uint64_t n) { return next() % n; }

  /// `first` to `last`, both included.
  constexpr std::uint64_t between(std::uint64_t first, std::uint64_t last) { return first + below(last - first + 1); }

  /// True once in n draws, on average.
  constexpr bool once_in(std::uint64_t n) { return below(n) == 0; }

  /// The beginning of a sequence of its own, for a part of the work that runs beside the rest.
  constexpr draws split() { return draws(next() ^ 0x5851f42d4c957f2d); }

 private:
  std::uint64_t state_;
};

}  // namespace soak
