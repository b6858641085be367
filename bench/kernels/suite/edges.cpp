#include "kernels/suite/edges.hpp"

#include <leat/protocol/random.hpp>

#include <numeric>
#include <utility>

namespace leat::kernels::suite {

namespace {

template <class T>
void shuffle(std::vector<T>& items, protocol::random source) {
  for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[source() % left]);
}

}  // namespace

std::vector<edge> shuffled_edges(std::size_t vertices, graph_kind kind) {
  std::vector<edge> edges = bfs::draw_edges(kind, vertices, drawn_degree);
  shuffle(edges, protocol::random(2));
  std::vector<vertex> number(vertices);
  std::iota(number.begin(), number.end(), vertex{0});
  shuffle(number, protocol::random(3));
  for (edge& e : edges) e = {number[e.first], number[e.second]};
  return edges;
}

}  // namespace leat::kernels::suite
