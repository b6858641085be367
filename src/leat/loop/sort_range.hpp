// Which ranges can be sorted, and how a sort is entered on a worker.
#pragma once

#include <concepts>
#include <iterator>
#include <type_traits>

#include "leat/loop/range.hpp"
#include "leat/task/fork_join.hpp"

namespace leat::inline LEAT_ABI::loop {

/// Refuses elements that cannot be sorted. Returns whether they can: if not, the sort is not compiled, so that the
/// message stands alone. Proxies are refused, as workers write neighbouring elements at once.
template <class It, class Less>
constexpr bool check_sortable() {
  static_assert(std::random_access_iterator<It>, "leat::parallel_sort: the range must have random access iterators");
  if constexpr (std::random_access_iterator<It>) {
    using value = std::iter_value_t<It>;
    constexpr bool writable = std::is_same_v<std::iter_reference_t<It>, value&>;
    constexpr bool comparable = std::predicate<Less&, const value&, const value&>;
    static_assert(writable,
                  "leat::parallel_sort: elements must be objects that can be written, neither const nor proxies");
    static_assert(std::movable<value>, "leat::parallel_sort: elements must be movable");
    static_assert(comparable,
                  "leat::parallel_sort: comp(a, b) must be callable with two const elements, and return a bool");
    return writable && std::movable<value> && comparable;
  } else {
    return false;
  }
}

/// Calls sort(context, first, last), with pointers if the elements lie in a row in memory: then one sort is compiled
/// for all kinds of iterators. A range of one element or none calls nothing.
template <class P, class It, class Sort>
void with_sortable(It first, It last, const Sort& sort) {
  if (last - first < 2) return;
  task::with_context<P>([&](task::context<P> c) {
    if constexpr (std::contiguous_iterator<It>) {
      auto* const begin = address_at(first);
      sort(c, begin, begin + (last - first));
    } else {
      sort(c, first, last);
    }
  });
}

}  // namespace leat::inline LEAT_ABI::loop
