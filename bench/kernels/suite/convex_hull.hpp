// The convex hull of points in a plane.

#pragma once

#include "kernels/suite/points.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace leat::kernels::suite {

class convex_hull {
 public:
  static constexpr std::string_view name = "convex-hull";
  static constexpr std::string_view description =
      "The convex hull of points in a plane, by the farthest from a line (quickhull)";
  using input_kind = cloud;
  static constexpr std::array inputs = clouds;
  static constexpr std::int64_t n_default = 5'000'000;
  static constexpr std::int64_t n_max = 200'000'000;

  convex_hull(std::size_t n, cloud);

  void restore() { corner_count = 0; }

  /// The same without tasks.
  void run_serially();

  template <class Loops>
  void run(const Loops&);

  /// How many points are not outside; none if the corners are not those of a convex polygon.
  [[nodiscard]] std::uint64_t count_right() const;
  [[nodiscard]] std::uint64_t expected() const noexcept { return points_.size(); }

  /// Numbers of points, from the leftmost one on, above all to the rightmost one, and below all back. (Of points one below
  /// the other, the lower is more to the left.)
  std::vector<std::uint32_t> corners;
  std::size_t corner_count = 0;

 private:
  struct room {  // of numbers of points, for one part of the hull
    std::uint32_t* points;
    std::uint32_t* spare;
    std::uint32_t* corners;
  };

  // Above 0: how far the point lies to the left of the way from one to another, in times of that way's length.
  [[nodiscard]] std::int64_t left_of(std::uint32_t from, std::uint32_t to, std::uint32_t p) const noexcept;
  [[nodiscard]] bool is_before(std::uint32_t a, std::uint32_t b) const noexcept;

  // The corners between two of them, of n points all of which lie to the left of the way from one to the other. Returns
  // how many there are.
  template <class Loops>
  std::size_t find_between(const Loops&, std::uint32_t from, std::uint32_t to, room, std::size_t n);

  template <class Loops>
  std::size_t keep_left(const Loops&, std::uint32_t from, std::uint32_t to, const std::uint32_t* of, std::size_t n,
                        std::uint32_t* kept) const;

  // Whether no point lies outside of a chain of corners, in order of which each but the last has a next one.
  [[nodiscard]] bool is_convex() const noexcept;

  std::vector<flat_point> points_;
  std::vector<std::uint32_t> all_;  // numbers
  std::vector<std::uint32_t> upper_;  // room for numbers, of each side of the line through the outermost ones
  std::vector<std::uint32_t> lower_;
  double compared_ns_;
  double sided_ns_;
};

}  // namespace leat::kernels::suite
