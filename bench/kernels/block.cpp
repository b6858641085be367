#include "kernels/block.hpp"

#include "kernels/for_each_cpu.hpp"

namespace leat::kernels::block {

LEAT_FOR_EACH_CPU
void multiply(double* __restrict c, const double* __restrict a, const double* __restrict b, std::size_t size) noexcept {
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < size; ++k) {
      const double factor = a[i * size + k];
      for (std::size_t j = 0; j < size; ++j) c[i * size + j] += factor * b[k * size + j];
    }
  }
}

LEAT_FOR_EACH_CPU
void subtract_product(double* __restrict c, const double* __restrict a, const double* __restrict b,
                      std::size_t size) noexcept {
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < size; ++k) {
      const double factor = a[i * size + k];
      for (std::size_t j = 0; j < size; ++j) c[i * size + j] -= factor * b[k * size + j];
    }
  }
}

LEAT_FOR_EACH_CPU
void decompose(double* a, std::size_t size) noexcept {
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t i = k + 1; i < size; ++i) {
      const double factor = a[i * size + k] /= a[k * size + k];
      for (std::size_t j = k + 1; j < size; ++j) a[i * size + j] -= factor * a[k * size + j];
    }
  }
}

LEAT_FOR_EACH_CPU
void forward(const double* __restrict diagonal, double* __restrict right, std::size_t size) noexcept {
  for (std::size_t k = 0; k < size; ++k) {
    for (std::size_t i = k + 1; i < size; ++i) {
      const double factor = diagonal[i * size + k];
      for (std::size_t j = 0; j < size; ++j) right[i * size + j] -= factor * right[k * size + j];
    }
  }
}

LEAT_FOR_EACH_CPU
void divide(const double* __restrict diagonal, double* __restrict below, std::size_t size) noexcept {
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < size; ++k) {
      const double factor = below[i * size + k] /= diagonal[k * size + k];
      for (std::size_t j = k + 1; j < size; ++j) below[i * size + j] -= factor * diagonal[k * size + j];
    }
  }
}

}  // namespace leat::kernels::block
