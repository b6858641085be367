// One computation that was recorded several times.

#pragma once

#include "recording.hpp"

namespace leat::sim {

/// Each strand of `r` takes the lesser of its times in the two recordings, and so do the iterations of each block of a loop. What
/// a system or another machine's guest took from a strand in one recording is not in the other. Linear in both.
///
/// Loops whose iterations have operations of their own keep the times of `r` outside of these operations.
///
/// \throws std::invalid_argument  `again` has another computation; the message says where it begins to differ. `r` may have
///                                changed by then
void take_least_times(recording& r, const recording& again);

}  // namespace leat::sim
