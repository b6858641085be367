// A graph that is drawn, with as many edges as vertices times a degree.

#pragma once

#include "kernels/bfs.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace leat::kernels::bfs {

using vertex = std::uint32_t;

/// An undirected graph. The same parameters give the same graph everywhere. An edge may be there twice; none leads from
/// a vertex to itself.
class graph {
 public:
  explicit graph(const parameters&);

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
