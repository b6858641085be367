// Merging: two sorted ranges into one, by halves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "leat/loop/sort_small.hpp"
#include "leat/task/fork_join.hpp"

namespace leat::inline LEAT_ABI::loop {

/// Where to cut two sorted ranges so that what lies before the cuts precedes what lies behind them.
template <class It>
struct merge_cut {
  It left;
  It right;
};

/// Cuts the longer range in the middle, and the other one where that element belongs: O(log n) comparisons. Equal
/// elements of the left range come first: so a cut through equal elements goes before them in the right range
/// (lower_bound), and behind them in the left one (upper_bound).
template <class It, class Less>
merge_cut<It> cut_in_half(It left, It left_end, It right, It right_end, Less& less) {
  const auto by_reference = [&less](auto&& a, auto&& b) -> bool { return less(a, b); };  // which is not copied
  if (left_end - left >= right_end - right) {
    const It cut = left + (left_end - left) / 2;
    return {cut, std::lower_bound(right, right_end, *cut, by_reference)};
  }
  const It cut = right + (right_end - right) / 2;
  return {std::upper_bound(left, left_end, *cut, by_reference), cut};
}

/// Merges [first, middle) and [middle, last) where they lie: stable, O(n log n) moves. The two halves that a rotation
/// makes are merged in parallel; the rotation itself is one worker's, so the first one, of O(n) moves, bounds the
/// time from below.
template <class P, class It, class Less>
void merge_in_place(task::context<P> c, It first, It middle, It last, Less& less) {
  if (first == middle || middle == last || !less(*middle, middle[-1])) return;
  // The check above has compared the two.
  if (last - first == 2) return std::ranges::iter_swap(first, middle);
  const auto cut = cut_in_half(first, middle, middle, last, less);
  // Elements between the cuts change places: those of the right range before the cut go before those of the left
  // range behind it.
  const It joint = std::rotate(cut.left, middle, cut.right);
  task::fork_join<P>(
      c, [=, &less](task::context<P> inner) { merge_in_place<P>(inner, first, cut.left, joint, less); },
      [=, &less](task::context<P> inner) { merge_in_place<P>(inner, joint, cut.right, last, less); });
}

}  // namespace leat::inline LEAT_ABI::loop
