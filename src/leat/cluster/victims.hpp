// In which order a rank asks the others: those of its own node first. Pure, as leat/protocol/ is. Rule VICTIM-1,
// docs/internals/cluster.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "leat/cluster/counters.hpp"
#include "leat/cluster/transport.hpp"
#include "leat/protocol/random.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// In which order the ranks of a node, or all others, are asked.
enum class victim_order : std::uint8_t {
  last,    ///< round the ring, from the rank that gave last
  ring,    ///< round the ring, from the next rank
  random,  ///< in an order that is drawn for each round
};

/// What a rank knows of others, and how it is to choose among them.
struct victim_plan {
  std::vector<rank_id> node_of;  ///< by rank, a number that ranks of one node share; empty: each has its own
  victim_order order = victim_order::last;
  victim_order prefetch = victim_order::random;  ///< engine rma: whom a prefetch asks, the next in the ring or any
};

/// Whether two ranks share a node.
inline bool share_node(const std::vector<rank_id>& node_of, rank_id a, rank_id b) noexcept {
  return a == b || (!node_of.empty() && node_of[a] == node_of[b]);
}

/// What a rank counts when this victim has given.
inline rank_event steal_from(const std::vector<rank_id>& node_of, rank_id thief, rank_id victim) noexcept {
  return share_node(node_of, thief, victim) ? rank_event::steals_inside : rank_event::steals_outside;
}

/// The numbers of transport::nodes where so many ranks in a row share a node; none if that is one.
inline std::vector<rank_id> nodes_in_a_row(rank_id ranks, rank_id per_node) {
  std::vector<rank_id> node_of(per_node > 1 ? ranks : 0);
  for (rank_id r = 0; r < node_of.size(); ++r) node_of[r] = r / per_node;
  return node_of;
}

/// The other ranks, in rounds of which each asks every rank once: those of this rank's node, and then those beyond
/// (VICTIM-1). It has a number for each rank. `first` and `next` take constant time, but for a few draws.
class victims {
 public:
  victims(rank_id self, rank_id ranks, const victim_plan& plan) : order_(plan.order), drawn_(self) {
    for (rank_id i = 1; i < ranks; ++i) {
      const rank_id other = (self + i) % ranks;
      (share_node(plan.node_of, self, other) ? near_ : beyond_).others.push_back(other);
    }
    begin();
  }

  /// Begins a round. Returns the first rank of it; none if there is no other rank.
  std::optional<rank_id> first() {
    begin();
    return next();
  }

  /// The next rank of this round; none when each has been asked.
  std::optional<rank_id> next() noexcept {
    row& r = near_.asked != near_.others.size() ? near_ : beyond_;
    if (r.asked == r.others.size()) return std::nullopt;
    ++r.asked;
    at_ = std::exchange(r.next, (r.next + r.stride) % r.others.size());
    in_ = &r;
    return r.others[at_];
  }

  /// The rank that came last from `first` or `next` has given tasks.
  void gave() noexcept {
    if (in_ != nullptr) in_->gave = at_;
  }

  /// This rank has given tasks. O(ranks).
  void gave(rank_id who) noexcept {
    for (row* const r : {&near_, &beyond_}) {
      const auto found = std::ranges::find(r->others, who);
      if (found != r->others.end()) r->gave = static_cast<std::size_t>(found - r->others.begin());
    }
  }

  /// How many share this rank's node.
  std::size_t near() const noexcept { return near_.others.size(); }

  /// The rank beyond the node with which a round would go on there; none if all share the node.
  std::optional<rank_id> first_beyond() const noexcept {
    return beyond_.others.empty() ? std::nullopt : std::optional(beyond_.others[beyond_.next]);
  }

  victims(const victims&) = delete;
  victims& operator=(const victims&) = delete;

 private:
  struct row {
    std::vector<rank_id> others;  // in the order of the ring
    std::size_t asked = 0;  // in this round
    std::size_t next = 0;
    std::size_t stride = 1;
    std::size_t gave = 0;
  };

  void begin() {
    for (row* const r : {&near_, &beyond_}) {
      r->asked = 0;
      r->stride = 1;
      r->next = order_ == victim_order::last ? r->gave : 0;
      if (order_ == victim_order::random && r->others.size() > 1) draw(*r);
    }
  }

  // A stride without a divisor in common with the number of ranks leads to each of them once.
  void draw(row& r) {
    constexpr int draws_max = 16;
    const auto ranks = static_cast<std::uint32_t>(r.others.size());
    r.next = drawn_.below(ranks);
    for (int i = 0; i < draws_max; ++i) {
      const std::uint32_t stride = 1 + drawn_.below(ranks - 1);
      if (std::gcd(stride, ranks) != 1) continue;
      r.stride = stride;
      return;
    }
  }

  victim_order order_;
  protocol::random drawn_;
  row near_;
  row beyond_;
  row* in_ = nullptr;  // of the rank that came last
  std::size_t at_ = 0;
};

}  // namespace leat::inline LEAT_ABI::ranks
