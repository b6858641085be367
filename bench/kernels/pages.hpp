// Memory of which no page has been touched: each page comes to lie on the node of the thread that touches it first.
#pragma once

#include <cstddef>
#include <memory>

namespace leat::kernels {

/// Gives them back.
struct unmap {
  std::size_t bytes = 0;  // 0: not from the system
  void operator()(double* first) const noexcept;
};

/// Numbers on pages of their own, which are new each time: what an allocator gives again lies where it was used before. In simulated
/// worlds they lie in the world's memory. Their values are not set.
using untouched_numbers = std::unique_ptr<double[], unmap>;

/// Throws std::bad_alloc. Cost: a system call.
[[nodiscard]] untouched_numbers map_numbers(std::size_t count);

}  // namespace leat::kernels
