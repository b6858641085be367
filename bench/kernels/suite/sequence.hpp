// Sequences of numbers that sorts, histograms and sets of numbers are given.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace leat::kernels::suite {

/// How a sequence is drawn.
enum class order : std::uint8_t {
  random,         ///< each number as likely as any other
  exponential,    ///< small ones are likely: the mean is a sixteenth of the range
  almost_sorted,  ///< in order, but for as many exchanges of two as the square root of their number
};

inline constexpr std::array orders = {order::random, order::exponential, order::almost_sorted};

[[nodiscard]] std::string_view name(order) noexcept;

/// n numbers from 0 on and below 1. The same arguments give the same numbers.
[[nodiscard]] std::vector<double> draw_sequence(std::size_t n, order by);

/// The same as whole numbers below `bound`.
[[nodiscard]] std::vector<std::uint32_t> draw_integers(std::size_t n, order by, std::uint32_t bound);

}  // namespace leat::kernels::suite
