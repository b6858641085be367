// The part of <ranges> that loops need. Every program includes this header, and <ranges> is slow to compile.
#pragma once

#include <iterator>
#include <type_traits>
#include <utility>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::loop {

/// std::ranges::begin: of an array, a member, or by the arguments' namespaces.
template <class R>
constexpr auto begin_of(R& range) {
  if constexpr (std::is_bounded_array_v<R>) return range + 0;
  else if constexpr (requires { range.begin(); }) return range.begin();
  else return begin(range);
}

template <class R>
constexpr auto sentinel_of(R& range) {
  if constexpr (std::is_bounded_array_v<R>) return range + std::extent_v<R>;
  else if constexpr (requires { range.end(); }) return range.end();
  else return end(range);
}

template <class R>
concept has_ends =
    std::is_bounded_array_v<R> || requires(R& r) { r.begin(), r.end(); } || requires(R& r) { begin(r), end(r); };

template <class R>
using iterator_of = decltype(begin_of(std::declval<std::remove_reference_t<R>&>()));

/// std::ranges::range.
template <class R>
concept range = has_ends<std::remove_reference_t<R>> && std::input_or_output_iterator<iterator_of<R>>;
template <class R>
concept forward_range = range<R> && std::forward_iterator<iterator_of<R>>;
template <class R>
concept random_access_range = range<R> && std::random_access_iterator<iterator_of<R>>;

/// The iterator behind the last element, also where the range has a sentinel of another type. Then it takes a walk
/// through a range without random access.
template <class R>
constexpr iterator_of<R> end_of(R& range) {
  return std::ranges::next(begin_of(range), sentinel_of(range));
}

/// std::to_address, of an iterator that may be dereferenced or is no class.
template <std::contiguous_iterator It>
constexpr auto* address_at(It at) {
  if constexpr (std::is_pointer_v<It>) return at;
  else return at.operator->();
}

}  // namespace leat::inline LEAT_ABI::loop
