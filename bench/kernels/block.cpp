#include "kernels/block.hpp"

#include "kernels/for_each_cpu.hpp"

#if defined(LEAT_OPENBLAS)
#include <cblas.h>
#endif

namespace leat::kernels::block {

namespace {

// c += sign a b. Four rows of b at a time, so that a row of c comes from memory and goes back a fourth as often; each
// sum is made in the same order as without that.
[[gnu::always_inline]] inline void add_product(double sign, double* __restrict c, const double* __restrict a,
                                               const double* __restrict b, std::size_t size, steps those) noexcept {
  for (std::size_t i = those.from; i < those.to; ++i) {
    double* __restrict const sums = c + i * size;
    const double* __restrict const factors = a + i * size;
    std::size_t k = 0;
    for (; k + 4 <= size; k += 4) {
      const double f0 = sign * factors[k];
      const double f1 = sign * factors[k + 1];
      const double f2 = sign * factors[k + 2];
      const double f3 = sign * factors[k + 3];
      const double* __restrict const rows = b + k * size;
      for (std::size_t j = 0; j < size; ++j) {
        sums[j] = sums[j] + f0 * rows[j] + f1 * rows[size + j] + f2 * rows[2 * size + j] + f3 * rows[3 * size + j];
      }
    }
    for (; k < size; ++k) {
      const double factor = sign * factors[k];
      for (std::size_t j = 0; j < size; ++j) sums[j] += factor * b[k * size + j];
    }
  }
}

}  // namespace

#if defined(LEAT_OPENBLAS)

// By the library, on the thread that calls it.
void multiply(double* __restrict c, const double* __restrict a, const double* __restrict b, std::size_t size,
              steps those) noexcept {
  [[maybe_unused]] static const bool alone = (openblas_set_num_threads(1), true);
  const auto n = static_cast<blasint>(size);
  const std::size_t first = those.from * size;
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<blasint>(those.to - those.from), n, n, 1,
              a + first, n, b, n, 1, c + first, n);
}

#else

LEAT_FOR_EACH_CPU
void multiply(double* __restrict c, const double* __restrict a, const double* __restrict b, std::size_t size,
              steps those) noexcept {
  add_product(1, c, a, b, size, those);
}

#endif

LEAT_FOR_EACH_CPU
void subtract_product(double* __restrict c, const double* __restrict a, const double* __restrict b, std::size_t size,
                      steps those) noexcept {
  add_product(-1, c, a, b, size, those);
}

LEAT_FOR_EACH_CPU
void decompose(double* a, std::size_t size, steps those) noexcept {
  for (std::size_t k = those.from; k < those.to; ++k) {
    for (std::size_t i = k + 1; i < size; ++i) {
      const double factor = a[i * size + k] /= a[k * size + k];
      for (std::size_t j = k + 1; j < size; ++j) a[i * size + j] -= factor * a[k * size + j];
    }
  }
}

LEAT_FOR_EACH_CPU
void forward(const double* __restrict diagonal, double* __restrict right, std::size_t size, steps those) noexcept {
  for (std::size_t k = those.from; k < those.to; ++k) {
    for (std::size_t i = k + 1; i < size; ++i) {
      const double factor = diagonal[i * size + k];
      for (std::size_t j = 0; j < size; ++j) right[i * size + j] -= factor * right[k * size + j];
    }
  }
}

LEAT_FOR_EACH_CPU
void divide(const double* __restrict diagonal, double* __restrict below, std::size_t size, steps those) noexcept {
  for (std::size_t i = those.from; i < those.to; ++i) {
    for (std::size_t k = 0; k < size; ++k) {
      const double factor = below[i * size + k] /= diagonal[k * size + k];
      for (std::size_t j = k + 1; j < size; ++j) below[i * size + j] -= factor * diagonal[k * size + j];
    }
  }
}

}  // namespace leat::kernels::block
