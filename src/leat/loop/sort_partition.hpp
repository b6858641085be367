// Partitioning in place: by one worker, or by all that are free.
//
// The elements for which goes_left(element) holds come first. If a comparison throws, all elements are in the range:
// none is held outside it but by a taken_out, which gives it back.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "leat/loop/sort_small.hpp"
#include "leat/task/fork_join.hpp"

namespace leat::inline LEAT_ABI::loop {

/// By the caller alone. Light elements are all moved, through one free place that travels along, so that no branch
/// depends on a comparison (Lomuto's partition). Others are exchanged only where they are misplaced. Returns where
/// the right part begins.
template <class It, class GoesLeft>
It partition_alone(It first, It last, const GoesLeft& goes_left) {
  if constexpr (!is_light<std::iter_value_t<It>>) {
    return std::partition(first, last, goes_left);
  } else {
    if (first == last) return first;
    It split = first;
    taken_out<It> out(first);
    for (It i = first + 1; i != last; ++i) {
      const bool left = goes_left(*i);
      out.fill_from(split);
      out.fill_from(i);
      split += left;
    }
    const bool left = goes_left(out.element());
    out.fill_from(split);
    out.put_back();
    return split + left;
  }
}

/// By as many workers as are free. They take blocks from both ends, and exchange misplaced elements between a left
/// and a right block (Tsigas and Zhang, "A simple, fast parallel implementation of Quicksort", 2003, 3.2; how a
/// block's misplaced elements are found without branches is from Edelkamp and Weiss, "BlockQuicksort", 2016, 3). A
/// block belongs to the worker that has taken it, so only the counts of taken blocks are shared. Without thieves it
/// is one worker's pass over the range.
template <class P, class It, class GoesLeft>
class shared_partition {
 public:
  using difference = std::iter_difference_t<It>;

  /// Elements of a block, 8 KiB if they are small: what a worker takes at once, and does between polls.
  static constexpr difference block =
      std::clamp<difference>(8192 / static_cast<difference>(sizeof(std::iter_value_t<It>)), 64, 1024);

  /// Workers that take part at most. Each leaves one unfinished block at most, which is partitioned in the end.
  static constexpr difference parts_max = 64;

  /// Blocks for each worker that takes part, at least.
  static constexpr difference part_blocks_min = 8;

  /// A shorter range is partitioned by one worker: it has too few blocks for two parts.
  static constexpr difference length_min = 2 * part_blocks_min * block;

  /// Both counts of blocks are halves of one word, so that one compare-and-exchange takes a block from either end.
  /// More blocks stay in the middle, for the next pass.
  static constexpr difference blocks_max = std::numeric_limits<std::int32_t>::max();

  /// For one run(). goes_left is called by several workers at once.
  shared_partition(It first, It last, const GoesLeft& goes_left)
      : first_(first), last_(last), goes_left_(goes_left), blocks_(std::min((last - first) / block, blocks_max)) {
    for (auto& numbers : unfinished_) numbers.fill(none);
  }

  /// Exchanges elements until those before the first iterator returned all go left, and those from the second one on
  /// go right. Between them lie parts_max unfinished blocks at most, a part of a block, and the blocks beyond
  /// blocks_max.
  std::pair<It, It> run(task::context<P> c) {
    const auto parts = static_cast<std::size_t>(std::min(parts_max, blocks_ / part_blocks_min));
    take_part(c, 0, parts);
    return {first_ + gather<left>(parts) * block, last_ - gather<right>(parts) * block};
  }

 private:
  enum side : std::size_t { left, right };

  // A block that a worker has taken from one end, and the elements of the wrong side in it.
  template <side s>
  struct taken_block {
    difference number = 0;  // counted from that end of the range
    It outer{};  // its first element, from there
    std::array<std::uint16_t, block> misplaced;  // by their distances from `outer`
    std::size_t exchanged = 0;  // of those
    std::size_t count = 0;

    bool finished() const noexcept { return exchanged == count; }
    It element(difference distance) const { return s == left ? outer + distance : outer - distance; }
    It next() { return element(misplaced[exchanged++]); }
  };

  // A tree of forks with `parts` leaves. Without thieves the first leaf takes all blocks, and the others find none.
  void take_part(task::context<P> c, std::size_t part, std::size_t parts) {
    if (parts == 1) return exchange_blocks(part);
    const std::size_t half = parts / 2;
    task::fork_join<P>(
        c, [=, this](task::context<P> inner) { take_part(inner, part, half); },
        [=, this](task::context<P> inner) { take_part(inner, part + half, parts - half); });
  }

  // One worker's share: exchanges between two blocks at a time, until there are no more to take. After an exchange of
  // `pairs` one of the two is finished, so at most one is left unfinished in the end. Not inlined: its frame is
  // large, and quicksort nests.
  [[gnu::noinline]] void exchange_blocks(std::size_t part) {
    taken_block<left> l;
    taken_block<right> r;
    while ((!l.finished() || take(l)) && (!r.finished() || take(r))) {
      for (std::size_t pairs = std::min(l.count - l.exchanged, r.count - r.exchanged); pairs > 0; --pairs) {
        std::ranges::iter_swap(l.next(), r.next());
      }
      task::poll<P>();
    }
    if (!l.finished()) unfinished_[part][left] = l.number;
    if (!r.finished()) unfinished_[part][right] = r.number;
  }

  // Takes the next block from one end, and notes its misplaced elements: each distance is written, and kept only if
  // the count moves on, so nothing is branched on. False if all blocks are taken.
  template <side s>
  bool take(taken_block<s>& b) {
    // relaxed: only the worker that takes a block reads it, and the joins publish its writes.
    std::uint64_t seen = taken_.load(platform::relaxed);
    do {
      if (taken_from<left>(seen) + taken_from<right>(seen) == blocks_) return false;
    } while (
        !taken_.compare_exchange_weak(seen, seen + (s == left ? 1 : right_one), platform::relaxed, platform::relaxed));
    b.number = taken_from<s>(seen);
    b.outer = outer<s>(b.number);
    b.exchanged = 0;
    std::size_t count = 0;
    for (difference i = 0; i < block; ++i) {
      b.misplaced[count] = static_cast<std::uint16_t>(i);
      count += static_cast<bool>(goes_left_(*b.element(i))) == (s == right);
    }
    b.count = count;
    return true;
  }

  template <side s>
  It outer(difference number) const {
    return s == left ? first_ + number * block : last_ - 1 - number * block;
  }

  template <side s>
  static difference taken_from(std::uint64_t word) noexcept {
    return static_cast<difference>(s == left ? word % right_one : word / right_one);
  }

  // Exchanges the unfinished blocks of one end with the innermost ones there, so that they join the undecided middle.
  // Returns how many blocks are finished. Cost: parts_max exchanges of blocks at most.
  template <side s>
  difference gather(std::size_t parts) {
    // Falling. By insertion: they are few, and std::sort would be compiled for each partition.
    std::array<difference, parts_max> unfinished;
    auto* end = unfinished.data();
    for (std::size_t i = 0; i < parts; ++i) {
      const difference number = unfinished_[i][s];
      if (number == none) continue;
      auto* place = end++;
      for (; place != unfinished.data() && place[-1] < number; --place) *place = place[-1];
      *place = number;
    }
    difference finished = taken_from<s>(taken_.load(platform::relaxed));  // relaxed: all parts are joined
    // The largest number first: all unfinished blocks are then at or below it, so the innermost block is the
    // unfinished one itself or a finished one.
    for (auto* number = unfinished.data(); number != end; ++number) {
      --finished;
      if (*number == finished) continue;
      // Blocks of the right end are counted from their last elements.
      const It a = s == left ? outer<s>(*number) : outer<s>(*number) + 1 - block;
      const It b = s == left ? outer<s>(finished) : outer<s>(finished) + 1 - block;
      std::swap_ranges(a, a + block, b);
    }
    return finished;
  }

  static constexpr difference none = -1;
  static constexpr std::uint64_t right_one = std::uint64_t{1} << 32;

  It first_;
  It last_;
  const GoesLeft& goes_left_;
  difference blocks_;
  typename P::template atomic<std::uint64_t> taken_{0};  // how many blocks: left ones below, right ones above right_one
  std::array<std::array<difference, 2>, parts_max> unfinished_;  // by part and side; none if there is none
};

/// By all workers that are free, until few blocks are left between the two sides; those are partitioned by the caller
/// alone. Each pass leaves far fewer elements than it had. Not inlined: its frame is large.
template <class P, class It, class GoesLeft>
[[gnu::noinline]] It partition_shared(task::context<P> c, It first, It last, const GoesLeft& goes_left) {
  do std::tie(first, last) = shared_partition<P, It, GoesLeft>(first, last, goes_left).run(c);
  while (last - first >= shared_partition<P, It, GoesLeft>::length_min);
  return partition_alone(first, last, goes_left);
}

/// Either way, according to the range's length. Returns where the right part begins. O(n) comparisons.
template <class P, class It, class GoesLeft>
It partition(task::context<P> c, It first, It last, const GoesLeft& goes_left) {
  if (last - first < shared_partition<P, It, GoesLeft>::length_min) return partition_alone(first, last, goes_left);
  return partition_shared<P>(c, first, last, goes_left);
}

}  // namespace leat::inline LEAT_ABI::loop
