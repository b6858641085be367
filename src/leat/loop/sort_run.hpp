// Ranges that need no sorting: those in order, and those in reverse order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "leat/loop/sort_blocks.hpp"
#include "leat/task/fork_join.hpp"

namespace leat::inline LEAT_ABI::loop {

/// Sorts a range of two elements or more that is in order, or in reverse order. Any other is left as it is, at the
/// cost of a few comparisons if it is broken early, and of about n if late. With `stable`, equal neighbours break a
/// reverse order, as reversing would exchange them. Returns whether the range is sorted.
template <bool stable, class P, class It, class Less>
bool sort_run(task::context<P> c, It first, It last, Less& less) {
  // The first pair tells which order to check. Blocks begin at 1 and compare backwards, so pairs across a border of
  // two blocks are compared, too.
  const bool reversed = less(first[1], *first);
  const auto breaks = [&, reversed](It i) -> bool {
    if (!reversed) return less(*i, i[-1]);
    if constexpr (stable) return !less(*i, i[-1]);
    else return less(i[-1], *i);
  };
  typename P::template atomic<bool> broken{false};
  for_blocks<P>(c, 1, last - first, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    if (broken.load(platform::relaxed)) return;  // relaxed: it only saves comparisons, until all blocks are joined
    for (It i = first + begin; i != first + end; ++i) {
      if (breaks(i)) return broken.store(true, platform::relaxed);
    }
  });
  // relaxed: the join of all blocks has ordered their stores before this.
  if (broken.load(platform::relaxed)) return false;
  if (!reversed) return true;
  for_blocks<P>(c, 0, (last - first) / 2, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    for (std::ptrdiff_t i = begin; i != end; ++i) std::ranges::iter_swap(first + i, last - 1 - i);
  });
  return true;
}

}  // namespace leat::inline LEAT_ABI::loop
