// std::execution::par on leat: the backend of libstdc++'s parallel algorithms, when the compiler reads this first
// (-include leat_pstl.hpp, or the CMake target leat::pstl). The program does not change: it may be C++17, sees nothing
// else of leat, and needs no oneTBB.
//
// Page: docs/guide/pstl.md. Names of the form __parallel_... and their parameters are those that libstdc++ calls.
#pragma once

// Else libstdc++ would choose oneTBB where that is installed.
#if !defined(_GLIBCXX_USE_TBB_PAR_BACKEND)
#define _GLIBCXX_USE_TBB_PAR_BACKEND 0
#endif

#include <cstddef>

#if !defined(__GLIBCXX__) || !defined(_GLIBCXX_RELEASE) || _GLIBCXX_RELEASE < 12
#error "leat_pstl.hpp needs the parallel algorithms of libstdc++, of GCC 12 or later"
#elif __cplusplus < 201703L
#error "leat_pstl.hpp needs C++17 or later, as std::execution does"
#elif defined(_PSTL_PARALLEL_BACKEND_H)
#error "leat_pstl.hpp must come before <execution>: pass it to the compiler with -include"
#elif !defined(_PSTL_VERSION)
#error "leat_pstl.hpp: libstdc++ was installed without its parallel algorithms"
#endif
// The guard of libstdc++'s own choice of a backend.
#define _PSTL_PARALLEL_BACKEND_H

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>

#include "leat_pstl_fold.hpp"
#include "leat_pstl_pieces.hpp"
#include "leat_pstl_room.hpp"
#include "leat_pstl_scan.hpp"
#include "leat_pstl_sort.hpp"
#include "leat_pstl_workers.hpp"

namespace leat::inline LEAT_ABI::adapters::pstl {

/// An argument that is not used: the policy.
struct ignored {
  template <class T>
  ignored(T&&) noexcept {}  // NOLINT: policies convert to it
};

/// An element of a range, by its number. Its iterator's difference type may be narrower.
template <class Index>
Index at(Index first, std::size_t i) {
  return first + static_cast<decltype(first - first)>(i);
}

// From version 17 on a tag of the backend comes before the policy.
#if _PSTL_VERSION >= 17000
#define LEAT_PSTL_POLICY ::leat::adapters::pstl::ignored, ::leat::adapters::pstl::ignored
#else
#define LEAT_PSTL_POLICY ::leat::adapters::pstl::ignored
#endif

/// Memory for n elements, which are not constructed. \throws std::bad_alloc if memory is short
template <class T>
using __buffer = room<T>;

/// Ends the loop of the calling body early: pieces that have not begun are left out.
inline void __cancel_execution() { cancellation::request(); }

/// Calls f(begin, end) for pieces of [first, last).
template <class Index, class F>
void __parallel_for(LEAT_PSTL_POLICY, Index first, Index last, F f) {
  const auto piece = [&](std::size_t begin, std::size_t end) { f(at(first, begin), at(first, end)); };
  if (first < last) for_pieces(static_cast<std::size_t>(last - first), piece);
}

/// Returns the value of n elements, added to `value`. If `MayLoop` and T owns nothing, it is made by a loop; otherwise
/// by few pieces, as what a T owns may grow with each step.
template <bool MayLoop, class T, class Step, class Fresh, class Join>
T folded(std::size_t n, const Step& step, const Fresh& fresh, const Join& join, T value, std::size_t chunk_min) {
  using loop = folding<T, Step, Fresh, Join>;
  using pieces = folding_by_pieces<T, Step, Fresh, Join>;
  using how = std::conditional_t<MayLoop && std::is_trivially_copyable_v<T>, loop, pieces>;
  return how(step, fresh, join).run(n, std::move(value), chunk_min);
}

/// Returns what f(begin, end, value) makes of pieces of [first, last). `join` puts values of neighbours together.
template <class T, class Index, class F, class Join>
T __parallel_reduce(LEAT_PSTL_POLICY, Index first, Index last, const T& identity, const F& f, const Join& join) {
  if (!(first < last)) return identity;
  const auto step = [&](std::size_t begin, std::size_t end, T&& value) -> T {
    return f(at(first, begin), at(first, end), std::move(value));
  };
  const auto fresh = [&](std::size_t&) -> T { return identity; };
  // Values longer than two words may be partition's (leat_pstl_pieces.hpp).
  return folded<sizeof(T) <= 2 * sizeof(void*), T>(static_cast<std::size_t>(last - first), step, fresh, join, identity,
                                                   1);
}

/// Reduces in the same way without an identity: a piece that begins with nothing begins with its first two elements.
template <class Index, class Unary, class T, class Join, class Reduce>
T __parallel_transform_reduce(LEAT_PSTL_POLICY, Index first, Index last, Unary unary, T init, Join join,
                              Reduce reduce) {
  if (!(first < last)) return init;
  const auto step = [&](std::size_t begin, std::size_t end, T&& value) -> T {
    return reduce(at(first, begin), at(first, end), std::move(value));
  };
  const auto fresh = [&](std::size_t& begin) -> T {
    const Index one = at(first, begin);
    begin += 2;
    return join(unary(one), unary(one + 1));
  };
  return folded<true, T>(static_cast<std::size_t>(last - first), step, fresh, join, std::move(init), 2);
}

/// Calls `reduce(begin, count)` once for each block, then `scan(begin, count, sum of all before it)` once for the same
/// block, and `apex` with the sum of all.
template <class Index, class T, class Reduce, class Join, class Scan, class Apex>
void __parallel_strict_scan(LEAT_PSTL_POLICY, Index n, T initial, Reduce reduce, Join join, Scan scan, Apex apex) {
  strict_blocks<Index, T, Reduce, Join, Scan> blocks{reduce, join, scan};
  apex(scan_blocks<T>(blocks, n > 0 ? static_cast<std::size_t>(n) : 0, std::move(initial)));
}

/// Calls `scan(begin, end, sum of all before it)` once for each block. That returns the sum with the block's own.
template <class Index, class Unary, class T, class Join, class Reduce, class Scan>
T __parallel_transform_scan(LEAT_PSTL_POLICY, Index n, Unary unary, T init, Join join, Reduce reduce, Scan scan) {
  transform_blocks<Index, T, Unary, Join, Reduce, Scan> blocks{unary, join, reduce, scan};
  return scan_blocks<T>(blocks, n > 0 ? static_cast<std::size_t>(n) : 0, std::move(init));
}

/// Sorts [first, last), stably, by pieces that `leaf(begin, end, comp)` sorts. `wanted`: so many elements are to be the
/// least, in order; 0: all.
/// \throws std::bad_alloc if there is no memory for as many elements again
template <class It, class Compare, class Leaf>
void __parallel_stable_sort(LEAT_PSTL_POLICY, It first, It last, Compare comp, Leaf leaf, std::size_t wanted = 0) {
  using value = typename std::iterator_traits<It>::value_type;
  const auto n = static_cast<std::size_t>(last - first);
  if (n <= sort_alone_max) return leaf(first, last, comp);
  const room<value> beside(n);
  merge_sort<It, value, Compare, Leaf>(comp, leaf).run(first, n, beside.get(), wanted < n ? wanted : 0);
}

/// Merges two rows, by pieces that `leaf(begin1, end1, begin2, end2, out, comp)` merges.
template <class It1, class It2, class Out, class Compare, class Leaf>
void __parallel_merge(LEAT_PSTL_POLICY, It1 first1, It1 last1, It2 first2, It2 last2, Out out, Compare comp,
                      Leaf leaf) {
  const auto alone = [&](It1 a, It1 a_end, It2 b, It2 b_end, Out to) { leaf(a, a_end, b, b_end, to, comp); };
  merge_pieces(first1, last1, first2, last2, out, comp, alone);
}

/// Calls both, in parallel if another worker is free.
template <class First, class Second>
void __parallel_invoke(LEAT_PSTL_POLICY, First&& f1, Second&& f2) {
  enter([&] { fork(f1, f2); });
}

#undef LEAT_PSTL_POLICY

}  // namespace leat::inline LEAT_ABI::adapters::pstl

namespace __pstl {
namespace __par_backend = ::leat::adapters::pstl;
}
