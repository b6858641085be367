#include "kernels/suite/spanning_forest.hpp"

#include "kernels/suite/costs.hpp"
#include "kernels/suite/reservations.hpp"

#include <leat/platform/counted.hpp>

#include <algorithm>
#include <atomic>
#include <numeric>

namespace leat::kernels::suite {

namespace {

constexpr costs united_ns = {3.9, 4.5, 7.4};  // of an edge, in worlds
constexpr costs rooted_ns = {7, 7.3, 13};

// Each vertex on the way is joined with its parent's parent.
vertex root_of(std::vector<vertex>& parent, vertex v) noexcept {
  while (parent[v] != v) v = parent[v] = parent[parent[v]];
  return v;
}

// The same beside others. Relaxed: all that may be written at once are ancestors of the vertex, at each time less than it.
vertex shared_root_of(std::vector<vertex>& parent, vertex v) noexcept {
  const auto parent_of = [&parent](vertex of) { return std::atomic_ref<vertex>(parent[of]); };
  for (;;) {
    const vertex above = parent_of(v).load(std::memory_order_relaxed);
    if (above == v) return v;
    const vertex next = parent_of(above).load(std::memory_order_relaxed);
    if (next != above) parent_of(v).store(next, std::memory_order_relaxed);
    v = next;
  }
}

void make_roots(std::vector<vertex>& parent) { std::iota(parent.begin(), parent.end(), vertex{0}); }

}  // namespace

spanning_forest::spanning_forest(std::size_t n, graph_kind kind)
    : edges_(shuffled_edges(n, kind)),
      roots_(edges_.size()),
      parent_(n),
      holder_(n, no_item),
      united_ns_(cost_of(united_ns, kind)),
      rooted_ns_(cost_of(rooted_ns, kind)) {
  chosen.resize(edges_.size());
}

void spanning_forest::restore() {
  std::ranges::fill(chosen, std::uint8_t{0});
  std::ranges::copy(edges_, roots_.begin());
  make_roots(parent_);
  std::ranges::fill(holder_, no_item);
}

void spanning_forest::run_serially() {
  declare(united_ns_, edges_.size());
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const vertex a = root_of(parent_, edges_[e].first);
    const vertex b = root_of(parent_, edges_[e].second);
    if (a == b) continue;
    parent_[std::max(a, b)] = std::min(a, b);
    chosen[e] = 1;
  }
}

template <class Loops>
void spanning_forest::run(const Loops& by) {
  commit_in_order(
      by, edges_.size(), rooted_ns_,
      [this](std::uint32_t e) {
        const vertex a = shared_root_of(parent_, roots_[e].first);
        const vertex b = shared_root_of(parent_, roots_[e].second);
        roots_[e] = std::minmax(a, b);
        if (a != b) reserve_place(holder_[roots_[e].second], e);
        return a != b;
      },
      [this](std::uint32_t e) {
        if (holder_[roots_[e].second] != e) return false;
        parent_[roots_[e].second] = roots_[e].first;
        chosen[e] = 1;
        return true;
      });
}

template void spanning_forest::run(const loops<platform::chosen>&);
template void spanning_forest::run(const loops<platform::counted>&);

std::uint64_t spanning_forest::count_right() const {
  std::vector<vertex> parent(parent_.size());
  make_roots(parent);
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    if (chosen[e] == 0) continue;
    const vertex a = root_of(parent, edges_[e].first);
    const vertex b = root_of(parent, edges_[e].second);
    if (a == b) return 0;
    parent[a] = b;
  }
  const auto joined = [&](const edge& e) { return root_of(parent, e.first) == root_of(parent, e.second); };
  return static_cast<std::uint64_t>(std::ranges::count_if(edges_, joined));
}

}  // namespace leat::kernels::suite
