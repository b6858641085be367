// How a recording's strands differ from those of the program without a recording.

#pragma once

#include "recording.hpp"

namespace leat::sim {

/// A strand took its recorded time less `ns`, times `factor`.
struct strand_bias {
  double ns = 0;      ///< 0 or more
  double factor = 1;  ///< 1 or more
};

/// Makes all strands and blocks of iterations take `work_ns` together, or as near as can be. If they took more, each loses the same
/// time, at most its own: that is what recording cost. If they took less, the program ran on a slower machine: all grow by one factor.
/// Linear in the recording.
strand_bias remove_bias(recording& r, double work_ns);

}  // namespace leat::sim
