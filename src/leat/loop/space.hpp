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

}  // namespace leat::loop
