// How a recording's strands differ from those of the program without a recording.

#pragma once

#include "recording.hpp"

namespace leat::sim {

/// A strand took its recorded time less `ns`, times `factor`.
struct strand_bias {
  double ns = 0;      ///< 0 or more
  double factor = 1;  ///< 1 or more
};

/// Changes the times of all strands and blocks of iterations, so that together they take `work_ns`, or as near as can be. Recording
/// makes each longer by the same time: if they took more, that is taken off, and none takes less than nothing. If they took less,
/// the program ran on a slower machine, and all grow alike. Linear in the recording.
strand_bias remove_bias(recording& r, double work_ns);

}  // namespace leat::sim
