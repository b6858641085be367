// UTS on a cluster: the nodes of one tree, counted by all ranks.

#pragma once

#include "kernels/uts.hpp"

#include <leat/cluster.hpp>

namespace leat::kernels::uts {

/// Traverses the tree on all ranks of the cluster, one task per node, and returns what they found together, on each. To be
/// called by all ranks together. Throws what cluster::run throws.
/// \param keep  what is to be kept of the run on the way
[[nodiscard]] tally count_on_cluster(cluster&, const tree&, const snapshots& keep = {});

}  // namespace leat::kernels::uts
