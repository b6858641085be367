// One computation that was recorded several times.

#pragma once

#include "recording.hpp"

namespace leat::sim {

/// Each strand of `r` takes the lesser of its times in the two recordings, and so do the iterations of each block of a loop. What
/// a system or another machine's guest took from a strand in one recording is not in the other. Linear in both.
///
/// Work of a loop that is no iteration's keeps the times of `r`, and so do iterations of loops of which some have operations of
/// their own, and those that `again` lacks.
///
/// \throws std::invalid_argument  `again` has another computation; or its program was called by another command line; the message says where they differ. `r` may have
///                                changed by then
void take_least_times(recording& r, const recording& again);

}  // namespace leat::sim
