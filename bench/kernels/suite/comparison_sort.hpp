// A sort of floating point numbers by comparisons.

#pragma once

#include "kernels/suite/sequence.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace leat::kernels::suite {

class comparison_sort {
 public:
  static constexpr std::string_view name = "comparison-sort";
  static constexpr std::string_view description = "Mergesort of numbers, with parallel merges";
  using input_kind = order;
  static constexpr std::array inputs = orders;
  static constexpr std::int64_t n_default = 4'000'000;
  static constexpr std::int64_t n_max = 500'000'000;

  comparison_sort(std::size_t n, order);

  void restore() { sorted = drawn_; }

  /// std::sort.
  void run_serially();

  template <class Loops>
  void run(const Loops&);

  /// How many are sorted, from the first one on; none if some are missing.
  [[nodiscard]] std::uint64_t count_right() const;
  [[nodiscard]] std::uint64_t expected() const noexcept { return drawn_.size(); }

  std::vector<double> sorted;  ///< or about to be

 private:
  std::vector<double> drawn_;
  std::vector<double> spare_;
  double compared_ns_;
};

}  // namespace leat::kernels::suite
