// Sorting, unstable and stable.
#pragma once

#include <iterator>

#include "leat/loop/operations.hpp"
#include "leat/loop/range.hpp"
#include "leat/loop/sort.hpp"
#include "leat/loop/sort_stable.hpp"
#include "leat/platform/chosen.hpp"
#include "leat/strands/strands.hpp"

namespace leat::inline LEAT_ABI {

/// Sorts [first, last): afterwards comp(b, a) is false for every a before b. Equal elements may change their order. The
/// range is empty if `last` comes first. Elements need only be movable. `comp` is a strict weak order; several workers
/// call the same object at once. (With a comparison that contradicts itself the order is unspecified, and nothing else
/// goes wrong.)
///
/// Thread safety: any thread may call it; outside of a run it enters the default runtime. Several ranges may be sorted
/// at once. While the calling worker waits, it executes only parts of this sort.
/// Cost: O(n log n) comparisons whatever the order, and about n if the range is in order or in reverse order. In place,
/// without allocation. A quicksort forks at each partition, so there is no grain size, and a part that no worker steals
/// costs what a serial quicksort costs. All free workers, 64 at most, make the first partitions together. (Edelkamp and
/// Weiss, "BlockQuicksort", 2016, 3; Tsigas and Zhang, "A simple, fast parallel implementation of Quicksort", 2003, 3;
/// the guide's page on sorting)
/// \throws what comp throws: then the range holds its elements in some order. What moves of elements throw: then the
///         values of elements are unspecified. not_a_worker inside leat::blocking
template <std::input_or_output_iterator It, class Compare = loop::less>
void parallel_sort(It first, It last, Compare comp = {} LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  loop::parallel_sort<platform::chosen>(first, last, comp);
}

/// Sorts a range with random access in the same way.
template <loop::range R, class Compare = loop::less>
void parallel_sort(R&& range, Compare comp = {} LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  loop::parallel_sort<platform::chosen>(loop::begin_of(range), loop::end_of(range), comp);
}

/// Sorts as parallel_sort does, and equal elements keep their order. A merge sort, with parallel merges.
///
/// Thread safety: as of parallel_sort. Cost: O(n log n) comparisons, and memory for as many elements again. If that
/// memory cannot be had, or elements may throw when they are moved, it sorts in place, with O(n log^2 n) moves: then it
/// allocates next to nothing, and takes several times the time.
/// \throws what comp throws: then the range holds its elements in some order. What moves of elements throw: then the
///         values of elements are unspecified. not_a_worker inside leat::blocking
template <std::input_or_output_iterator It, class Compare = loop::less>
void parallel_stable_sort(It first, It last, Compare comp = {} LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  loop::parallel_stable_sort<platform::chosen>(first, last, comp);
}

/// Sorts a range with random access in the same way.
template <loop::range R, class Compare = loop::less>
void parallel_stable_sort(R&& range, Compare comp = {} LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  loop::parallel_stable_sort<platform::chosen>(loop::begin_of(range), loop::end_of(range), comp);
}

}  // namespace leat::inline LEAT_ABI
