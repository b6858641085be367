// Matmul (Prell's thesis, 2.8): a blocked product of two matrices of doubles.

#pragma once

#include "kernels/counted_runtime.hpp"

#include <leat/runtime.hpp>

#include <cstdint>
#include <memory>

namespace leat::kernels::matmul {

class matrices;

struct parameters {
  std::int64_t n = 1024;    ///< -n       rows of the product, and columns, 1 to n_max
  std::int64_t inner = 0;   ///< --inner  columns of the first factor, and rows of the second, to n_max; 0: as -n
  std::int64_t block = 32;  ///< --block  rows of a block; divides -n and --inner
  bool splittable = false;  ///< --splittable  the tasks for a column of blocks are one, which is split when needed
  bool polls = false;       ///< --polls  tasks poll for steal requests after each row of a block

  static constexpr std::int64_t n_max = 16'384;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const;

  /// Draws the matrices.
  void prepare() const;

  /// Makes the product zero.
  void before_run(unsigned workers) const;

  /// How many rows of the product are right, by a random vector (Freivalds, 1979).
  [[nodiscard]] std::uint64_t after_run(std::uint64_t) const;

  [[nodiscard]] std::uint64_t forks() const noexcept {
    const std::int64_t blocks = n / block;
    return static_cast<std::uint64_t>(blocks * blocks * (columns() / block));
  }

  [[nodiscard]] std::uint64_t expected() const noexcept { return static_cast<std::uint64_t>(n); }

  /// The same program with fewer blocks.
  [[nodiscard]] parameters smaller() const;

  /// Columns of the first factor.
  [[nodiscard]] std::int64_t columns() const noexcept { return inner == 0 ? n : inner; }

  /// Which all copies of these parameters share once they are prepared.
  [[nodiscard]] matmul::matrices& matrices() const;

 private:
  mutable std::shared_ptr<matmul::matrices> matrices_;
};

std::uint64_t serial(const parameters&);

/// A group of tasks for each column of blocks of the first matrix, one for each block of the product, as many groups one
/// after the other as there are columns. Throws what runtime::run throws.
std::uint64_t parallel(runtime&, const parameters&);
std::uint64_t parallel(counted_runtime&, const parameters&);

}  // namespace leat::kernels::matmul
