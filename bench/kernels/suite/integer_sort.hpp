// A stable sort of integers by their digits, the last digit first.

#pragma once

#include "kernels/suite/sequence.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace leat::kernels::suite {

class integer_sort {
 public:
  static constexpr std::string_view name = "integer-sort";
  static constexpr std::string_view description = "Radix sort of integers of 27 bits, by digits of nine bits";
  using input_kind = order;
  static constexpr std::array inputs = orders;
  static constexpr std::int64_t n_default = 40'000'000;
  static constexpr std::int64_t n_max = 500'000'000;

  integer_sort(std::size_t n, order);

  void restore() { sorted = drawn_; }

  /// The same digits, counted once and by one thread.
  void run_serially();

  template <class Loops>
  void run(const Loops&);

  /// How many are sorted, from the first one on; none if some are missing.
  [[nodiscard]] std::uint64_t count_right() const;
  [[nodiscard]] std::uint64_t expected() const noexcept { return drawn_.size(); }

  std::vector<std::uint32_t> sorted;  ///< or about to be

 private:
  template <class Loops>
  void sort_by_digit(const Loops&, const std::uint32_t* from, std::uint32_t* to, unsigned shift);

  std::vector<std::uint32_t> drawn_;
  std::vector<std::uint32_t> spare_;
};

}  // namespace leat::kernels::suite
