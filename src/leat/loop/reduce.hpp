// Loops that make one value of many, in order.
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

namespace leat::loop {

/// Begins with an identity; needs no index for that.
template <class T>
struct from_identity {
  const T& identity;

  template <class Map, class Taken>
  T operator()(Map&, Taken&) const {
    return identity;
  }
};

/// Begins with what the first index gives, and takes that away from the block.
struct from_first {
  template <class Map, class Index>
  auto operator()(Map& map, block<Index>& b) const {
    return map(take_lower(b, 1).first());
  }
};

/// How a value is made: map(i) for each index, combined in order.
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

/// The same by blocks: body(block, value so far).
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

/// A part of a loop that makes a value of its indices.
template <class Space, class Fold>
class reduce_part {
 public:
  using value = typename Fold::value;

  reduce_part(Space left, const Fold& how) : left_(std::move(left)), how_(&how) {}

  std::uint64_t size() const noexcept { return left_.size(); }
  reduce_part cut(std::uint64_t n) { return reduce_part(left_.cut(n), *how_); }
  void go_on(reduce_part&& upper) noexcept { left_ = std::move(upper.left_); }

  void absorb(reduce_part&& upper) {
    if (!upper.made_) return;
    if (made_) made_ = how_->join(std::move(*made_), std::move(*upper.made_));
    else made_ = std::move(upper.made_);
  }

  std::uint64_t step(std::uint64_t n) {
    auto next = left_.take(n);
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

template <class P, class Index, class Fold>
std::optional<typename Fold::value> reduce(const block<Index>& all, const Fold& how, const options<P>& o) {
  reduce_part<line<Index>, Fold> whole(line<Index>(all), how);
  run<P>(whole, o, "parallel_reduce");
  return std::move(whole.made());
}

// -- what is said to who gives callables that do not fit

/// Options come last, where a combine may stand, too.
template <class C>
concept combiner = !is_options<std::remove_cvref_t<C>>;

template <class Map, class Arg>
using mapped = std::remove_cvref_t<std::invoke_result_t<Map&, Arg>>;

// What is refused is not compiled any further: the message is to stand alone.

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

/// Stands for a map that has been refused.
struct refused {};

template <class Map, class Arg>
constexpr bool check_map() {
  constexpr bool callable = std::invocable<Map&, Arg>;
  static_assert(callable || std::same_as<Map, refused>,
                "leat: map must be callable with an index or an element; the order is identity, map, combine, and all "
                "but the identity must be there");
  return callable;
}

// -- the ways to call a reduction

/// From an identity, by indices, or by blocks if map takes no index. reduce(how) makes the value of a fold.
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

/// The same without an identity: nothing of nothing.
template <class Index, class Map, class Combine, class Reduce>
auto from_nothing(Map& map, Combine& combine, const Reduce& reduce) {
  if constexpr (check_map<Map, Index>()) {
    using value = mapped<Map, Index>;
    if constexpr (check_combine<value, Combine, value>()) {
      return reduce(fold<value, from_first, Map, Combine>{{}, map, combine});
    }
  }
}

/// Calls map for the elements of a row, by index.
template <std::random_access_iterator It, class Map>
auto map_elements(It first, It last, Map& map) {
  if constexpr (check_map<Map, std::iter_reference_t<It>>()) {
    return [in = begin_of_row(first, last - first > 0), body = local<Map, std::iter_reference_t<It>>{map}](
               auto i) -> decltype(auto) { return as_function(body.call)(in[i]); };
  } else {
    return refused();
  }
}

}  // namespace leat::loop
