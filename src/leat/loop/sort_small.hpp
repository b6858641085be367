// Serial sorts in place: by insertion, for short ranges, and by a heap, for a range on which quicksort has failed.
//
// If a comparison throws, the range still holds all of its elements: one that was taken out is given back by an object.
#pragma once

#include <concepts>
#include <iterator>
#include <type_traits>
#include <utility>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::loop {

/// Whether a T is cheap to move: trivially copyable, and of two words at most. Then a sort had better move too much
/// than branch on a comparison, which no processor can predict.
template <class T>
inline constexpr bool is_light = std::is_trivially_copyable_v<T> && std::copyable<T> && sizeof(T) <= 2 * sizeof(void*);

/// An element that was taken out of its place, and the place that is free instead. If an exception passes by, the
/// element returns to the free place, so the range is whole again. It costs one move less for each step than
/// exchanging neighbours.
template <class It>
class taken_out {
 public:
  explicit taken_out(It place) : element_(std::move(*place)), place_(place) {}
  taken_out(const taken_out&) = delete;
  taken_out& operator=(const taken_out&) = delete;
  ~taken_out() {
    if (returned_) return;
    try {
      put_back();
    } catch (...) {  // a move that throws: the first exception is on its way already
    }
  }

  const std::iter_value_t<It>& element() const noexcept { return element_; }
  It place() const noexcept { return place_; }

  /// Moves what lies at `from` into the free place, and makes `from` the free place.
  void fill_from(It from) {
    *place_ = std::move(*from);
    place_ = from;
  }

  /// Moves the element into the free place. Comes last.
  void put_back() {
    *place_ = std::move(element_);
    returned_ = true;
  }

 private:
  std::iter_value_t<It> element_;
  It place_;
  bool returned_ = false;
};

/// Stable; O(n^2) comparisons and moves, and n - 1 comparisons if the range is in order.
template <class It, class Less>
void insertion_sort(It first, It last, Less& less) {
  if (first == last) return;
  for (It i = first + 1; i != last; ++i) {
    if (!less(*i, i[-1])) continue;
    taken_out<It> current(i);
    do current.fill_from(current.place() - 1);
    while (current.place() != first && less(current.element(), current.place()[-1]));
    current.put_back();
  }
}

/// Lets the element at `root` of the heap at `first` sink to where it belongs: O(log count). It exchanges elements
/// instead of holding one outside, so a comparison that throws loses none.
template <class It, class Less>
void sink(It first, std::iter_difference_t<It> root, std::iter_difference_t<It> count, Less& less) {
  for (;;) {
    auto child = 2 * root + 1;
    if (child >= count) return;
    if (child + 1 < count && less(first[child], first[child + 1])) ++child;
    if (!less(first[root], first[child])) return;
    std::ranges::iter_swap(first + root, first + child);
    root = child;
  }
}

/// O(n log n), whatever the order. Unlike std::sort_heap it compares elements only where they lie in the range.
template <class It, class Less>
void heap_sort(It first, It last, Less& less) {
  const auto count = last - first;
  // First a heap, from the last inner node on; then the greatest element goes to the end, which shrinks by one.
  for (auto root = count / 2; root-- > 0;) sink(first, root, count, less);
  for (auto end = count - 1; end > 0; --end) {
    std::ranges::iter_swap(first, first + end);
    sink(first, 0, end, less);
  }
}

}  // namespace leat::inline LEAT_ABI::loop
