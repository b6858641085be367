// Sorting, unstable and stable.
#pragma once

#include <iterator>

#include "leat/loop/operations.hpp"
#include "leat/loop/range.hpp"
#include "leat/loop/sort.hpp"
#include "leat/loop/sort_stable.hpp"
#include "leat/platform/chosen.hpp"

namespace leat::inline LEAT_ABI {

/// Sorts [first, last), which is empty if `last` comes first: afterwards comp(b, a) is false for every a before b.
/// Equal elements may change their order. comp is a strict weak order; several workers call it at once, and always
/// the same object. (With one that contradicts itself the order is unspecified, and nothing else goes wrong.)
/// Elements need only be movable.
///
/// In place, without allocation. O(n log n) comparisons whatever the order, and about n if the range is in order or
/// in reverse order. A quicksort forks at each partition, so there is no grain size, and a part that no worker steals
/// costs what a serial quicksort does; the first partitions, too, are made by as many workers as are free, 64 at
/// most. (Edelkamp and Weiss, "BlockQuicksort", 2016, 3; Tsigas and Zhang, "A simple, fast parallel implementation of
/// Quicksort", 2003, 3; docs/guide/sorting.md)
///
/// For workers only, in any task; several ranges may be sorted at once. The calling worker executes nothing else
/// meanwhile but parts of this sort.
/// \throws what comp throws: then the range holds its elements in some order. What moves of elements throw: then the
///         values of elements are unspecified. not_a_worker inside leat::blocking
template <std::input_or_output_iterator It, class Compare = loop::less>
void parallel_sort(It first, It last, Compare comp = {}) {
  loop::parallel_sort<platform::chosen>(first, last, comp);
}

/// The same for a range.
template <loop::range R, class Compare = loop::less>
void parallel_sort(R&& range, Compare comp = {}) {
  loop::parallel_sort<platform::chosen>(loop::begin_of(range), loop::end_of(range), comp);
}

/// As parallel_sort, and equal elements keep their order. A merge sort, with parallel merges; it allocates room for as
/// many elements again. Where that memory cannot be had, or elements may throw when they are moved, it sorts in place,
/// with O(n log^2 n) moves: then it allocates nothing that matters, and takes several times the time.
///
/// \throws what comp throws: then the range holds its elements in some order. What moves of elements throw: then the
///         values of elements are unspecified. not_a_worker inside leat::blocking
template <std::input_or_output_iterator It, class Compare = loop::less>
void parallel_stable_sort(It first, It last, Compare comp = {}) {
  loop::parallel_stable_sort<platform::chosen>(first, last, comp);
}

/// The same for a range.
template <loop::range R, class Compare = loop::less>
void parallel_stable_sort(R&& range, Compare comp = {}) {
  loop::parallel_stable_sort<platform::chosen>(loop::begin_of(range), loop::end_of(range), comp);
}

}  // namespace leat::inline LEAT_ABI
