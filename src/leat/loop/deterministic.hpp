// A reduction whose result depends on the operands alone: not on the number of workers, and not on which worker
// executes which part. The sum of two floating-point numbers is rounded, so sums have the same bits only if the same
// numbers are added in the same order. parallel_reduce divides its range where thieves ask; here the tree is fixed.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "leat/loop/reduce.hpp"
#include "leat/task/fork_join.hpp"
#include "leat/task/insider.hpp"

namespace leat::inline LEAT_ABI::loop {

/// Indices that are combined one after the other, from the first on, in a leaf of the tree. It is large enough for a
/// fork to be a small part of the work. It must not change: with another number a program's sums round differently.
inline constexpr std::uint64_t leaf_size = 32;

/// The value of a tree over the block, which is not empty. All leaves have leaf_size indices, but for the last one;
/// the lower half of the leaves, without the odd one, is the left branch. So a leaf begins at the same index however
/// deep the recursion is. Depth: log2 of the number of leaves.
/// \param how  a fold; several workers use it at once
/// \throws the exception of the earliest operand, in the order of the indices, that threw, as fork_join does
template <class P, class Index, class Fold>
typename Fold::value reduce_tree(task::context<P> c, block<Index> b, const Fold& how) {
  if (b.size() <= leaf_size) {
    auto made = how.start(b);
    return how.add(std::move(made), b);
  }
  // Rounded up without b.size() + leaf_size, which may be above 2^64. There are two leaves at least, so no branch is
  // empty.
  const std::uint64_t leaves = (b.size() - 1) / leaf_size + 1;
  const block<Index> left = take_lower(b, leaves / 2 * leaf_size);
  auto both = task::fork_join<P>(
      c, [left, &how](task::context<P> beneath) { return reduce_tree<P>(beneath, left, how); },
      [b, &how](task::context<P> beneath) { return reduce_tree<P>(beneath, b, how); });
  return how.join(std::move(both.first), std::move(both.second));
}

/// Reduces the block; nothing if it is empty. It takes no options: chunks and a token would let the tree depend on
/// time.
/// \throws not_a_worker inside leat::blocking; what reduce_tree throws
template <class P, class Index, class Fold>
std::optional<typename Fold::value> deterministic_reduce(const block<Index>& all, const Fold& how) {
  const task::insider<P> in("deterministic_reduce");
  if (all.size() == 0) return std::nullopt;
  return task::with_context<P>([&](task::context<P> c) { return reduce_tree<P>(c, all, how); });
}

}  // namespace leat::inline LEAT_ABI::loop
