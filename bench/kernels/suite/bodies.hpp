// N-body: how the masses of many bodies in space pull each of them (Barnes and Hut, 1986).

#pragma once

#include "kernels/suite/box_tree.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace leat::kernels::suite {

class bodies {
 public:
  static constexpr std::string_view name = "nbody";
  static constexpr std::string_view description = "The attraction between bodies, by a tree of boxes (Barnes and Hut)";
  using input_kind = cloud;
  static constexpr std::array inputs = clouds;
  static constexpr std::int64_t n_default = 30'000;
  static constexpr std::int64_t n_max = 10'000'000;

  bodies(std::size_t n, cloud);

  void restore();

  /// The same without tasks.
  void run_serially();

  template <class Loops>
  void run(const Loops&);

  /// How many of some bodies, which lie at equal distances in the order of all, are pulled as the sum over all others says,
  /// up to error_max of that.
  [[nodiscard]] std::uint64_t count_right() const;
  [[nodiscard]] std::uint64_t expected() const noexcept { return tried(); }

  static constexpr double error_max = 0.03;

  std::vector<point> pulls;  ///< of each body

 private:
  struct heap {  // of bodies
    point centre;
    double mass = 0;
  };

  [[nodiscard]] std::size_t tried() const noexcept { return std::min<std::size_t>(points_.size(), 64); }

  template <class Loops>
  void find_heap(const Loops&, const box_tree::node&);

  // Adds what the bodies of a node do to another. Returns how many nodes and bodies it has looked at.
  std::size_t add_pull(const box_tree::node&, std::uint32_t of, point& pull) const;

  std::vector<point> points_;  // all have mass 1
  box_tree tree_;
  std::vector<heap> heaps_;  // of the nodes of the tree
};

}  // namespace leat::kernels::suite
