// The 0/1 knapsack: which of some items, each once at most, are worth most and no heavier than a capacity?

#pragma once

#include <leat/cluster.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace leat::kernels::knapsack {

struct parameters {
  std::int64_t items = 100;        ///< --items       1 to items_max
  std::int64_t weight_max = 1000;  ///< --weight-max  weights are drawn from 1 to this, which is weight_max_max at most
  std::int64_t bonus = 100;  ///< --bonus       an item's value is its weight and this, 0 to weight_max_max, and
  std::int64_t spread = 0;  ///< --spread      a number drawn from 0 to this, 0 to weight_max_max. 0: hard, with a bonus
  std::int64_t seed = 3;  ///< --seed        0 to seed_max

  static constexpr std::int64_t items_max = 128;
  static constexpr std::int64_t weight_max_max = 10'000;
  static constexpr std::int64_t seed_max = 1'000'000'000;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const;
};

struct item {
  std::int64_t weight;
  std::int64_t value;
};

/// The items, those of the most value for their weight first, and how much fits: half of all.
struct instance {
  std::vector<item> items;
  std::int64_t capacity = 0;

  explicit instance(const parameters&);
};

/// Which items are taken, a bit for each in the instance's order.
using taken_items = std::array<std::uint64_t, parameters::items_max / 64>;

/// What a search finds. A value; it travels as it lies in memory.
struct findings {
  std::int64_t value = -1;  ///< of the best solution, or -1 where none was found that is better than those known
  taken_items taken{};  ///< that solution
  std::uint64_t nodes = 0;  ///< of the search tree. It depends on the order of the search, as other nodes are pruned
};

/// The best of both, and the nodes of both.
[[nodiscard]] findings better(const findings&, const findings&) noexcept;

/// What the best solution is worth, by dynamic programming, which has nothing in common with the search. Time: items times
/// capacity.
[[nodiscard]] std::int64_t best_value(const instance&);

/// Whether this is a solution of that value.
[[nodiscard]] bool is_solution(const instance&, const findings&) noexcept;

/// Searches depth first, and prunes what cannot be better than the best solution so far.
[[nodiscard]] findings search_serially(const instance&);

/// The same on all ranks of the cluster, one task per node, which share the value of the best solution as a bound. Returns
/// the best solution, on each. To be called by all ranks together. Throws what cluster::run throws.
/// \param keep  what is to be kept of the run on the way
[[nodiscard]] findings search_on_cluster(cluster&, const instance&, const snapshots& keep = {});

}  // namespace leat::kernels::knapsack
