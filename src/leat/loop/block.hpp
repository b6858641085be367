// Blocks of indices, in one dimension or more, and how loops walk through them.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "leat/loop/errors.hpp"

namespace leat {

/// What a loop may count in.
template <class T>
concept loop_index = std::integral<T> && !std::same_as<std::remove_cv_t<T>, bool> && sizeof(T) <= sizeof(std::uint64_t);

/// The indices from `first` on and before `last`, in order: for (Index i : block).
template <loop_index Index>
class block {
 public:
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Index;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Index;

    iterator() = default;
    explicit iterator(Index at) : at_(at) {}
    Index operator*() const noexcept { return at_; }
    iterator& operator++() noexcept { return ++at_, *this; }
    iterator operator++(int) noexcept { return iterator(at_++); }
    friend bool operator==(iterator, iterator) = default;

   private:
    Index at_;
  };

  /// Empty, if `last` is not above `first`.
  constexpr block(Index first, Index last) noexcept : first_(first), last_(std::max(first, last)) {}

  constexpr Index first() const noexcept { return first_; }
  constexpr Index last() const noexcept { return last_; }
  iterator begin() const noexcept { return iterator(first_); }
  iterator end() const noexcept { return iterator(last_); }
  constexpr std::uint64_t size() const noexcept {
    return static_cast<std::uint64_t>(last_) - static_cast<std::uint64_t>(first_);
  }

  friend bool operator==(const block&, const block&) = default;

 private:
  Index first_;
  Index last_;
};

/// A rectangle, or a box, of indices: one block for each of its N sides. In a loop the last side's index runs fastest.
template <std::size_t N>
class box {
 public:
  using side = block<std::ptrdiff_t>;

  /// From 0 on, so many in each direction; none if that is not above 0.
  template <loop_index... Counts>
    requires(sizeof...(Counts) == N)
  constexpr explicit box(Counts... counts) : box(side(0, checked(counts))...) {}

  template <std::same_as<side>... Sides>
    requires(sizeof...(Sides) == N)
  constexpr explicit box(Sides... sides) : sides_{sides...} {
    if (((sides.size() == 0) || ...)) return;
    std::uint64_t all = 1;
    for (const side& s : sides_) {
      if (all > UINT64_MAX / s.size()) throw_too_many();
      all *= s.size();
    }
  }

  constexpr const side& operator[](std::size_t i) const noexcept { return sides_[i]; }
  constexpr const side& pages() const noexcept
    requires(N == 3)
  {
    return sides_[0];
  }
  constexpr const side& rows() const noexcept { return sides_[N - 2]; }
  constexpr const side& cols() const noexcept { return sides_[N - 1]; }
  constexpr std::uint64_t size() const noexcept {
    std::uint64_t all = 1;
    for (const side& s : sides_) all *= s.size();
    return all;
  }

  friend bool operator==(const box&, const box&) = default;

 private:
  template <class Count>
  static constexpr std::ptrdiff_t checked(Count n) {
    // It is not negative: no type holds less than std::ptrdiff_t does.
    if (!std::in_range<std::ptrdiff_t>(+n)) loop::throw_long_side(N, static_cast<std::uint64_t>(n));
    return static_cast<std::ptrdiff_t>(n);
  }
  [[noreturn]] void throw_too_many() const {
    std::array<std::uint64_t, N> sizes;
    for (std::size_t i = 0; i < N; ++i) sizes[i] = sides_[i].size();
    loop::throw_large_box(N, sizes.data());
  }

  std::array<side, N> sides_;
};

}  // namespace leat

namespace leat::loop {

/// The number of elements from `first` to before `last`, none if that comes first. Throws std::length_error if std::ptrdiff_t does not count so many,
/// as in a std::views::iota of 64-bit integers.
template <std::random_access_iterator It>
std::ptrdiff_t count_of(const It& first, const It& last, const char* what) {
  const auto count = last - first;
  if (count < 0) return 0;
  if (count > std::numeric_limits<std::ptrdiff_t>::max()) throw_too_many_elements(what);
  return static_cast<std::ptrdiff_t>(count);
}

/// The block's lower end: n of its indices.
template <class Index>
block<Index> lower(const block<Index>& b, std::uint64_t n) {
  // Without sign: what lies between may be more than Index holds.
  return {b.first(), static_cast<Index>(static_cast<std::uint64_t>(b.first()) + n)};
}

/// Takes the n lowest indices from a block.
template <class Index>
block<Index> take_lower(block<Index>& b, std::uint64_t n) {
  const block<Index> taken = lower(b, n);
  b = {taken.last(), b.last()};
  return taken;
}

/// Takes the n highest indices from a block.
template <class Index>
block<Index> take_upper(block<Index>& b, std::uint64_t n) {
  const block<Index> left = lower(b, b.size() - n);
  const block<Index> taken{left.last(), b.last()};
  b = left;
  return taken;
}

}  // namespace leat::loop
