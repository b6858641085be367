#include "kernels/bfs_graph.hpp"

#include <leat/protocol/random.hpp>

#include <algorithm>
#include <bit>
#include <numeric>

namespace leat::kernels::bfs {

namespace {

// Each bit of both ends is a choice among the four quarters of the matrix of neighbours (Chakrabarti, Zhan and
// Faloutsos, 2004).
edge draw_rmat(protocol::random& source, std::int64_t scale) {
  edge drawn{0, 0};
  for (std::int64_t bit = 0; bit < scale; ++bit) {
    const std::uint32_t percent = source.below(100);
    drawn.first = drawn.first << 1 | static_cast<vertex>(percent >= 57 + 19);
    drawn.second = drawn.second << 1 | static_cast<vertex>((percent >= 57 && percent < 57 + 19) || percent >= 95);
  }
  return drawn;
}

// A cube of vertices, in rows and layers; the last layer may not be full.
std::vector<edge> grid_edges(std::size_t vertices) {
  std::size_t side = 1;
  while (side * side * side < vertices) ++side;
  std::vector<edge> edges;
  edges.reserve(3 * vertices);
  const auto join = [&](std::size_t from, std::size_t to) {
    if (to < vertices) edges.emplace_back(static_cast<vertex>(from), static_cast<vertex>(to));
  };
  for (std::size_t v = 0; v < vertices; ++v) {
    if (v % side + 1 < side) join(v, v + 1);
    if (v / side % side + 1 < side) join(v, v + side);
    join(v, v + side * side);
  }
  return edges;
}

}  // namespace

std::vector<edge> draw_edges(kind k, std::size_t vertices, std::size_t degree) {
  if (k == kind::grid) return grid_edges(vertices);
  protocol::random source(1);
  const auto below = static_cast<std::uint32_t>(vertices);
  const auto scale = static_cast<std::int64_t>(std::bit_width(below - 1));
  std::vector<edge> edges;
  edges.reserve(degree * vertices);
  for (std::size_t i = 0; i < degree * vertices; ++i) {
    const edge drawn = k == kind::rmat ? draw_rmat(source, scale) : edge{source.below(below), source.below(below)};
    if (drawn.first != drawn.second && std::max(drawn.first, drawn.second) < below) edges.push_back(drawn);
  }
  return edges;
}

std::string_view name(kind k) noexcept {
  switch (k) {
    case kind::rmat: return "rmat";
    case kind::uniform: return "uniform";
    case kind::grid: return "grid";
  }
  return "unknown";
}

graph::graph(const parameters& p)
    : graph(std::size_t{1} << p.scale,
            draw_edges(p.kind, std::size_t{1} << p.scale, static_cast<std::size_t>(p.degree))) {}

graph::graph(std::size_t vertices, const std::vector<edge>& edges) : first_(vertices + 1) {
  for (const auto& [a, b] : edges) {
    ++first_[a + 1];
    ++first_[b + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  neighbours_.resize(2 * edges.size());
  std::vector<std::size_t> next = first_;
  for (const auto& [a, b] : edges) {
    neighbours_[next[a]++] = b;
    neighbours_[next[b]++] = a;
  }
}

vertex graph::busiest() const noexcept {
  vertex found = 0;
  for (vertex v = 0; v < vertices(); ++v) {
    if (neighbours(v).size() > neighbours(found).size()) found = v;
  }
  return found;
}

}  // namespace leat::kernels::bfs
