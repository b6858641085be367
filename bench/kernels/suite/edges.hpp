// Edges of graphs, in no order, between vertices that have been numbered by chance: programs that go through them in order
// then meet few that depend on each other.

#pragma once

#include "kernels/bfs_graph.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace leat::kernels::suite {

using bfs::edge;
using bfs::vertex;

/// How edges are drawn.
using graph_kind = bfs::kind;

inline constexpr std::array graph_kinds = {graph_kind::rmat, graph_kind::uniform, graph_kind::grid};

/// Edges for each vertex, in the mean; of a grid less than three.
inline constexpr std::size_t drawn_degree = 8;

/// The same arguments give the same edges.
[[nodiscard]] std::vector<edge> shuffled_edges(std::size_t vertices, graph_kind);

}  // namespace leat::kernels::suite
