// The kernels of bench/kernels/suite.

#pragma once

#include "bench_kernel.hpp"

#include <memory>
#include <vector>

namespace leat::cli {

/// The programs on which LCWS was measured, with their default parameters.
[[nodiscard]] std::vector<std::unique_ptr<bench_kernel>> suite_kernels();

}  // namespace leat::cli
