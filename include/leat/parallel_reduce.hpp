// Reductions: one value of many.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <type_traits>

#include "leat/block.hpp"
#include "leat/loop/deterministic.hpp"
#include "leat/loop/over.hpp"
#include "leat/loop/range.hpp"
#include "leat/loop/reduce.hpp"
#include "leat/loop_options.hpp"
#include "leat/strands/strands.hpp"

namespace leat::inline LEAT_ABI {

/// Combines map(i) of every index i with first <= i < last into one value, in the order of the indices.
///
/// - `identity`: the value of no index; combine(identity, x) must be x. The result has its type. If that is a whole
///   number and combine returns fractions, the call does not compile: write 0.0 instead of 0.
/// - `map`: returns the value of an index. A map that does not take an index is called by blocks, as map(block, value
///   so far), and returns the new value.
/// - `combine`: must be associative, and need not be commutative.
///
/// Where the range is divided depends on which workers ask for work, and when. So sums of floating-point numbers differ
/// from call to call (see deterministic_reduce).
///
/// Thread safety and cost are those of parallel_for: several workers call map and combine at once, and map may do what
/// a body may. The identity is copied once for each part that another worker executes, and once for the caller's part.
/// (Prell's thesis, 5.2 and 5.3)
/// \return the value; `identity` if there is no index. If loop_options::stop ends the loop early, the value of the
///         indices that were executed, in order
/// \throws what parallel_for throws
template <loop_index First, loop_index Last, class T, class Map, loop::combiner Combine>
T parallel_reduce(
    First first, Last last, const T& identity, Map&& map, Combine&& combine,
    const loop_options& options = {} LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  using index = std::common_type_t<First, Last>;
  return loop::from<index>(identity, map, combine, [&](const auto& how) {
    return loop::reduce(loop::between(first, last, "parallel_reduce"), how, options);
  });
}

/// Combines map(element) of each element of [first, last), or of a range, in the same way. The iterators have random
/// access. There are no blocks of elements.
template <std::random_access_iterator It, class T, class Map, loop::combiner Combine>
T parallel_reduce(
    It first, It last, const T& identity, Map&& map, Combine&& combine,
    const loop_options& options = {} LEAT_SITE_PARAMETER) {
  return parallel_reduce(std::ptrdiff_t{0}, loop::count_of(first, last, "parallel_reduce"), identity,
                         loop::map_elements(first, last, map), combine, options LEAT_SITE_ARGUMENT);
}

template <loop::random_access_range Range, class T, class Map, loop::combiner Combine>
T parallel_reduce(
    Range&& range, const T& identity, Map&& map, Combine&& combine,
    const loop_options& options = {} LEAT_SITE_PARAMETER) {
  const auto first = loop::begin_of(range);
  return parallel_reduce(first, loop::end_of(range), identity, map, combine, options LEAT_SITE_ARGUMENT);
}

/// Combines in the same way, for operations that have no identity, such as the smallest of two. A map takes an index,
/// not a block.
/// \return a std::optional of what map returns, which is empty if there is no index
template <loop_index First, loop_index Last, class Map, loop::combiner Combine>
auto parallel_reduce(
    First first, Last last, Map&& map, Combine&& combine, const loop_options& options = {} LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  using index = std::common_type_t<First, Last>;
  return loop::from_nothing<index>(map, combine, [&](const auto& how) {
    return loop::reduce(loop::between(first, last, "parallel_reduce"), how, options);
  });
}

template <std::random_access_iterator It, class Map, loop::combiner Combine>
auto parallel_reduce(
    It first, It last, Map&& map, Combine&& combine, const loop_options& options = {} LEAT_SITE_PARAMETER) {
  return parallel_reduce(std::ptrdiff_t{0}, loop::count_of(first, last, "parallel_reduce"),
                         loop::map_elements(first, last, map), combine, options LEAT_SITE_ARGUMENT);
}

template <loop::random_access_range Range, class Map, loop::combiner Combine>
auto parallel_reduce(
    Range&& range, Map&& map, Combine&& combine, const loop_options& options = {} LEAT_SITE_PARAMETER) {
  const auto first = loop::begin_of(range);
  return parallel_reduce(first, loop::end_of(range), map, combine, options LEAT_SITE_ARGUMENT);
}

/// Combines as parallel_reduce does, but the value depends on the operands alone. The operations form a fixed tree over
/// the indices, with 32 of them in a leaf. So sums of floating-point numbers have the same bits in every call, with any
/// number of workers.
///
/// Thread safety: as of parallel_reduce. Cost: a fork for each leaf, about 2 ns, beside map and combine. It takes no
/// loop_options: only an exception ends it early.
/// \return the value; `identity` if there is no index
/// \throws what fork_join throws; std::out_of_range if `first` is negative and the index has no sign
template <loop_index First, loop_index Last, class T, class Map, LEAT_NO_SITE Combine>
T deterministic_reduce(First first, Last last, const T& identity, Map&& map, Combine&& combine LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  using index = std::common_type_t<First, Last>;
  return loop::from<index>(identity, map, combine, [&](const auto& how) {
    return loop::deterministic_reduce<platform::chosen>(loop::between(first, last, "deterministic_reduce"), how);
  });
}

template <std::random_access_iterator It, class T, class Map, LEAT_NO_SITE Combine>
T deterministic_reduce(It first, It last, const T& identity, Map&& map, Combine&& combine LEAT_SITE_PARAMETER) {
  return deterministic_reduce(std::ptrdiff_t{0}, loop::count_of(first, last, "deterministic_reduce"), identity,
                              loop::map_elements(first, last, map), combine LEAT_SITE_ARGUMENT);
}

template <loop::random_access_range Range, class T, class Map, LEAT_NO_SITE Combine>
T deterministic_reduce(Range&& range, const T& identity, Map&& map, Combine&& combine LEAT_SITE_PARAMETER) {
  const auto first = loop::begin_of(range);
  return deterministic_reduce(first, loop::end_of(range), identity, map, combine LEAT_SITE_ARGUMENT);
}

/// Combines in the same way without an identity.
/// \return a std::optional of what map returns, which is empty if there is no index
template <loop_index First, loop_index Last, class Map, class Combine>
auto deterministic_reduce(First first, Last last, Map&& map, Combine&& combine LEAT_SITE_PARAMETER) {
  LEAT_CALLED_AT_SITE();
  using index = std::common_type_t<First, Last>;
  return loop::from_nothing<index>(map, combine, [&](const auto& how) {
    return loop::deterministic_reduce<platform::chosen>(loop::between(first, last, "deterministic_reduce"), how);
  });
}

template <std::random_access_iterator It, class Map, class Combine>
auto deterministic_reduce(It first, It last, Map&& map, Combine&& combine LEAT_SITE_PARAMETER) {
  return deterministic_reduce(std::ptrdiff_t{0}, loop::count_of(first, last, "deterministic_reduce"),
                              loop::map_elements(first, last, map), combine LEAT_SITE_ARGUMENT);
}

template <loop::random_access_range Range, class Map, class Combine>
auto deterministic_reduce(Range&& range, Map&& map, Combine&& combine LEAT_SITE_PARAMETER) {
  const auto first = loop::begin_of(range);
  return deterministic_reduce(first, loop::end_of(range), map, combine LEAT_SITE_ARGUMENT);
}

// What none of the overloads above takes: here it is told why.

namespace loop {

// Where the value of a refused reduction stands, so that no second message follows from its use.
struct no_value {
  template <class T>
  operator T() const;
};

template <class First, class Next>
no_value refuse_reduction() {
  static_assert(limits<First, Next> || row<First, Next>,
                "leat: a reduction takes two whole numbers, a range with random access such as a std::vector, or two "
                "random access iterators of one type. Copy a list into a std::vector. Over a leat::range2d, reduce "
                "over the numbers of its rows, and let map go through one row");
  return {};
}

}  // namespace loop

template <class First, class Next, class... Rest>
  requires(!loop::limits<First, Next> && !loop::row<First, Next>)
loop::no_value parallel_reduce(First&&, Next&&, Rest&&...) {
  return loop::refuse_reduction<First, Next>();
}

template <class First, class Next, class... Rest>
  requires(!loop::limits<First, Next> && !loop::row<First, Next>)
loop::no_value deterministic_reduce(First&&, Next&&, Rest&&...) {
  return loop::refuse_reduction<First, Next>();
}

}  // namespace leat::inline LEAT_ABI
