// Square blocks of matrices, and what is done with them: matrices are stored block by block, each row by row.

#pragma once

#include <cstddef>
#include <cstdint>

namespace leat::kernels::block {

/// The loops are for whatever vectors the CPU has. No a * b + c is rounded once only, so all programs find the same numbers.
/// `size`: rows of a block.

/// c += a b. Where leat was built with LEAT_OPENBLAS, OpenBLAS does it, in its own order.
void multiply(double* __restrict c, const double* __restrict a, const double* __restrict b, std::size_t size) noexcept;

/// c -= a b
void subtract_product(double* __restrict c, const double* __restrict a, const double* __restrict b,
                      std::size_t size) noexcept;

/// LU decomposition in place, without pivots: L below the diagonal, which is 1, and U.
void decompose(double* a, std::size_t size) noexcept;

/// right = L^-1 right, where `diagonal` has been decomposed.
void forward(const double* __restrict diagonal, double* __restrict right, std::size_t size) noexcept;

/// below = below U^-1
void divide(const double* __restrict diagonal, double* __restrict below, std::size_t size) noexcept;

/// What size^3 multiplications and additions take in worlds, in nanoseconds: eight in one.
[[nodiscard]] constexpr double product_ns(std::size_t size) noexcept {
  return 0.125 * static_cast<double>(size) * static_cast<double>(size) * static_cast<double>(size);
}

}  // namespace leat::kernels::block
