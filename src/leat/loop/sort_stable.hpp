// Stable sorting: a merge sort that forks at every half, between the range and scratch memory, or where the elements
// lie. docs/guide/sorting.md compares it with the other sort.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iterator>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#include "leat/loop/each.hpp"
#include "leat/loop/sort_blocks.hpp"
#include "leat/loop/sort_merge.hpp"
#include "leat/loop/sort_range.hpp"
#include "leat/loop/sort_run.hpp"
#include "leat/loop/sort_small.hpp"
#include "leat/platform/thrown.hpp"
#include "leat/task/fork_join.hpp"
#include "leat/task/insider.hpp"

namespace leat::inline LEAT_ABI::loop {

/// Up to so many elements are sorted by insertion; fewer, if each move costs more.
template <class T>
inline constexpr std::ptrdiff_t merge_insertion_max = is_light<T> ? 20 : 12;

/// Memory for `count` elements, or none if it is short. It holds no objects: merge_sort makes and destroys them.
template <class T>
class scratch {
 public:
  explicit scratch(std::size_t count) : memory_(allocate(count)) {}
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() { ::operator delete(memory_, std::align_val_t{alignof(T)}); }

  T* elements() const noexcept { return static_cast<T*>(memory_); }

 private:
  static void* allocate(std::size_t count) noexcept {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) return nullptr;
    try {
      return ::operator new(count * sizeof(T), std::align_val_t{alignof(T)});
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }

  void* memory_;
};

/// Sorts where the elements lie: O(n log n) comparisons and O(n log^2 n) moves, without memory. Moves may throw.
template <class P, class It, class Less>
void merge_sort_in_place(task::context<P> c, It first, It last, Less& less) {
  const auto count = last - first;
  if (count <= merge_insertion_max<std::iter_value_t<It>>) return insertion_sort(first, last, less);
  if (sort_run<true, P>(c, first, last, less)) return;
  const It middle = first + count / 2;
  task::fork_join<P>(
      c, [=, &less](task::context<P> inner) { merge_sort_in_place<P>(inner, first, middle, less); },
      [=, &less](task::context<P> inner) { merge_sort_in_place<P>(inner, middle, last, less); });
  merge_in_place<P>(c, first, middle, last, less);
}

/// Sorts with as much memory again, in O(n log n) moves. A merge leaves its elements partly here and partly there
/// when a comparison throws. So the exception is kept until every element is back in the range: from then on nothing
/// is compared, and the merges that remain only move. Moves must not throw.
template <class P, class It, class Less>
class merge_sort {
 public:
  using value = std::iter_value_t<It>;

  explicit merge_sort(Less& less) : less_(less) {}

  /// Trivially copyable elements may be assigned to raw memory. All others are moved to the scratch memory first,
  /// which makes objects of it; from then on both sides only assign, and the moved-from objects are destroyed in the
  /// end.
  /// \throws the first exception of a comparison, in time
  void run(task::context<P> c, It first, std::ptrdiff_t count, value* scratch) {
    if constexpr (std::is_trivially_copyable_v<value>) {
      sort(c, first, scratch, count, false);
    } else {
      for_blocks<P>(c, 0, count, [=](std::ptrdiff_t begin, std::ptrdiff_t end) {
        for (; begin != end; ++begin) ::new (static_cast<void*>(scratch + begin)) value(std::move(first[begin]));
      });
      sort(c, scratch, first, count, true);
      for_blocks<P>(c, 0, count, [=](std::ptrdiff_t begin, std::ptrdiff_t end) {
        for (; begin != end; ++begin) scratch[begin].~value();
      });
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  /// Merges of fewer elements are not cut: some microseconds, many times a fork's cost.
  static constexpr std::ptrdiff_t merge_length = 2048;

  // Sorts the elements at `from`, and leaves them there or, to `move_over`, at `to`. The halves are left on the other
  // side, so that one merge both joins them and moves them over. After an exception all counts as sorted.
  template <class From, class To>
  void sort(task::context<P> c, From from, To to, std::ptrdiff_t count, bool move_over) {
    bool sorted = true;
    if (count > merge_insertion_max<value>) {
      compare([&] { sorted = sort_run<true, P>(c, from, from + count, less_); });
    } else {
      compare([&] { insertion_sort(from, from + count, less_); });
    }
    if (sorted) {
      if (move_over) std::move(from, from + count, to);
      return;
    }
    const std::ptrdiff_t half = count / 2;
    task::fork_join<P>(
        c, [=, this](task::context<P> inner) { sort(inner, from, to, half, !move_over); },
        [=, this](task::context<P> inner) { sort(inner, from + half, to + half, count - half, !move_over); });
    if (move_over) merge(c, from, from + half, from + half, from + count, to);
    else merge(c, to, to + half, to + half, to + count, from);
  }

  // Merges two sorted ranges to `to`, in parallel if they are long. After an exception there is no cut to be found:
  // merge_alone then moves one range behind the other.
  template <class From, class To>
  void merge(task::context<P> c, From left, From left_end, From right, From right_end, To to) {
    const std::ptrdiff_t count = (left_end - left) + (right_end - right);
    merge_cut<From> cut{left, right};
    const auto find_cut = [&] { cut = cut_in_half(left, left_end, right, right_end, less_); };
    if (count <= merge_length || !compare(find_cut)) return merge_alone(left, left_end, right, right_end, to);
    const To to_cut = to + (cut.left - left) + (cut.right - right);
    task::fork_join<P>(
        c, [=, this](task::context<P> inner) { merge(inner, left, cut.left, right, cut.right, to); },
        [=, this](task::context<P> inner) { merge(inner, cut.left, left_end, cut.right, right_end, to_cut); });
  }

  // By one worker. The right element goes first only if it is less than the left one: that keeps the order of equals.
  // The first lambda has copies of the iterators, so all is merged anew if it throws; the second one moves the
  // iterators themselves, past the elements that are at `to` already.
  template <class From, class To>
  void merge_alone(From left, From left_end, From right, From right_end, To to) {
    if constexpr (is_light<value>) {
      if (compare([=, this] { merge_light(left, left_end, right, right_end, to); })) return;
    } else {
      compare([&] {
        while (left != left_end && right != right_end) {
          From& least = less_(*right, *left) ? right : left;
          *to = std::move(*least);
          ++least;
          ++to;
        }
      });
    }
    // The remaining elements; or all of them, if a comparison of light ones has thrown: these have only been copied.
    std::move(right, right_end, std::move(left, left_end, to));
  }

  // From both ends, whose chains of comparisons do not wait for each other, and without a branch, while neither range
  // can end: a step takes two elements of one range at most.
  template <class From, class To>
  void merge_light(From left, From left_end, From right, From right_end, To to) const {
    To to_end = to + (left_end - left) + (right_end - right);
    while (std::ptrdiff_t steps = std::min(left_end - left, right_end - right) / 2) {
      for (; steps > 0; --steps) {
        const bool least_right = less_(*right, *left);
        const bool greatest_left = less_(right_end[-1], left_end[-1]);
        *to = *(least_right ? right : left);
        ++to;
        right += least_right;
        left += !least_right;
        --to_end;
        *to_end = *((greatest_left ? left_end : right_end) - 1);
        left_end -= greatest_left;
        right_end -= !greatest_left;
      }
    }
    while (left != left_end && right != right_end) *to++ = less_(*right, *left) ? *right++ : *left++;
    std::copy(right, right_end, std::copy(left, left_end, to));
  }

  // Calls f, which compares and may throw, unless a comparison has thrown already. Returns whether f returned.
  template <class F>
  bool compare(const F& f) {
    if (failed_.load(platform::relaxed)) return false;  // relaxed: it only saves comparisons
    try {
      f();
      return true;
    } catch (...) {
      std::exception_ptr let_out = platform::thrown();
      // relaxed: one thread turns the flag, and alone writes failure_; the joins publish that to run().
      if (!failed_.exchange(true, platform::relaxed)) failure_ = std::move(let_out);
      return false;
    }
  }

  Less& less_;
  typename P::template atomic<bool> failed_{false};
  std::exception_ptr failure_;
};

/// With scratch memory; in place if memory is short, or if a move may throw, as an exception would then leave
/// elements outside the range.
template <class P, class It, class Less>
void stable_sort(task::context<P> c, It first, It last, Less& less) {
  using value = std::iter_value_t<It>;
  const std::ptrdiff_t count = last - first;
  if constexpr (std::is_nothrow_move_constructible_v<value> && std::is_nothrow_move_assignable_v<value>) {
    if (count > merge_insertion_max<value>) {
      const scratch<value> room(static_cast<std::size_t>(count));
      if (room.elements() != nullptr) return merge_sort<P, It, Less>(less).run(c, first, count, room.elements());
    }
  }
  merge_sort_in_place<P>(c, first, last, less);
}

/// See leat::parallel_stable_sort.
template <class P, class It, class Less>
void parallel_stable_sort(It first, It last, Less& less) {
  const task::insider<P> in("parallel_stable_sort");
  if constexpr (check_sortable<It, Less>()) {
    auto&& comes_first = as_function(less);
    with_sortable<P>(first, last,
                     [&](task::context<P> c, auto begin, auto end) { stable_sort<P>(c, begin, end, comes_first); });
  }
}

}  // namespace leat::inline LEAT_ABI::loop
