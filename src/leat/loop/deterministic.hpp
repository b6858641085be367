// A reduction whose result depends on the operands alone: not on the workers, and not on who executes what.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "leat/loop/reduce.hpp"
#include "leat/task/fork_join.hpp"

namespace leat::loop {

/// Indices that are combined one after the other, from the first on, in a leaf of the tree. Large enough for a fork to
/// be a small part of the work, and fixed for good: another number rounds differently.
inline constexpr std::uint64_t leaf_size = 32;

/// The value of a tree over the block, whose leaves have leaf_size indices but for the last; the lower half of the
/// leaves, without the odd one, is the left branch.
template <class P, class Index, class Fold>
typename Fold::value reduce_tree(task::context<P> c, block<Index> b, const Fold& how) {
  if (b.size() <= leaf_size) {
    auto made = how.start(b);
    return how.add(std::move(made), b);
  }
  const std::uint64_t leaves = (b.size() - 1) / leaf_size + 1;
  const block<Index> left = take_lower(b, leaves / 2 * leaf_size);
  auto both = task::fork_join<P>(
      c, [left, &how](task::context<P> beneath) { return reduce_tree<P>(beneath, left, how); },
      [b, &how](task::context<P> beneath) { return reduce_tree<P>(beneath, b, how); });
  return how.join(std::move(both.first), std::move(both.second));
}

/// Nothing if the block is empty.
template <class P, class Index, class Fold>
std::optional<typename Fold::value> deterministic_reduce(const block<Index>& all, const Fold& how) {
  task::this_worker<P>("deterministic_reduce");
  if (all.size() == 0) return std::nullopt;
  return task::with_context<P>([&](task::context<P> c) { return reduce_tree<P>(c, all, how); });
}

}  // namespace leat::loop
