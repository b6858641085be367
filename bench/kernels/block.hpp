// Square blocks of matrices, and what is done with them: matrices are stored block by block, each row by row.

#pragma once

#include <leat/platform/chosen.hpp>

#include <cstddef>
#include <cstdint>

namespace leat::kernels::block {

/// The loops are for whatever vectors the CPU has. No a * b + c is rounded once only, so all programs find the same numbers.
/// `size`: rows of a block. Each is done in steps, one for each row, or for each column: those from `from` on and before `to`,
/// in order.
struct steps {
  std::size_t from, to;
};

/// c += a b. Where leat was built with LEAT_OPENBLAS, OpenBLAS does it, in its own order.
void multiply(double* __restrict c, const double* __restrict a, const double* __restrict b, std::size_t size,
              steps those) noexcept;

/// c -= a b
void subtract_product(double* __restrict c, const double* __restrict a, const double* __restrict b, std::size_t size,
                      steps those) noexcept;

/// LU decomposition in place, without pivots: L below the diagonal, which is 1, and U.
void decompose(double* a, std::size_t size, steps those) noexcept;

/// right = L^-1 right, where `diagonal` has been decomposed.
void forward(const double* __restrict diagonal, double* __restrict right, std::size_t size, steps those) noexcept;

/// below = below U^-1
void divide(const double* __restrict diagonal, double* __restrict below, std::size_t size, steps those) noexcept;

/// Executes do_steps(steps) for a task that takes `ns` in worlds, and moves `blocks` blocks from memory or to it. With a `poll`, it is
/// called after each step.
template <class DoSteps>
void in_steps(std::size_t size, double ns, double blocks, void (*poll)(), const DoSteps& do_steps) {
  const double bytes = blocks * sizeof(double) * static_cast<double>(size) * static_cast<double>(size);
  if (poll == nullptr) {
    platform::chosen::work_ns(ns, bytes);
    return do_steps(steps{0, size});
  }
  const auto parts = static_cast<double>(size);
  for (std::size_t step = 0; step < size; ++step) {
    platform::chosen::work_ns(ns / parts, bytes / parts);
    do_steps(steps{step, step + 1});
    poll();
  }
}

/// What size^3 multiplications and additions take in worlds, in nanoseconds: eight in one.
[[nodiscard]] constexpr double product_ns(std::size_t size) noexcept {
  return 0.125 * static_cast<double>(size) * static_cast<double>(size) * static_cast<double>(size);
}

}  // namespace leat::kernels::block
