// How much longer the strands of a recording are than they would be without it.

#pragma once

#include "recording.hpp"

namespace leat::sim {

/// Makes all strands and blocks of iterations longer or shorter by the same time, so that together they take `work_ns`, or as near
/// as can be: none takes less than nothing. Linear in the recording. Returns the time, in nanoseconds; positive: they are shorter.
double remove_bias(recording& r, double work_ns);

}  // namespace leat::sim
