// Loops that make one value of many, in order. Each part has a value of its own, which no other worker touches;
// values are combined only where neighbouring parts meet again, lower before upper. So combine must be associative,
// and need not be commutative; and no value is shared by threads.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "leat/loop/each.hpp"
#include "leat/loop/fraction.hpp"

namespace leat::inline LEAT_ABI::loop {

/// How the value of a part begins: with a copy of the identity. It takes no index for that.
template <class T>
struct from_identity {
  const T& identity;

  template <class Map, class Taken>
  T operator()(Map&, Taken&) const {
    return identity;
  }
};

/// How the value of a part begins without an identity: with the value of the part's first index, which it takes away
/// from the block.
struct from_first {
  template <class Map, class Index>
  auto operator()(Map& map, block<Index>& b) const {
    return map(take_lower(b, 1).first());
  }
};

/// How a value is made: map(i) for each index, combined in order. Several workers use one fold at once; the callables
/// that it refers to lie in the frame of the loop's caller.
/// - `start(b)`: a new value, before the first chunk of a part; it may take indices away from b.
/// - `add(made, b)`: `made` with the indices of b.
/// - `join(lower, upper)`: the value of two neighbouring parts.
template <class T, class Begin, class Map, class Combine>
struct fold {
  using value = T;

  Begin begin;
  Map& map;
  Combine& combine;

  template <class Taken>
  T start(Taken& b) const {
    return begin(map, b);
  }

  template <class Taken>
  T add(T made, const Taken& b) const {
    const auto combine_one = [&](auto i) { made = as_function(combine)(std::move(made), map(i)); };
    for_each_index(b, combine_one);
    return made;
  }

  T join(T&& lower, T&& upper) const { return as_function(combine)(std::move(lower), std::move(upper)); }
};

/// The same by blocks: body(block, value so far), once a chunk.
template <class T, class Body, class Combine>
struct block_fold {
  using value = T;

  const T& identity;
  Body& body;
  Combine& combine;

  template <class Taken>
  T start(Taken&) const {
    return identity;
  }

  template <class Taken>
  T add(T made, const Taken& b) const {
    return as_function(body)(b, std::move(made));
  }

  T join(T&& lower, T&& upper) const { return as_function(combine)(std::move(lower), std::move(upper)); }
};

/// A part (splittable.hpp) that makes a value of its indices. The value is made at its first chunk: a part that is
/// cut off and taken back before it has begun copies no identity.
template <class Space, class Fold>
class reduce_part {
 public:
  using value = typename Fold::value;

  reduce_part(Space left, const Fold& how) : left_(std::move(left)), how_(&how) {}

  std::uint64_t size() const noexcept { return left_.size(); }
  reduce_part cut(std::uint64_t n) { return reduce_part(left_.cut(n), *how_); }
  void go_on(reduce_part&& upper) noexcept { left_ = std::move(upper.left_); }

  /// Either part may be without a value, if the loop was stopped before its first chunk.
  void absorb(reduce_part&& upper) {
    if (!upper.made_) return;
    if (made_) made_ = how_->join(std::move(*made_), std::move(*upper.made_));
    else made_ = std::move(upper.made_);
  }

  std::uint64_t step(std::uint64_t n) {
    auto next = left_.take(n);
    // Counted before start(), which may take indices away from the block.
    const std::uint64_t taken = next.size();
    if (!made_) made_.emplace(how_->start(next));
    made_ = how_->add(std::move(*made_), next);
    return taken;
  }

  /// What has been made; nothing if there was no index.
  std::optional<value>& made() noexcept { return made_; }

 private:
  Space left_;
  const Fold* how_;
  std::optional<value> made_;
};

/// Reduces the indices of a block; nothing if there are none, or if the loop was stopped before the first chunk.
/// \throws as run (splittable.hpp)
template <class P, class Index, class Fold>
std::optional<typename Fold::value> reduce(const block<Index>& all, const Fold& how, const options<P>& o) {
  reduce_part<line<Index>, Fold> whole(line<Index>(all), how);
  run<P>(whole, o, "parallel_reduce");
  return std::move(whole.made());
}

// -- messages for callables that do not fit

/// A callable that combines two values. It excludes options: these come last, where a combine may stand, and an
/// overload without options must not take them for one.
template <class C>
concept combiner = !is_options<std::remove_cvref_t<C>>;

template <class Map, class Arg>
using mapped = std::remove_cvref_t<std::invoke_result_t<Map&, Arg>>;

// The checks below return whether a callable fits. If not, the reduction is not compiled, so that the message stands
// alone among the compiler's.

template <class T, class Combine, class Mapped>
constexpr bool check_combine() {
  constexpr bool callable = std::is_invocable_r_v<T, Combine&, T, Mapped> && std::is_invocable_r_v<T, Combine&, T, T>;
  static_assert(callable, "leat: combine must be callable with two values of a reduction, and give one");
  static_assert(std::movable<T>, "leat: the value of a reduction must be movable");
  constexpr bool whole = !loses_fraction<T, Combine&, T, Mapped>();
  static_assert(whole,
                "leat: the value of a reduction has the type of its identity, a whole number, and the fractions that "
                "combine returns would be lost: write the identity as 0.0");
  return callable && std::movable<T> && whole;
}

/// Stands for a map that has been refused: check_map says nothing about it a second time.
struct refused {};

template <class Map, class Arg>
constexpr bool check_map() {
  constexpr bool callable = std::invocable<Map&, Arg>;
  static_assert(callable || std::same_as<Map, refused>,
                "leat: map must return a value for an index, for an element of the range, or (with an identity) for a "
                "leat::block of indices and the value so far; the order is identity, map, combine, and all but the "
                "identity must be there");
  return callable;
}

// -- the ways to call a reduction

/// The value of a reduction with an identity: by indices, or by blocks if map takes no index. The identity, if no
/// index was executed.
/// \param reduce  reduce(how) makes the value of a fold: `reduce` above, or deterministic_reduce
template <class Index, class T, class Map, class Combine, class Reduce>
T from(const T& identity, Map& map, Combine& combine, const Reduce& reduce) {
  constexpr bool by_block = !std::invocable<Map&, Index> && std::is_invocable_r_v<T, Map&, block<Index>, T>;
  std::optional<T> made;
  if constexpr (by_block) {
    constexpr bool whole = !loses_fraction<T, Map&, block<Index>, T>();
    static_assert(whole,
                  "leat: the value of a reduction has the type of its identity, a whole number, and the fractions that "
                  "map returns would be lost: write the identity as 0.0");
    if constexpr (whole && check_combine<T, Combine, T>()) {
      made = reduce(block_fold<T, Map, Combine>{identity, map, combine});
    }
  } else if constexpr (check_map<Map, Index>()) {
    if constexpr (check_combine<T, Combine, mapped<Map, Index>>()) {
      made = reduce(fold<T, from_identity<T>, Map, Combine>{{identity}, map, combine});
    }
  }
  return made ? std::move(*made) : identity;
}

/// The same without an identity: a std::optional, empty if no index was executed. The value has the type that map
/// returns.
template <class Index, class Map, class Combine, class Reduce>
auto from_nothing(Map& map, Combine& combine, const Reduce& reduce) {
  if constexpr (check_map<Map, Index>()) {
    using value = mapped<Map, Index>;
    if constexpr (check_combine<value, Combine, value>()) {
      return reduce(fold<value, from_first, Map, Combine>{{}, map, combine});
    }
  }
}

/// A map over indices that calls `map` for the elements of a row.
template <std::random_access_iterator It, class Map>
auto map_elements(It first, It last, Map& map) {
  if constexpr (check_map<Map, std::iter_reference_t<It>>()) {
    return [in = begin_of_row(first, last - first > 0), body = local<Map, std::iter_reference_t<It>>{map}](
               auto i) -> decltype(auto) { return as_function(body.call)(in[i]); };
  } else {
    return refused();
  }
}

}  // namespace leat::inline LEAT_ABI::loop
