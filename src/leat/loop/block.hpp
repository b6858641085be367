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

namespace leat::inline LEAT_ABI {

/// An integer type that a loop may count in. It is not bool, which has no ++, and no wider than the 64 bits in which
/// sizes and counts of iterations are kept.
template <class T>
concept loop_index = std::integral<T> && !std::same_as<std::remove_cv_t<T>, bool> && sizeof(T) <= sizeof(std::uint64_t);

/// The indices from `first` on and before `last`, in order: for (Index i : block). A value like an int: several
/// threads may read one, and each operation is a few instructions.
template <loop_index Index>
class block {
 public:
  /// An input iterator only: it returns indices by value, and forward iterators of C++17 must return references.
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
  /// The number of indices. In unsigned arithmetic, as last - first may be too large for a signed Index: modulo 2^64
  /// the signs that the casts extend cancel out.
  constexpr std::uint64_t size() const noexcept {
    return static_cast<std::uint64_t>(last_) - static_cast<std::uint64_t>(first_);
  }

  friend bool operator==(const block&, const block&) = default;

 private:
  Index first_;
  Index last_;
};

/// A rectangle, or a box, of indices: one block for each of its N sides. In a loop the last side's index runs
/// fastest. N is 2 or 3 in loops (each.hpp). Every box has at most 2^64 - 1 indices, so that a grid can number them
/// in one row (space.hpp).
template <std::size_t N>
class box {
 public:
  using side = block<std::ptrdiff_t>;

  /// From 0 on, so many in each direction; none if that is not above 0.
  /// \throws std::length_error if std::ptrdiff_t cannot hold a count, or 64 bits cannot count all indices
  template <loop_index... Counts>
    requires(sizeof...(Counts) == N)
  constexpr explicit box(Counts... counts) : box(side(0, checked(counts))...) {}

  /// From given sides.
  /// \throws std::length_error if 64 bits cannot count all indices
  template <std::same_as<side>... Sides>
    requires(sizeof...(Sides) == N)
  constexpr explicit box(Sides... sides) : sides_{sides...} {
    // An empty side makes the box empty, however long the others are; and the check below divides by the sizes.
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
    // The + promotes the character types, which std::in_range refuses. A count out of range is too large, never too
    // small: the least value of every index type is a std::ptrdiff_t.
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

}  // namespace leat::inline LEAT_ABI

namespace leat::inline LEAT_ABI::loop {

/// The number of elements from `first` to before `last`; 0 if `last` comes first.
/// \param what  the public function, for the message
/// \throws std::length_error if std::ptrdiff_t cannot count them, as in a std::views::iota of 64-bit integers
template <std::random_access_iterator It>
std::ptrdiff_t count_of(const It& first, const It& last, const char* what) {
  const auto count = last - first;
  if (count < 0) return 0;
  if (count > std::numeric_limits<std::ptrdiff_t>::max()) throw_too_many_elements(what);
  return static_cast<std::ptrdiff_t>(count);
}

/// The n lowest indices of a block, n <= b.size().
template <class Index>
block<Index> lower(const block<Index>& b, std::uint64_t n) {
  // In unsigned arithmetic: n may be more than a signed Index holds, and the sum wraps to the right index.
  return {b.first(), static_cast<Index>(static_cast<std::uint64_t>(b.first()) + n)};
}

/// Takes the n lowest indices from a block, n <= b.size().
template <class Index>
block<Index> take_lower(block<Index>& b, std::uint64_t n) {
  const block<Index> taken = lower(b, n);
  b = {taken.last(), b.last()};
  return taken;
}

/// Takes the n highest indices from a block, n <= b.size().
template <class Index>
block<Index> take_upper(block<Index>& b, std::uint64_t n) {
  const block<Index> left = lower(b, b.size() - n);
  const block<Index> taken{left.last(), b.last()};
  b = left;
  return taken;
}

}  // namespace leat::inline LEAT_ABI::loop
