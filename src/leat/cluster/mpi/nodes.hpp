// Which ranks of an MPI program share a node.
#pragma once

#include <mpi.h>

#include <vector>

#include "leat/cluster/transport.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// For each rank the first rank of its node, or nothing if no two share one; see transport::nodes. Those of one node are ranks that can share memory. All
/// ranks call it together. Errors are those of the communicator's handler.
inline std::vector<rank_id> nodes_among(MPI_Comm among, rank_id self, rank_id ranks) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(among, MPI_COMM_TYPE_SHARED, static_cast<int>(self), MPI_INFO_NULL, &node);
  rank_id first = self;
  MPI_Bcast(&first, 1, MPI_UINT32_T, 0, node);
  MPI_Comm_free(&node);
  std::vector<rank_id> node_of(ranks);
  MPI_Allgather(&first, 1, MPI_UINT32_T, node_of.data(), 1, MPI_UINT32_T, among);
  bool shared = false;
  for (rank_id r = 0; r < ranks; ++r) shared |= node_of[r] != r;
  if (!shared) node_of.clear();
  return node_of;
}

}  // namespace leat::inline LEAT_ABI::ranks
