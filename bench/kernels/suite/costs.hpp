// What items take in simulated worlds, where that depends on how the data are drawn.

#pragma once

#include <array>
#include <cstddef>

namespace leat::kernels::suite {

/// Nanoseconds of an item, for each input of a program in the order of its inputs.
using costs = std::array<double, 3>;

template <class Input>
double cost_of(const costs& ns, Input input) noexcept {
  return ns[static_cast<std::size_t>(input)];
}

}  // namespace leat::kernels::suite
