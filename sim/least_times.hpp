// One computation that was recorded several times.

#pragma once

#include "recording.hpp"

namespace leat::sim {

/// Each strand of `r` takes the lesser of its times in the two recordings, and so do the iterations of each block of a loop. What
/// the system or another guest of the machine took from a strand in one recording is not in the other. Linear in both.
///
/// Work of a loop that belongs to no iteration keeps the times of `r`. So do iterations that `again` lacks, and all those of a loop
/// in which one has operations of its own.
///
/// \throws std::invalid_argument  `again` has another computation, or another command line; the message says where they differ.
///                                `r` may have changed by then
void take_least_times(recording& r, const recording& again);

}  // namespace leat::sim
