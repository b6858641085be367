// Graphs that are drawn.

#pragma once

#include "kernels/bfs.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace leat::kernels::bfs {

using vertex = std::uint32_t;
using edge = std::pair<vertex, vertex>;

/// Edges between so many vertices, `degree` times as many, less those that would lead from a vertex to itself. Of a grid
/// those to the next vertex in each direction, whatever the degree. The same arguments give the same edges everywhere.
[[nodiscard]] std::vector<edge> draw_edges(kind, std::size_t vertices, std::size_t degree);

/// An undirected graph. The same parameters give the same graph everywhere. An edge may be there twice; none leads from
/// a vertex to itself.
class graph {
 public:
  explicit graph(const parameters&);
  graph(std::size_t vertices, const std::vector<edge>&);

  [[nodiscard]] std::size_t vertices() const noexcept { return first_.size() - 1; }

  [[nodiscard]] std::span<const vertex> neighbours(vertex v) const noexcept {
    return std::span(neighbours_).subspan(first_[v], first_[v + 1] - first_[v]);
  }

  /// The one with most neighbours; of several, the first.
  [[nodiscard]] vertex busiest() const noexcept;

 private:
  std::vector<std::size_t> first_;  // place of each vertex's first neighbour; one more at the end
  std::vector<vertex> neighbours_;
};

}  // namespace leat::kernels::bfs
