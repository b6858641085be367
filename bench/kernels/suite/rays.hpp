// Ray casting: which of many triangles in space each of many rays meets first.

#pragma once

#include "kernels/suite/box_tree.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace leat::kernels::suite {

class rays {
 public:
  static constexpr std::string_view name = "ray-cast";
  static constexpr std::string_view description = "The first triangle that each ray hits, by a tree of boxes";
  using input_kind = cloud;
  static constexpr std::array inputs = clouds;
  static constexpr std::int64_t n_default = 25'000;
  static constexpr std::int64_t n_max = 20'000'000;
  static constexpr std::uint32_t none = ~std::uint32_t{0};  ///< for a ray that meets nothing

  /// As many rays as triangles.
  rays(std::size_t n, cloud);

  void restore();

  /// The same without tasks.
  void run_serially();

  template <class Loops>
  void run(const Loops&);

  /// How many of some rays, which lie at equal distances in the order of all, meet what was found first: all triangles are
  /// tried.
  [[nodiscard]] std::uint64_t count_right() const;
  [[nodiscard]] std::uint64_t expected() const noexcept { return tried(); }

  struct triangle {
    point corner, first_side, second_side;
  };
  struct ray {
    point from, way;
  };

  std::vector<std::uint32_t> met;  ///< by each ray

 private:
  [[nodiscard]] std::size_t tried() const noexcept { return std::min<std::size_t>(rays_.size(), 64); }

  std::vector<triangle> triangles_;
  std::vector<ray> rays_;
  box_tree tree_;
};

}  // namespace leat::kernels::suite
