// Memory of which no page has been touched: each page comes to lie on the node of the thread that touches it first.
#pragma once

#include <cstddef>
#include <memory>

namespace leat::kernels {

/// Gives pages back to the system.
struct unmap {
  std::size_t bytes = 0;
  void operator()(double* first) const noexcept;
};

/// Numbers on pages of their own, all zero. They are new each time: what an allocator gives again lies where it was used before.
using untouched_numbers = std::unique_ptr<double[], unmap>;

/// Throws std::bad_alloc. Cost: a system call.
[[nodiscard]] untouched_numbers map_numbers(std::size_t count);

}  // namespace leat::kernels
