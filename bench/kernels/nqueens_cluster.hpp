// N-Queens on a cluster: the solutions, counted by all ranks.

#pragma once

#include "kernels/nqueens.hpp"

#include <leat/cluster.hpp>

#include <cstdint>

namespace leat::kernels::nqueens {

/// Rows that one task searches by itself: few, so that tasks are many; but a message for each board would cost more than
/// the search.
inline constexpr std::int64_t rows_of_a_task = 6;

/// Searches on all ranks of the cluster and returns what they found together, on each: a task for each board with more free rows
/// than rows_of_a_task, or as many. To be called by all ranks together. Throws what cluster::run throws.
/// \param n     1 to parameters::n_max
/// \param keep  what is to be kept of the run on the way
[[nodiscard]] findings count_on_cluster(cluster&, std::int64_t n, const snapshots& keep = {});

}  // namespace leat::kernels::nqueens
