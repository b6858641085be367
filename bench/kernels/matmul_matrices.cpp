#include "kernels/matmul_tasks.hpp"

#include <random>

namespace leat::kernels::matmul {

namespace {

std::vector<double> draw(std::size_t many, unsigned seed) {
  std::mt19937 source(seed);
  std::vector<double> drawn(many);
  for (double& d : drawn) d = static_cast<double>(source() % 17) - 8;
  return drawn;
}

}  // namespace

matrices::matrices(std::int64_t n, std::int64_t inner, std::int64_t block)
    : size_(static_cast<std::size_t>(block)),
      blocks_(static_cast<std::size_t>(n / block)),
      inner_blocks_(static_cast<std::size_t>(inner / block)),
      first_(draw(static_cast<std::size_t>(n * inner), 1)),
      second_(draw(first_.size(), 2)),
      product_(static_cast<std::size_t>(n * n)) {}

std::vector<double> matrices::times(const std::vector<double>& matrix, std::size_t columns,
                                    const std::vector<double>& vector) const {
  std::vector<double> result(matrix.size() / (columns * size_));
  for (std::size_t i = 0; i * size_ < result.size(); ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const double* row = &matrix[at(columns, i, j)];
      for (std::size_t r = 0; r < size_; ++r, row += size_) {
        for (std::size_t c = 0; c < size_; ++c) result[i * size_ + r] += row[c] * vector[j * size_ + c];
      }
    }
  }
  return result;
}

std::uint64_t matrices::count_right_rows() const {
  std::vector<double> vector = draw(size_ * blocks_, 3);
  for (double& d : vector) d += 9;  // not zero, which would hide what is wrong in a column
  const std::vector<double> right = times(first_, inner_blocks_, times(second_, blocks_, vector));
  const std::vector<double> found = times(product_, blocks_, vector);
  std::uint64_t rows = 0;
  for (std::size_t i = 0; i < right.size(); ++i) rows += right[i] == found[i] ? 1 : 0;
  return rows;
}

}  // namespace leat::kernels::matmul
