// Merges and sorts for std::execution::par.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "leat_pstl_workers.hpp"

namespace leat::inline LEAT_ABI::adapters::pstl {

/// So many elements are sorted, or merged, by the caller alone.
inline constexpr std::size_t sort_alone_max = 500;
inline constexpr std::size_t merge_alone_max = 2000;

/// Pieces of a merge, for each worker.
inline constexpr std::size_t merges_per_worker = 8;

/// Merges by halves. `alone(begin1, end1, begin2, end2, out)` merges pieces of `grain` elements or fewer.
template <class It1, class It2, class Out, class Compare, class Alone>
void merge_halves(It1 a, It1 a_end, It2 b, It2 b_end, Out out, std::size_t grain, Compare& comp, const Alone& alone) {
  const auto length1 = a_end - a;
  const auto length2 = b_end - b;
  if (static_cast<std::size_t>(length1) + static_cast<std::size_t>(length2) <= grain) {
    return alone(a, a_end, b, b_end, out);
  }
  // The longer range is cut in the middle, and the other one where that element belongs. Equal elements of the first
  // range come first.
  It1 cut1 = a;
  It2 cut2 = b;
  if (length1 >= length2) {
    cut1 += length1 / 2;
    cut2 = std::lower_bound(b, b_end, *cut1, comp);
  } else {
    cut2 += length2 / 2;
    cut1 = std::upper_bound(a, a_end, *cut2, comp);
  }
  const Out out_cut = out + (cut1 - a) + (cut2 - b);
  fork([&] { merge_halves(a, cut1, b, cut2, out, grain, comp, alone); },
       [&] { merge_halves(cut1, a_end, cut2, b_end, out_cut, grain, comp, alone); });
}

/// The same as a worker, with pieces for all workers.
template <class It1, class It2, class Out, class Compare, class Alone>
void merge_pieces(It1 a, It1 a_end, It2 b, It2 b_end, Out out, Compare& comp, const Alone& alone) {
  const auto n = static_cast<std::size_t>(a_end - a) + static_cast<std::size_t>(b_end - b);
  if (n <= merge_alone_max) return alone(a, a_end, b, b_end, out);
  enter([&] {
    const std::size_t grain = std::max(merge_alone_max, n / (merges_per_worker * workers()));
    merge_halves(a, a_end, b, b_end, out, grain, comp, alone);
  });
}

/// How an element goes from the sorted range to the room beside it, which holds no objects, and back.
template <bool into_room>
struct passage {
  template <class From, class To>
  static void pass(From&& from, To&& to) {
    if constexpr (into_room) {
      ::new (static_cast<void*>(to)) std::remove_pointer_t<std::decay_t<To>>(std::move(*from));
    } else {
      *to = std::move(*from);
      std::destroy_at(from);
    }
  }

  template <class From, class To>
  static To pass(From first, From last, To to) {
    for (; first != last; ++first, ++to) pass(first, to);
    return to;
  }

  /// Stable.
  template <class From, class To, class Compare>
  static void merge(From a, From a_end, From b, From b_end, To to, Compare& comp) {
    using value = typename std::iterator_traits<From>::value_type;
    if constexpr (std::is_trivially_copyable_v<value> && std::is_copy_assignable_v<value> &&
                  sizeof(value) <= 2 * sizeof(void*)) {
      // From both ends, whose chains of comparisons do not wait for each other, and without a branch, while neither
      // range can end: a step takes two elements of one range at most.
      To to_end = to + (a_end - a) + (b_end - b);
      while (auto steps = std::min(a_end - a, b_end - b) / 2) {
        for (; steps > 0; --steps) {
          const bool least_b = comp(*b, *a);
          const bool greatest_a = comp(b_end[-1], a_end[-1]);
          *to = *(least_b ? b : a);
          ++to;
          b += least_b;
          a += !least_b;
          --to_end;
          *to_end = *((greatest_a ? a_end : b_end) - 1);
          a_end -= greatest_a;
          b_end -= !greatest_a;
        }
      }
    }
    while (a != a_end && b != b_end) {
      From& least = comp(*b, *a) ? b : a;
      pass(least, to);
      ++least;
      ++to;
    }
    pass(b, b_end, pass(a, a_end, to));
  }
};

/// A merge sort. Pieces are sorted where they lie, by `leaf`; pairs of pieces are merged to and fro between the range
/// and the room. An element is an object on one side at a time, but in the range always.
template <class It, class T, class Compare, class Leaf>
class merge_sort {
 public:
  merge_sort(Compare& comp, Leaf& leaf) : comp_(comp), leaf_(leaf) {}

  /// `wanted`: see __parallel_stable_sort.
  void run(It first, std::size_t n, T* room, std::size_t wanted) {
    enter([&] {
      // An even number of levels, so that the leaves and the last merge end in the range.
      unsigned levels = 2;
      while ((std::size_t{1} << levels) < 4 * workers()) levels += 2;
      while (levels > 2 && (n >> levels) < sort_alone_max / 2) levels -= 2;
      grain_ = std::max(merge_alone_max, n / (merges_per_worker * workers()));
      if (wanted == 0) sort(first, n, room, levels);
      else sort_some(first, n, room, levels, wanted);
    });
  }

 private:
  using difference = typename std::iterator_traits<It>::difference_type;

  static It at(It first, std::size_t i) { return first + static_cast<difference>(i); }

  // `levels` of merges are left; if they are odd the elements go to the room.
  void sort(It first, std::size_t n, T* room, unsigned levels) {
    if (levels == 0) return leaf_(first, at(first, n), comp_);
    const std::size_t half = n / 2;
    fork([&] { sort(first, half, room, levels - 1); },
         [&] { sort(at(first, half), n - half, room + half, levels - 1); });
    if (levels % 2 == 0) merge<false>(room, room + half, room + half, room + n, first);
    else merge<true>(first, at(first, half), at(first, half), at(first, n), room);
  }

  // The least `wanted` elements come first, in order. Merged are the first `wanted` of each half; the rest stays.
  void sort_some(It first, std::size_t n, T* room, unsigned levels, std::size_t wanted) {
    if (levels == 0) return leaf_(first, at(first, n), comp_);
    const std::size_t half = n / 2;
    const It second = at(first, half);
    fork([&] { sort_some(first, half, room, levels - 1, wanted); },
         [&] { sort_some(second, n - half, room + half, levels - 1, wanted); });
    const std::size_t left = std::min(half, wanted);
    const std::size_t right = std::min(n - half, wanted);
    merge<true>(first, at(first, left), second, at(second, right), room);
    // Where the left half has fewer than `wanted`, all of it is merged, so there is no gap between the two.
    fork([&] { passage<false>::pass(room, room + left, first); },
         [&] { passage<false>::pass(room + left, room + left + right, second); });
  }

  template <bool into_room, class From, class To>
  void merge(From a, From a_end, From b, From b_end, To to) {
    merge_halves(a, a_end, b, b_end, to, grain_, comp_, [this](From x, From x_end, From y, From y_end, To out) {
      passage<into_room>::merge(x, x_end, y, y_end, out, comp_);
    });
  }

  Compare& comp_;
  Leaf& leaf_;
  std::size_t grain_ = 0;
};

}  // namespace leat::inline LEAT_ABI::adapters::pstl
