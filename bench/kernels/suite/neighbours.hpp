// The nearest neighbour of each of many points in space.

#pragma once

#include "kernels/suite/box_tree.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace leat::kernels::suite {

class neighbours {
 public:
  static constexpr std::string_view name = "neighbours";
  static constexpr std::string_view description = "The nearest neighbour of each point, by a tree of boxes";
  using input_kind = cloud;
  static constexpr std::array inputs = clouds;
  static constexpr std::int64_t n_default = 150'000;
  static constexpr std::int64_t n_max = 50'000'000;
  static constexpr std::uint32_t none = ~std::uint32_t{0};  ///< the neighbour of a single point

  neighbours(std::size_t n, cloud);

  void restore();

  /// The same without tasks, but for std::sort.
  void run_serially();

  template <class Loops>
  void run(const Loops&);

  /// How many of some points, which lie at equal distances in the order of all, have no nearer point than the one that was
  /// found: all points are tried.
  [[nodiscard]] std::uint64_t count_right() const;
  [[nodiscard]] std::uint64_t expected() const noexcept { return tried(); }

  std::vector<std::uint32_t> nearest;  ///< of each point

 private:
  [[nodiscard]] std::size_t tried() const noexcept { return std::min<std::size_t>(points_.size(), 64); }

  std::vector<point> points_;
  box_tree tree_;
};

}  // namespace leat::kernels::suite
