// The blocked product over whatever makes tasks (calls.hpp).

#pragma once

#include "kernels/block.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace leat::kernels::matmul {

/// The factors, whose elements are small whole numbers, so that sums are exact, and the product. The first one has `inner`
/// columns, and the second one as many rows.
class matrices {
 public:
  matrices(std::int64_t n, std::int64_t inner, std::int64_t block);

  void clear() { std::ranges::fill(product_, 0.0); }

  [[nodiscard]] std::uint64_t count_right_rows() const;

  [[nodiscard]] std::size_t blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::size_t inner_blocks() const noexcept { return inner_blocks_; }

  /// What tasks call after each row; null: nothing.
  void poll_by(void (*poll)()) noexcept { poll_ = poll; }

  /// product(i, j) += first(i, k) second(k, j), of blocks.
  void multiply(std::size_t i, std::size_t j, std::size_t k) {
    double* const sums = &product_[at(blocks_, i, j)];
    const double* const a = &first_[at(inner_blocks_, i, k)];
    const double* const b = &second_[at(blocks_, k, j)];
    block::in_steps(size_, block::product_ns(size_), 4, poll_,
                    [&](block::steps those) { block::multiply(sums, a, b, size_, those); });
  }

 private:
  // Where a block begins, in a matrix with so many columns of blocks.
  [[nodiscard]] std::size_t at(std::size_t columns, std::size_t i, std::size_t j) const noexcept {
    return (i * columns + j) * size_ * size_;
  }
  [[nodiscard]] std::vector<double> times(const std::vector<double>& matrix, std::size_t columns,
                                          const std::vector<double>& vector) const;

  std::size_t size_;  // of a block
  std::size_t blocks_;  // of a row of the product
  std::size_t inner_blocks_;
  void (*poll_)() = nullptr;
  std::vector<double> first_;
  std::vector<double> second_;
  std::vector<double> product_;
};

template <class Tasks>
void multiply(matrices& m) {
  for (std::size_t k = 0; k < m.inner_blocks(); ++k) {
    Tasks::all([](auto make) { return make; },
               [&m, k](const auto& make) {
                 for (std::size_t i = 0; i < m.blocks(); ++i) {
                   for (std::size_t j = 0; j < m.blocks(); ++j) make([&m, i, j, k] { m.multiply(i, j, k); });
                 }
               });
  }
}

}  // namespace leat::kernels::matmul
