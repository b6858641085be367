// Fractions that are drawn.

#pragma once

#include <leat/protocol/random.hpp>

namespace leat::kernels::suite {

/// A number from 0 on and below 1, a multiple of 2^-53.
inline double draw_fraction(protocol::random& source) noexcept { return static_cast<double>(source() >> 11) * 0x1p-53; }

}  // namespace leat::kernels::suite
