#include "kernels/bfs_graph.hpp"

#include <leat/protocol/random.hpp>

#include <numeric>
#include <utility>

namespace leat::kernels::bfs {

namespace {

using edge = std::pair<vertex, vertex>;

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

std::vector<edge> draw_edges(const parameters& p) {
  protocol::random source(1);
  const std::uint32_t vertices = std::uint32_t{1} << p.scale;
  const std::size_t many = static_cast<std::size_t>(p.degree) * vertices;
  std::vector<edge> edges;
  edges.reserve(many);
  for (std::size_t i = 0; i < many; ++i) {
    const edge drawn =
        p.kind == kind::rmat ? draw_rmat(source, p.scale) : edge{source.below(vertices), source.below(vertices)};
    if (drawn.first != drawn.second) edges.push_back(drawn);
  }
  return edges;
}

}  // namespace

std::string_view name(kind k) noexcept {
  switch (k) {
    case kind::rmat: return "rmat";
    case kind::uniform: return "uniform";
  }
  return "unknown";
}

graph::graph(const parameters& p) : first_((std::size_t{1} << p.scale) + 1) {
  const std::vector<edge> edges = draw_edges(p);
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
