// Scans: all prefixes of a sum.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "leat/loop/fraction.hpp"
#include "leat/loop/operations.hpp"
#include "leat/loop/scan.hpp"
#include "leat/platform/chosen.hpp"
#include "leat/strands/strands.hpp"

namespace leat::inline LEAT_ABI {

namespace loop {

/// Refuses what cannot be scanned. Whether it can: then alone the scan is compiled, so that a message stands alone.
template <class In, class Out, class T, class Op>
constexpr bool check_scan() {
  constexpr bool reachable = std::random_access_iterator<In> && std::random_access_iterator<Out>;
  static_assert(reachable, "leat::parallel_scan: both ranges must have random access iterators");
  static_assert(std::copyable<T>, "leat::parallel_scan: sums must be copyable");
  if constexpr (!reachable || !std::copyable<T>) {
    return false;
  } else if constexpr (check_written<Out>()) {
    using element = std::iter_reference_t<In>;
    constexpr bool exchanged = std::invocable<T&, element, element> && !std::invocable<Op&, element, element>;
    static_assert(!exchanged,
                  "leat::parallel_scan: op and init are exchanged: parallel_inclusive_scan takes op and then init, "
                  "parallel_exclusive_scan init and then op");
    constexpr bool starts = std::is_convertible_v<element, T>;
    static_assert(starts || exchanged, "leat::parallel_scan: an element must be convertible to a sum");
    constexpr bool adds = std::is_invocable_r_v<T, Op&, T, element> && std::is_invocable_r_v<T, Op&, T, T>;
    static_assert(adds || exchanged, "leat::parallel_scan: op(sum, element) and op(sum, sum) must return a sum");
    constexpr bool whole = !loses_fraction<T, Op&, T, element>();
    static_assert(whole,
                  "leat::parallel_scan: sums have the type of init, a whole number, and the fractions that op returns "
                  "would be lost: write init as 0.0");
    constexpr bool writable = std::indirectly_writable<Out, T>;
    static_assert(writable || exchanged, "leat::parallel_scan: sums must be assignable to the output");
    return starts && adds && whole && writable;
  } else {
    return false;
  }
}

}  // namespace loop

/// Writes, for each element of [first, last), the sum of all elements up to it, itself included, to the range of the
/// same length that begins at `out`: op(...op(op(first[0], first[1]), first[2])...).
///
/// - `op`: must be associative, and need not be commutative. Several workers call it at once. How the sums are put
///   together differs from run to run, and so do the last digits of floating-point sums.
/// - `out`: may be `first`; otherwise the ranges must not overlap. Its elements must not be proxies that share a word:
///   with a std::vector<bool> the call does not compile.
///
/// Thread safety: any thread may call it; outside of a run it enters the default runtime. While the calling worker
/// waits, it executes only parts of this scan.
/// Cost: that of a serial scan, in one pass, if no worker steals. A thief reads its part twice: once to sum it up and
/// once to scan it. There is no grain size: the first elements tell how many fill a microsecond. Where parts are
/// stolen, the sums of blocks lie in an array of 64 at most. (The guide's page on sorting)
/// \return the end of the range that was written
/// \throws what op, or copying or moving a sum, throws: then some of the output is written. not_a_worker inside
///         leat::blocking
template <class In, class Out, class Op = loop::plus>
  requires std::input_or_output_iterator<In>
Out parallel_inclusive_scan(In first, In last, Out out, Op op = {} LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  if constexpr (loop::check_scan<In, Out, std::iter_value_t<In>, Op>()) {
    return loop::parallel_inclusive_scan<platform::chosen>(first, last, out, op);
  } else {
    return out;
  }
}

/// Scans in the same way, with `init` before the first element. The sums have the type of `init`.
template <class In, class Out, class Op, class T>
Out parallel_inclusive_scan(In first, In last, Out out, Op op, T init LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  if constexpr (loop::check_scan<In, Out, T, Op>()) {
    return loop::parallel_inclusive_scan<platform::chosen>(first, last, out, op, std::move(init));
  } else {
    return out;
  }
}

/// Scans in the same way, but writes for each element the sum of `init` and all elements before it, itself not
/// included. The sums have the type of `init`.
template <class In, class Out, class T, class Op = loop::plus>
Out parallel_exclusive_scan(In first, In last, Out out, T init, Op op = {} LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  if constexpr (loop::check_scan<In, Out, T, Op>()) {
    return loop::parallel_exclusive_scan<platform::chosen>(first, last, out, std::move(init), op);
  } else {
    return out;
  }
}

/// The general form, for scans that are no sums of elements, or whose results are not written to a range. It calls
/// `body(begin, end, before, is_final)` for blocks of [first, last).
///
/// - `body`: returns the sum of `before` and of what the block adds. If is_final, `before` is the sum of all that
///   precedes the block, and the body does what the scan is for; that happens once for every index. Otherwise `before`
///   is `identity`, only the sum is wanted, and another call for these indices will come. Several workers call it at
///   once.
/// - `combine`: combine(a, b) returns the sum of two sums of neighbours. It is associative, and `identity` changes
///   nothing.
///
/// Thread safety and cost are those of parallel_inclusive_scan.
/// \return the sum of all; `identity` if the range is empty
/// \throws what parallel_inclusive_scan throws, of body and combine
template <class T, class Body, class Combine>
T parallel_scan(std::ptrdiff_t first, std::ptrdiff_t last, T identity, Body body, Combine combine LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  constexpr bool scans = std::is_invocable_r_v<T, Body&, std::ptrdiff_t, std::ptrdiff_t, T, bool>;
  constexpr bool adds = std::is_invocable_r_v<T, Combine&, T, T>;
  static_assert(std::copyable<T>, "leat::parallel_scan: sums must be copyable");
  static_assert(scans, "leat::parallel_scan: body(begin, end, before, is_final) must return a sum");
  static_assert(adds, "leat::parallel_scan: combine(a, b) must return a sum");
  if constexpr (std::copyable<T> && scans && adds) {
    return loop::parallel_scan<platform::chosen>(first, last, std::move(identity), body, combine);
  } else {
    return identity;
  }
}

}  // namespace leat::inline LEAT_ABI
