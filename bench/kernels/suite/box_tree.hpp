// A tree of boxes over things in space, which lie in it in Morton's order: the bits of their coordinates take turns.

#pragma once

#include "kernels/suite/merge_sort.hpp"
#include "kernels/suite/points.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace leat::kernels::suite {

/// Between two corners.
struct space_box {
  static constexpr double far = std::numeric_limits<double>::infinity();
  point least{far, far, far};
  point most{-far, -far, -far};

  [[nodiscard]] friend space_box around(const space_box& a, const space_box& b) noexcept {
    return {{std::min(a.least.x, b.least.x), std::min(a.least.y, b.least.y), std::min(a.least.z, b.least.z)},
            {std::max(a.most.x, b.most.x), std::max(a.most.y, b.most.y), std::max(a.most.z, b.most.z)}};
  }
};

class box_tree {
 public:
  /// Things in a leaf: at least so many, unless there are fewer at all, and less than twice as many.
  static constexpr std::size_t leaf_min = 4;

  /// A node, and which things lie in it. The root is number 1; beneath node i are 2 i and 2 i + 1.
  struct node {
    std::size_t number;
    std::size_t first;
    std::size_t last;

    [[nodiscard]] std::size_t middle() const noexcept { return first + (last - first) / 2; }
    [[nodiscard]] node lower() const noexcept { return {2 * number, first, middle()}; }
    [[nodiscard]] node upper() const noexcept { return {2 * number + 1, middle(), last}; }
  };

  /// Makes room for the tree of n things.
  explicit box_tree(std::size_t n)
      : leaves_(std::bit_floor(std::max<std::size_t>(n / leaf_min, 1))), order_(n), spare_(n), boxes_(2 * leaves_) {}

  /// Things are numbered from 0 on: centre_of(i) says where one lies, box_of(i) how far it reaches.
  template <class Loops, class Centre, class Box>
  void build(const Loops& by, const Centre& centre_of, const Box& box_of) {
    const std::size_t n = order_.size();
    const auto centre_box = [&](std::size_t i) { return space_box{centre_of(i), centre_of(i)}; };
    const space_box all = by.reduce(
        n, 2, space_box(),
        [&](std::size_t first, std::size_t last) {
          space_box found;
          for (std::size_t i = first; i < last; ++i) found = around(found, centre_box(i));
          return found;
        },
        [](const space_box& a, const space_box& b) { return around(a, b); });
    by.each(n, 10, [&](std::size_t i) { order_[i] = {code_of(centre_of(i), all), static_cast<std::uint32_t>(i)}; });
    sort_by_merges(by, order_.data(), spare_.data(), n, 3, [](const placed& a, const placed& b) {
      return a.code != b.code ? a.code < b.code : a.thing < b.thing;
    });
    find_box(by, root(), box_of);
  }

  [[nodiscard]] node root() const noexcept { return {1, 0, order_.size()}; }
  [[nodiscard]] bool is_leaf(const node& at) const noexcept { return at.number >= leaves_; }
  [[nodiscard]] const space_box& box_of(const node& at) const noexcept { return boxes_[at.number]; }
  [[nodiscard]] std::size_t nodes() const noexcept { return boxes_.size(); }

  /// The number of the thing at this place of the order.
  [[nodiscard]] std::uint32_t thing(std::size_t place) const noexcept { return order_[place].thing; }

  /// Searches nodes near to far: query.distance(box) says how far one is, query.limit() how far those are that may have
  /// anything, query.take(thing) looks at a thing. Returns how many nodes and things were looked at.
  template <class Query>
  std::size_t search(const node& at, Query& query) const {
    if (is_leaf(at)) {
      for (std::size_t place = at.first; place < at.last; ++place) query.take(thing(place));
      return at.last - at.first;
    }
    node near = at.lower();
    node far = at.upper();
    double to_near = query.distance(box_of(near));
    double to_far = query.distance(box_of(far));
    if (to_far < to_near) {
      std::swap(near, far);
      std::swap(to_near, to_far);
    }
    std::size_t seen = 1;
    if (to_near < query.limit()) seen += search(near, query);
    if (to_far < query.limit()) seen += search(far, query);
    return seen;
  }

 private:
  struct placed {
    std::uint64_t code;
    std::uint32_t thing;
  };

  static constexpr std::size_t boxes_serial_max = 512;  // things of a task

  // 21 bits with two zeros before each.
  [[nodiscard]] static std::uint64_t spread(std::uint64_t bits) noexcept {
    bits = (bits | bits << 32) & 0x001f00000000ffff;
    bits = (bits | bits << 16) & 0x001f0000ff0000ff;
    bits = (bits | bits << 8) & 0x100f00f00f00f00f;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
    return (bits | bits << 2) & 0x1249249249249249;
  }

  [[nodiscard]] static std::uint64_t code_of(const point& p, const space_box& all) noexcept {
    const auto bits = [](double at, double least, double most) {
      constexpr double steps = (1 << 21) - 1;
      return most > least ? spread(static_cast<std::uint64_t>((at - least) / (most - least) * steps)) : 0;
    };
    return bits(p.x, all.least.x, all.most.x) << 2 | bits(p.y, all.least.y, all.most.y) << 1 |
           bits(p.z, all.least.z, all.most.z);
  }

  template <class Loops, class Box>
  void find_box(const Loops& by, const node& at, const Box& of_thing) {
    if (is_leaf(at)) {
      space_box found;
      declare(8, at.last - at.first);
      for (std::size_t place = at.first; place < at.last; ++place) found = around(found, of_thing(thing(place)));
      boxes_[at.number] = found;
      return;
    }
    if constexpr (Loops::shares) {
      if (at.last - at.first <= boxes_serial_max) return find_box(alone(), at, of_thing);
    }
    by.both([&] { find_box(by, at.lower(), of_thing); }, [&] { find_box(by, at.upper(), of_thing); });
    boxes_[at.number] = around(box_of(at.lower()), box_of(at.upper()));
  }

  std::size_t leaves_;
  std::vector<placed> order_;
  std::vector<placed> spare_;
  std::vector<space_box> boxes_;
};

}  // namespace leat::kernels::suite
