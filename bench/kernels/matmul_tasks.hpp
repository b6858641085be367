// The blocked product over whatever makes tasks (calls.hpp).

#pragma once

#include "kernels/block.hpp"

#include <leat/platform/chosen.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace leat::kernels::matmul {

/// The factors, whose elements are small whole numbers, so that sums are exact, and the product.
class matrices {
 public:
  matrices(std::int64_t n, std::int64_t block);

  void clear() { std::ranges::fill(product_, 0.0); }

  [[nodiscard]] std::uint64_t count_right_rows() const;

  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }

  /// product(i, j) += first(i, k) second(k, j), of blocks.
  void multiply(std::size_t i, std::size_t j, std::size_t k) {
    platform::chosen::work_ns(block::product_ns(size_));
    block::multiply(&product_[at(i, j)], &first_[at(i, k)], &second_[at(k, j)], size_);
  }

 private:
  [[nodiscard]] std::size_t at(std::size_t i, std::size_t j) const noexcept {
    return (i * blocks_ + j) * size_ * size_;
  }
  [[nodiscard]] std::vector<double> times(const std::vector<double>& matrix, const std::vector<double>& vector) const;

  std::size_t size_;  // of a block
  std::size_t blocks_;
  std::vector<double> first_;
  std::vector<double> second_;
  std::vector<double> product_;
};

template <class Tasks>
void multiply(matrices& m) {
  for (std::size_t k = 0; k < m.blocks(); ++k) {
    Tasks::all([](auto make) { return make; },
               [&m, k](const auto& make) {
                 for (std::size_t i = 0; i < m.blocks(); ++i) {
                   for (std::size_t j = 0; j < m.blocks(); ++j) make([&m, i, j, k] { m.multiply(i, j, k); });
                 }
               });
  }
}

}  // namespace leat::kernels::matmul
