// Programs of user-level threads and bubbles, as `leat compare` and `leat sim` see them.

#pragma once

#include "compared_kernel.hpp"

#include <memory>
#include <vector>

namespace leat::cli {

/// conduction, advection, mesh, thread-fib, gangs and pairs, with their default parameters.
[[nodiscard]] std::vector<std::unique_ptr<compared_kernel>> carried_kernels();

}  // namespace leat::cli
