// Reductions: one value of many.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <type_traits>

#include "leat/block.hpp"
#include "leat/loop/deterministic.hpp"
#include "leat/loop/range.hpp"
#include "leat/loop/reduce.hpp"
#include "leat/loop_options.hpp"

namespace leat::inline LEAT_ABI {

/// The value of identity, map(first), map(first + 1) and so on before `last`, combined in this order: combine must be
/// associative, it need not be commutative, and combine(identity, x) must be x. The value has the type of identity.
/// Where that is a whole number and combine returns fractions, it does not compile: write 0.0 instead of 0. Where the
/// row is divided depends on which workers ask when: sums of floating-point numbers differ from call to call (see
/// deterministic_reduce).
///
/// A map that does not take an index is called by blocks: map(block, value so far), which returns the new value.
///
/// It is a loop as parallel_for is, and what is said there of cost, exceptions, and what a body may do holds here too.
/// If it is stopped, the value is that of indices that were executed, in order, with others left out. The identity is
/// copied once for each part that another worker executes, and once for the caller's. (Prell's thesis, 5.2 and 5.3)
template <loop_index First, loop_index Last, class T, class Map, loop::combiner Combine>
T parallel_reduce(First first, Last last, const T& identity, Map&& map, Combine&& combine,
                  const loop_options& options = {}) {
  using index = std::common_type_t<First, Last>;
  return loop::from<index>(identity, map, combine, [&](const auto& how) {
    return loop::reduce(loop::between(first, last, "parallel_reduce"), how, options);
  });
}

/// The same with map(element), for random-access iterators.
template <std::random_access_iterator It, class T, class Map, loop::combiner Combine>
T parallel_reduce(It first, It last, const T& identity, Map&& map, Combine&& combine,
                  const loop_options& options = {}) {
  return parallel_reduce(std::ptrdiff_t{0}, loop::count_of(first, last, "parallel_reduce"), identity,
                         loop::map_elements(first, last, map), combine, options);
}

template <loop::random_access_range Range, class T, class Map, loop::combiner Combine>
T parallel_reduce(Range&& range, const T& identity, Map&& map, Combine&& combine, const loop_options& options = {}) {
  const auto first = loop::begin_of(range);
  return parallel_reduce(first, loop::end_of(range), identity, map, combine, options);
}

/// The same without identity, for operations that have none, such as the smallest of some: a std::optional, empty if there
/// is no index.
template <loop_index First, loop_index Last, class Map, loop::combiner Combine>
auto parallel_reduce(First first, Last last, Map&& map, Combine&& combine, const loop_options& options = {}) {
  using index = std::common_type_t<First, Last>;
  return loop::from_nothing<index>(map, combine, [&](const auto& how) {
    return loop::reduce(loop::between(first, last, "parallel_reduce"), how, options);
  });
}

template <std::random_access_iterator It, class Map, loop::combiner Combine>
auto parallel_reduce(It first, It last, Map&& map, Combine&& combine, const loop_options& options = {}) {
  return parallel_reduce(std::ptrdiff_t{0}, loop::count_of(first, last, "parallel_reduce"),
                         loop::map_elements(first, last, map), combine, options);
}

template <loop::random_access_range Range, class Map, loop::combiner Combine>
auto parallel_reduce(Range&& range, Map&& map, Combine&& combine, const loop_options& options = {}) {
  const auto first = loop::begin_of(range);
  return parallel_reduce(first, loop::end_of(range), map, combine, options);
}

/// The same as parallel_reduce, but the value depends on the operands alone: the operations form a fixed tree over the
/// indices, with 32 of these in a leaf, and so sums of floating-point numbers have the same bits with any number of
/// workers, in every call. The price is a fork for each leaf, about 2 ns. It is not a loop with options: it ends early
/// for exceptions only, which are those of fork_join.
template <loop_index First, loop_index Last, class T, class Map, class Combine>
T deterministic_reduce(First first, Last last, const T& identity, Map&& map, Combine&& combine) {
  using index = std::common_type_t<First, Last>;
  return loop::from<index>(identity, map, combine, [&](const auto& how) {
    return loop::deterministic_reduce<platform::chosen>(loop::between(first, last, "deterministic_reduce"), how);
  });
}

template <std::random_access_iterator It, class T, class Map, class Combine>
T deterministic_reduce(It first, It last, const T& identity, Map&& map, Combine&& combine) {
  return deterministic_reduce(std::ptrdiff_t{0}, loop::count_of(first, last, "deterministic_reduce"), identity,
                              loop::map_elements(first, last, map), combine);
}

template <loop::random_access_range Range, class T, class Map, class Combine>
T deterministic_reduce(Range&& range, const T& identity, Map&& map, Combine&& combine) {
  const auto first = loop::begin_of(range);
  return deterministic_reduce(first, loop::end_of(range), identity, map, combine);
}

/// The same without identity: a std::optional, empty if there is no index.
template <loop_index First, loop_index Last, class Map, class Combine>
auto deterministic_reduce(First first, Last last, Map&& map, Combine&& combine) {
  using index = std::common_type_t<First, Last>;
  return loop::from_nothing<index>(map, combine, [&](const auto& how) {
    return loop::deterministic_reduce<platform::chosen>(loop::between(first, last, "deterministic_reduce"), how);
  });
}

template <std::random_access_iterator It, class Map, class Combine>
auto deterministic_reduce(It first, It last, Map&& map, Combine&& combine) {
  return deterministic_reduce(std::ptrdiff_t{0}, loop::count_of(first, last, "deterministic_reduce"),
                              loop::map_elements(first, last, map), combine);
}

template <loop::random_access_range Range, class Map, class Combine>
auto deterministic_reduce(Range&& range, Map&& map, Combine&& combine) {
  const auto first = loop::begin_of(range);
  return deterministic_reduce(first, loop::end_of(range), map, combine);
}

}  // namespace leat::inline LEAT_ABI
