#include "kernels/suite/independent_set.hpp"

#include "kernels/suite/costs.hpp"
#include "kernels/suite/reservations.hpp"

#include <leat/platform/counted.hpp>

#include <algorithm>

namespace leat::kernels::suite {

namespace {

constexpr costs joined_ns = {9, 8, 4};  // of a vertex with its edges, in worlds
constexpr costs decided_ns = {13, 17, 11};

}  // namespace

independent_set::independent_set(std::size_t n, graph_kind kind)
    : states(n),
      graph_(n, shuffled_edges(n, kind)),
      decided_(n),
      joined_ns_(cost_of(joined_ns, kind)),
      decided_ns_(cost_of(decided_ns, kind)) {}

void independent_set::restore() { std::ranges::fill(states, state::open); }

void independent_set::run_serially() {
  declare(joined_ns_, states.size());
  for (vertex v = 0; v < states.size(); ++v) {
    if (states[v] != state::open) continue;
    states[v] = state::in;
    for (const vertex to : graph_.neighbours(v)) states[to] = state::out;
  }
}

independent_set::state independent_set::by_neighbours(vertex v) const noexcept {
  state found = state::in;
  for (const vertex to : graph_.neighbours(v)) {
    if (to > v) continue;
    if (states[to] == state::in) return state::out;
    if (states[to] == state::open) found = state::open;
  }
  return found;
}

template <class Loops>
void independent_set::run(const Loops& by) {
  commit_in_order(
      by, states.size(), decided_ns_,
      [this](vertex v) {
        decided_[v] = by_neighbours(v);
        return true;
      },
      [this](vertex v) {
        states[v] = decided_[v];
        return states[v] != state::open;
      });
}

template void independent_set::run(const loops<platform::chosen>&);
template void independent_set::run(const loops<platform::counted>&);

std::uint64_t independent_set::count_right() const {
  std::uint64_t right = 0;
  for (vertex v = 0; v < states.size(); ++v) {
    const auto neighbours = graph_.neighbours(v);
    const bool beside = std::ranges::any_of(neighbours, [this](vertex to) { return states[to] == state::in; });
    right += states[v] == (beside ? state::out : state::in) ? 1 : 0;
  }
  return right;
}

}  // namespace leat::kernels::suite
