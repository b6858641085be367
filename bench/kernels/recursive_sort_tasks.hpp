// The two sorts over whatever makes tasks (calls.hpp).

#pragma once

#include "kernels/calls.hpp"
#include "kernels/recursive_sort.hpp"

#include <leat/platform/chosen.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace leat::kernels::recursive_sort {

class arrays {
 public:
  explicit arrays(std::int64_t n);

  void restore() { sorted = drawn; }

  /// See parameters::after_run.
  [[nodiscard]] std::uint64_t count_sorted() const;

  std::vector<std::int32_t> drawn;
  std::vector<std::int32_t> sorted;  ///< or about to be
  std::vector<std::int32_t> second;  ///< where Cilksort merges to

 private:
  std::uint64_t sum_;
};

// What the limits are in the thesis.
inline constexpr std::ptrdiff_t quick_serial_max = 100;  // elements that insertion sort gets
inline constexpr std::ptrdiff_t cilk_serial_max = 1024;  // elements of a quarter that quicksort gets, without tasks
inline constexpr std::ptrdiff_t cilk_insertion_max = 20;
inline constexpr std::ptrdiff_t merge_serial_max = 1024;

using element = std::int32_t*;

inline constexpr double element_ns = 1;  // of one pass over an element, in worlds
inline constexpr std::ptrdiff_t cached = 128 * 1024;  // elements that a core's cache holds, in worlds

/// What a pass moves for each of its elements: it reads and writes them, unless all fit in the cache.
inline double bytes_each(std::ptrdiff_t elements) { return elements <= cached ? 0 : 2 * sizeof(std::int32_t); }

inline void insertion_sort(element first, element last) {
  for (element at = first; at < last; ++at) {
    const std::int32_t value = *at;
    element to = at;
    for (; to > first && to[-1] > value; --to) *to = to[-1];
    *to = value;
  }
}

/// Parts [first, last), of three elements or more, at the median of its first, middle and last: what is left of the result
/// is not greater than it, what is right not less.
inline element partition(element first, element last) {
  const auto elements = static_cast<double>(last - first);
  platform::chosen::work_ns(element_ns * elements, bytes_each(last - first) * elements);
  element middle = first + (last - first) / 2;
  if (*middle < *first) std::swap(*middle, *first);
  if (last[-1] < *first) std::swap(last[-1], *first);
  if (last[-1] < *middle) std::swap(last[-1], *middle);
  const std::int32_t pivot = *middle;
  element left = first;
  element right = last - 1;
  for (;;) {
    do ++left;
    while (*left < pivot);
    do --right;
    while (*right > pivot);
    if (left >= right) return left;
    std::swap(*left, *right);
  }
}

/// `serial_max`: so many elements are sorted by insertion.
template <class Tasks>
void quick_sort(element first, element last, std::ptrdiff_t serial_max) {
  if (last - first <= serial_max) {
    platform::chosen::work_ns(element_ns * std::pow(static_cast<double>(last - first), 1.5));
    return insertion_sort(first, last);
  }
  const element middle = partition(first, last);
  Tasks::both([=] { quick_sort<Tasks>(first, middle, serial_max); },
              [=] { quick_sort<Tasks>(middle, last, serial_max); });
}

/// Merges two sorted ranges to `to`: the longer one's middle says where the other is cut. `bytes`: moved for each element.
template <class Tasks>
void merge(element first, element first_end, element second, element second_end, element to, double bytes) {
  if (first_end - first < second_end - second) {
    std::swap(first, second);
    std::swap(first_end, second_end);
  }
  if (first_end - first <= merge_serial_max) {
    const auto elements = static_cast<double>(first_end - first + second_end - second);
    platform::chosen::work_ns(element_ns * elements, bytes * elements);
    std::merge(first, first_end, second, second_end, to);
    return;
  }
  const element middle = first + (first_end - first) / 2;
  const element cut = std::lower_bound(second, second_end, *middle);
  const element to_middle = to + (middle - first) + (cut - second);
  Tasks::both([=] { merge<Tasks>(first, middle, second, cut, to, bytes); },
              [=] { merge<Tasks>(middle, first_end, cut, second_end, to_middle, bytes); });
}

/// Sorts [first, last) by quarters, with as much memory at `second`.
template <class Tasks>
void cilk_sort(element first, element last, element second) {
  const std::ptrdiff_t n = last - first;
  if (n <= cilk_serial_max) return quick_sort<calls>(first, last, cilk_insertion_max);
  const std::ptrdiff_t quarter = n / 4;
  const element a = first;
  const element b = a + quarter;
  const element c = b + quarter;
  const element d = c + quarter;
  const auto sort = [=](element from, element to) { cilk_sort<Tasks>(from, to, second + (from - first)); };
  Tasks::both([=] { Tasks::both([=] { sort(a, b); }, [=] { sort(b, c); }); },
              [=] { Tasks::both([=] { sort(c, d); }, [=] { sort(d, last); }); });
  const double bytes = bytes_each(n);
  Tasks::both([=] { merge<Tasks>(a, b, b, c, second, bytes); },
              [=] { merge<Tasks>(c, d, d, last, second + 2 * quarter, bytes); });
  merge<Tasks>(second, second + 2 * quarter, second + 2 * quarter, second + n, first, bytes);
}

template <class Tasks>
void sort(arrays& a, method by) {
  const element first = a.sorted.data();
  const element last = first + a.sorted.size();
  if (by == method::quick) quick_sort<Tasks>(first, last, quick_serial_max);
  else cilk_sort<Tasks>(first, last, a.second.data());
}

}  // namespace leat::kernels::recursive_sort
