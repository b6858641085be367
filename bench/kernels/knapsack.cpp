#include "kernels/knapsack.hpp"

#include "kernels/range.hpp"

#include <leat/protocol/random.hpp>

#include <algorithm>
#include <numeric>

namespace leat::kernels::knapsack {

namespace {

// The items before `next` are decided.
struct node {
  taken_items taken{};
  std::int64_t value = 0;
  std::int64_t room = 0;
  std::uint32_t next = 0;
};

// What a solution below this node is worth at most: it takes the items in order, and of the first that does not fit the
// part that does.
std::int64_t most_below(const instance& of, const node& at) {
  std::int64_t value = at.value;
  std::int64_t room = at.room;
  for (std::size_t i = at.next; i < of.items.size(); ++i) {
    const item& it = of.items[i];
    if (it.weight > room) return value + room * it.value / it.weight;
    room -= it.weight;
    value += it.value;
  }
  return value;
}

// Calls emit for the children that may hold a better solution than the bound; the one that takes the item comes last, and
// so is visited first.
template <class Emit>
findings visit(const instance& of, shared_bound& best, const node& at, Emit&& emit) {
  findings found;
  found.nodes = 1;
  // What is taken so far is a solution. The task that improves the bound by it returns it (BOUND-1).
  if (best.improve(at.value)) {
    found.value = at.value;
    found.taken = at.taken;
  }
  if (at.next == of.items.size() || most_below(of, at) <= best.read()) return found;
  const item& it = of.items[at.next];
  node without = at;
  ++without.next;
  emit(without);
  if (it.weight <= at.room) {
    node with = without;
    with.taken[at.next / 64] |= std::uint64_t{1} << at.next % 64;
    with.value += it.value;
    with.room -= it.weight;
    emit(with);
  }
  return found;
}

// What is worth nothing is a solution, too, and improves this.
shared_bound no_solution_yet() { return shared_bound(bound_goal::maximum, -1); }

node root_of(const instance& of) {
  node root;
  root.room = of.capacity;
  return root;
}

}  // namespace

void parameters::validate() const {
  check_range("--items", items, 1, items_max);
  check_range("--weight-max", weight_max, 1, weight_max_max);
  check_range("--bonus", bonus, 0, weight_max_max);
  check_range("--spread", spread, 0, weight_max_max);
  check_range("--seed", seed, 0, seed_max);
}

instance::instance(const parameters& p) {
  protocol::random draw(static_cast<std::uint64_t>(p.seed));
  for (std::int64_t i = 0; i < p.items; ++i) {
    const std::int64_t weight = 1 + draw.below(static_cast<std::uint32_t>(p.weight_max));
    const std::int64_t more = draw.below(static_cast<std::uint32_t>(p.spread + 1));
    items.push_back({weight, weight + p.bonus + more});
    capacity += weight;
  }
  capacity /= 2;
  std::ranges::stable_sort(items, [](const item& a, const item& b) { return a.value * b.weight > b.value * a.weight; });
}

findings better(const findings& a, const findings& b) noexcept {
  findings best = a.value >= b.value ? a : b;
  best.nodes = a.nodes + b.nodes;
  return best;
}

std::int64_t best_value(const instance& of) {
  std::vector<std::int64_t> best(static_cast<std::size_t>(of.capacity) + 1, 0);  // by weight
  for (const item& it : of.items) {
    for (auto room = static_cast<std::size_t>(of.capacity); room >= static_cast<std::size_t>(it.weight); --room) {
      best[room] = std::max(best[room], best[room - static_cast<std::size_t>(it.weight)] + it.value);
    }
  }
  return best.back();
}

bool is_solution(const instance& of, const findings& found) noexcept {
  std::int64_t weight = 0;
  std::int64_t value = 0;
  for (std::size_t i = 0; i < of.items.size(); ++i) {
    if ((found.taken[i / 64] >> i % 64 & 1) == 0) continue;
    weight += of.items[i].weight;
    value += of.items[i].value;
  }
  return weight <= of.capacity && value == found.value;
}

findings search_serially(const instance& of) {
  shared_bound best = no_solution_yet();
  findings found;
  std::vector<node> left{root_of(of)};
  while (!left.empty()) {
    const node at = left.back();
    left.pop_back();
    found = better(found, visit(of, best, at, [&left](const node& child) { left.push_back(child); }));
  }
  return found;
}

findings search_on_cluster(cluster& on, const instance& of, const snapshots& keep) {
  shared_bound best = no_solution_yet();
  const auto expand = [&](const node& at, const auto& emit) { return visit(of, best, at, emit); };
  const auto value_of = [](const findings& found) { return found.value; };
  return on.run(std::array{root_of(of)}, findings{}, expand, &better, best, value_of, keep);
}

}  // namespace leat::kernels::knapsack
