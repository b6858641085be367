// A sort by merges, whose merges are divided, too.

#pragma once

#include "kernels/suite/loops.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace leat::kernels::suite {

/// Elements that one task sorts or merges.
inline constexpr std::size_t sorted_serially_max = 2048;

/// Declares a sort of n elements by comparisons, each of which takes so long.
inline void declare_sort(double ns, std::size_t n) noexcept { declare(ns * std::log2(static_cast<double>(n) + 1), n); }

/// Merges [a, a_end) and [b, b_end) to `to`: the longer one's middle says where the other is cut.
template <class Loops, class T, class Less>
void merge(const Loops& by, const T* a, const T* a_end, const T* b, const T* b_end, T* to, double ns,
           const Less& less) {
  if (a_end - a < b_end - b) return merge(by, b, b_end, a, a_end, to, ns, less);
  if (static_cast<std::size_t>(a_end - a + b_end - b) <= sorted_serially_max) {
    declare(ns, static_cast<std::size_t>(a_end - a + b_end - b));
    std::merge(a, a_end, b, b_end, to, less);
    return;
  }
  const T* const middle = a + (a_end - a) / 2;
  const T* const cut = std::lower_bound(b, b_end, *middle, less);
  T* const to_middle = to + (middle - a) + (cut - b);
  by.both([&, to] { merge(by, a, middle, b, cut, to, ns, less); },
          [&, to_middle] { merge(by, middle, a_end, cut, b_end, to_middle, ns, less); });
}

/// Sorts n elements at `at`, in no fixed order of equal ones; to `spare`, which has room for as many, if `to_spare`.
/// `ns`: of a comparison, in worlds.
template <class Loops, class T, class Less>
void sort_by_merges(const Loops& by, T* at, T* spare, std::size_t n, bool to_spare, double ns, const Less& less) {
  if (n <= sorted_serially_max) {
    declare_sort(ns, n);
    std::sort(at, at + n, less);
    if (to_spare) std::copy_n(at, n, spare);
    return;
  }
  const std::size_t half = n / 2;
  by.both([&, half] { sort_by_merges(by, at, spare, half, !to_spare, ns, less); },
          [&, half] { sort_by_merges(by, at + half, spare + half, n - half, !to_spare, ns, less); });
  const T* const from = to_spare ? at : spare;
  merge(by, from, from + half, from + half, from + n, to_spare ? spare : at, ns, less);
}

/// Sorts n elements at `at` in place; without tasks by std::sort.
template <class Loops, class T, class Less>
void sort_by_merges(const Loops& by, T* at, T* spare, std::size_t n, double ns, const Less& less) {
  if constexpr (Loops::shares) {
    sort_by_merges(by, at, spare, n, false, ns, less);
  } else {
    declare_sort(ns, n);
    std::sort(at, at + n, less);
  }
}

}  // namespace leat::kernels::suite
