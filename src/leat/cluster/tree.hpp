// The tree of ranks along which results go up, and news of the end down: rank 0 is the root, each has two children at
// most.
#pragma once

#include <cstdint>
#include <vector>

#include "leat/cluster/transport.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// Of any rank but the root. Numbers are as in a binary heap, so each rank knows its neighbours without a message, and
/// news passes log2(ranks) ranks.
constexpr rank_id parent_of(rank_id r) noexcept { return (r - 1) / 2; }

/// In 64 bits, as twice a rank's number need not fit into its own type.
inline std::vector<rank_id> children_of(rank_id r, rank_id ranks) {
  std::vector<rank_id> children;
  for (std::uint64_t child = 2 * std::uint64_t{r} + 1; child <= 2 * std::uint64_t{r} + 2 && child < ranks; ++child) {
    children.push_back(static_cast<rank_id>(child));
  }
  return children;
}

}  // namespace leat::inline LEAT_ABI::ranks
