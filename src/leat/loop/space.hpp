// The indices that are left of a loop: how many there are, how they are cut, which come next. Parts (each.hpp,
// reduce.hpp) hold one. All operations are a few instructions, and none throws.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "leat/loop/block.hpp"

namespace leat::inline LEAT_ABI::loop {

/// In one dimension: a block that shrinks at both ends.
template <class Index>
class line {
 public:
  using taken = block<Index>;

  explicit line(block<Index> all) : left_(all) {}

  std::uint64_t size() const noexcept { return left_.size(); }

  /// The n last ones.
  line cut(std::uint64_t n) { return line(take_upper(left_, n)); }

  /// The n first ones.
  taken take(std::uint64_t n) { return take_lower(left_, n); }

 private:
  block<Index> left_;
};

/// In N dimensions. The indices of a box are numbered in one row, with the last side's running fastest; a grid is
/// those with numbers from `next_` on and before `end_`. It is not cut across its longest side: then a worker alone
/// would go through half a row after the other, and no loop could keep its order (docs/internals/loops.md).
template <std::size_t N>
class grid {
 public:
  using taken = box<N>;

  explicit grid(const box<N>& all) : grid(all, 0, all.size()) {}

  std::uint64_t size() const noexcept { return end_ - next_; }

  /// About the n last ones, 0 < n < size(): whole rows, if that leaves some. A part that begins within a row takes a
  /// chunk of its own for the rest of it.
  grid cut(std::uint64_t n) {
    const std::uint64_t row = box_.cols().size();
    const std::uint64_t whole_rows = (end_ - n) / row * row;
    const std::uint64_t first = whole_rows > next_ ? whole_rows : end_ - n;
    return grid(box_, first, std::exchange(end_, first));
  }

  /// At most the n first ones, as many as make a box; at least one, 0 < n <= size(). It searches the outermost side d
  /// across which whole slices can be taken: the grid must be at the beginning of a slice, and n must hold one. The
  /// slices end with side d at the latest, as the next one lies at another index of the side around it.
  taken take(std::uint64_t n) {
    std::size_t d = 0;
    while (d < N - 1 && (next_ % slice(d) != 0 || n < slice(d))) ++d;
    const std::uint64_t slices = std::min(n / slice(d), box_[d].size() - index(d));
    const box<N> got = slices_from_next(d, slices, std::make_index_sequence<N>());
    next_ += slices * slice(d);
    return got;
  }

 private:
  grid(const box<N>& b, std::uint64_t next, std::uint64_t end) : box_(b), next_(next), end_(end) {}

  // Indices in a slice across side d: one index of d, and all of the sides inside it. 1 for the last side.
  std::uint64_t slice(std::size_t d) const noexcept {
    std::uint64_t all = 1;
    while (++d < N) all *= box_[d].size();
    return all;
  }

  // Where next_ lies along side d, from the side's beginning.
  std::uint64_t index(std::size_t d) const noexcept { return next_ / slice(d) % box_[d].size(); }

  // The box of `slices` slices across side d, from next_ on: one index of each side outside d, all of those inside.
  template <std::size_t... E>
  box<N> slices_from_next(std::size_t d, std::uint64_t slices, std::index_sequence<E...>) const {
    const auto side = [&](std::size_t e) {
      if (e > d) return box_[e];
      block<std::ptrdiff_t> rest = box_[e];
      take_lower(rest, index(e));
      return lower(rest, e == d ? slices : 1);
    };
    return box<N>(side(E)...);
  }

  box<N> box_;
  std::uint64_t next_;
  std::uint64_t end_;
};

}  // namespace leat::inline LEAT_ABI::loop
