// What is left of a loop's indices: how much it is, how it is cut, what comes next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "leat/loop/block.hpp"

namespace leat::loop {

/// In one dimension.
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

/// In N dimensions: of the indices of a box, counted with the last side's running fastest, those from one on and before
/// another.
template <std::size_t N>
class grid {
 public:
  using taken = box<N>;

  explicit grid(const box<N>& all) : grid(all, 0, all.size()) {}

  std::uint64_t size() const noexcept { return end_ - next_; }

  /// About the n last ones: an end of the longest side as long as the box is whole, else of the rows.
  grid cut(std::uint64_t n) {
    if (next_ == 0 && end_ == box_.size()) return cut_longest(n);
    const std::uint64_t row = below(N - 2);
    const std::uint64_t whole_rows = (end_ - n) / row * row;
    const std::uint64_t first = whole_rows > next_ ? whole_rows : end_ - n;
    return grid(box_, first, std::exchange(end_, first));
  }

  /// At most the n first ones, as many as make a box; at least one.
  taken take(std::uint64_t n) {
    for (std::size_t d = 0;; ++d) {
      const std::uint64_t slice = below(d);
      if (d < N - 1 && (next_ % slice != 0 || n < slice)) continue;
      const std::uint64_t first = next_ / slice % box_[d].size();
      const std::uint64_t slices = std::min(n / slice, box_[d].size() - first);
      const box<N> got = slices_of(d, first, slices);
      next_ += slices * slice;
      return got;
    }
  }

 private:
  grid(const box<N>& b, std::uint64_t next, std::uint64_t end) : box_(b), next_(next), end_(end) {}

  // Indices in a slice across side d.
  std::uint64_t below(std::size_t d) const noexcept {
    std::uint64_t all = 1;
    while (++d < N) all *= box_[d].size();
    return all;
  }

  grid cut_longest(std::uint64_t n) {
    std::size_t longest = 0;
    for (std::size_t d = 1; d < N; ++d) {
      if (box_[d].size() > box_[longest].size()) longest = d;
    }
    auto left = box_[longest];
    const std::uint64_t slice = box_.size() / left.size();
    const auto upper = take_upper(left, std::clamp<std::uint64_t>(n / slice, 1, left.size() - 1));
    const grid cut_off(with_side(longest, upper));
    *this = grid(with_side(longest, left));
    return cut_off;
  }

  box<N> with_side(std::size_t d, block<std::ptrdiff_t> side) const {
    return with_sides([&](std::size_t e) { return e == d ? side : box_[e]; });
  }

  // From next_ on, in whose slice across side d `first` is the first index.
  box<N> slices_of(std::size_t d, std::uint64_t first, std::uint64_t slices) const {
    return with_sides([&](std::size_t e) {
      if (e > d) return box_[e];
      const std::uint64_t at = e == d ? first : next_ / below(e) % box_[e].size();
      const auto begin = box_[e].first() + static_cast<std::ptrdiff_t>(at);
      return block<std::ptrdiff_t>(begin, begin + static_cast<std::ptrdiff_t>(e == d ? slices : 1));
    });
  }

  template <class Side>
  static box<N> with_sides(Side side) {
    return [&]<std::size_t... E>(std::index_sequence<E...>) { return box<N>(side(E)...); }(std::make_index_sequence<N>());
  }

  box<N> box_;
  std::uint64_t next_;
  std::uint64_t end_;
};

}  // namespace leat::loop
