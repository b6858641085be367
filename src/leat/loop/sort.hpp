// Sorting in place: a parallel quicksort that forks at every partition. The first partitions are made by several
// workers (sort_partition.hpp); from then on there are enough forks for all. docs/guide/sorting.md has the steps.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <type_traits>

#include "leat/loop/each.hpp"
#include "leat/loop/sort_partition.hpp"
#include "leat/loop/sort_range.hpp"
#include "leat/loop/sort_run.hpp"
#include "leat/loop/sort_small.hpp"
#include "leat/task/fork_join.hpp"
#include "leat/task/insider.hpp"

namespace leat::inline LEAT_ABI::loop {

/// The one of three that is neither the least nor the greatest: two or three comparisons.
template <class It, class Less>
It middle_of(It a, It b, It c, Less& less) {
  const bool a_first = less(*a, *b);
  if (a_first != static_cast<bool>(less(*a, *c))) return a;
  return a_first == static_cast<bool>(less(*b, *c)) ? b : c;
}

/// An element near the median of `count`, 8 at least: a median of medians of three. It reads count^(log 3 / log 8)
/// elements, about the square root, from all over the range.
template <class It, class Less>
It choose_pivot(It first, std::iter_difference_t<It> count, Less& less) {
  const auto step = count / 8;
  if (step < 8) return middle_of(first, first + 4 * step, first + 7 * step, less);
  return middle_of(choose_pivot(first, step, less), choose_pivot(first + 4 * step, step, less),
                   choose_pivot(first + 7 * step, step, less), less);
}

template <class P, class It, class Less>
class quicksort {
 public:
  using value = std::iter_value_t<It>;
  using difference = std::iter_difference_t<It>;

  /// Up to so many elements are sorted by insertion.
  static constexpr difference insertion_max = 24;

  explicit quicksort(Less& less) : less_(less) {}

  /// Sorts the range. O(n log n) comparisons for any order; forks nest O(log n) deep.
  /// \throws what a comparison throws; all elements are in the range then
  void sort(task::context<P> c, It first, It last) const {
    sort(c, first, last, false, static_cast<int>(std::bit_width(static_cast<std::size_t>(last - first))));
  }

 private:
  // `bounded`: an earlier pivot, or its equal, is before `first`, and no element of the range is less than it.
  // `bad_left`: how many more partitions may be bad, with less than an eighth on one side, before the order is taken
  // for one that was made to defeat the pivots. Good partitions nest O(log n) deep, and at most log2(n) + 1 bad ones
  // lie on a path, so all levels together make O(n log n) comparisons.
  void sort(task::context<P> c, It first, It last, bool bounded, int bad_left) const {
    const difference count = last - first;
    if (count <= insertion_max) return insertion_sort(first, last, less_);
    // Once a level: n comparisons at most, and a few where the order breaks early.
    if (sort_run<false, P>(c, first, last, less_)) return;
    if (bad_left == 0) return heap_sort(first, last, less_);
    // The pivot waits at `first`, outside the partitioned range, so a reference to it stays good; it moves between
    // the two parts afterwards, and is sorted.
    swap(first, choose_pivot(first, count, less_));
    const held_pivot pivot = *first;
    if (bounded && !less_(first[-1], pivot)) {
      // The pivot is not greater than the earlier pivot before the range, so elements that are not greater than it
      // equal both, and are in their places. With few distinct values each value takes one such pass.
      const auto equal = [&](const value& v) { return !less_(pivot, v); };
      const It rest = partition<P>(c, first + 1, last, equal);
      return sort(c, rest, last, true, bad_left - (rest - first < count / 8 ? 1 : 0));
    }
    const auto is_less = [&](const value& v) { return static_cast<bool>(less_(v, pivot)); };
    const It middle = partition<P>(c, first + 1, last, is_less) - 1;
    swap(first, middle);
    const int still = bad_left - (std::min(middle - first, last - middle) < count / 8 ? 1 : 0);
    task::fork_join<P>(
        c, [=, this](task::context<P> inner) { sort(inner, first, middle, bounded, still); },
        [=, this](task::context<P> inner) { sort(inner, middle + 1, last, true, still); });
  }

  // Never an element with itself: a move to itself need not leave it as it was.
  static void swap(It a, It b) {
    if (a != b) std::ranges::iter_swap(a, b);
  }

  // A copy of a light pivot may stay in a register during a partition; through a reference it would be read again
  // after each write to the range.
  using held_pivot = std::conditional_t<is_light<value>, const value, const value&>;

  Less& less_;
};

/// See leat::parallel_sort.
template <class P, class It, class Less>
void parallel_sort(It first, It last, Less& less) {
  const task::insider<P> in("parallel_sort");
  if constexpr (check_sortable<It, Less>()) {
    auto&& comes_first = as_function(less);
    with_sortable<P>(first, last, [&](task::context<P> c, auto begin, auto end) {
      quicksort<P, decltype(begin), std::remove_reference_t<decltype(comes_first)>>(comes_first).sort(c, begin, end);
    });
  }
}

}  // namespace leat::inline LEAT_ABI::loop
