// Points that are drawn, in two dimensions and in three.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace leat::kernels::suite {

/// How points are drawn.
enum class cloud : std::uint8_t {
  cube,     ///< anywhere in a cube, or in a square
  sphere,   ///< on a sphere, or on a circle
  plummer,  ///< ever fewer away from the middle: a sphere as Plummer's, or a disk as Kuzmin's
};

inline constexpr std::array clouds = {cloud::cube, cloud::sphere, cloud::plummer};

[[nodiscard]] std::string_view name(cloud) noexcept;

struct point {
  double x = 0, y = 0, z = 0;

  friend point operator+(point a, point b) noexcept { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend point operator-(point a, point b) noexcept { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend point operator*(double k, point a) noexcept { return {k * a.x, k * a.y, k * a.z}; }
};

[[nodiscard]] inline double dot(point a, point b) noexcept { return a.x * b.x + a.y * b.y + a.z * b.z; }
[[nodiscard]] inline point cross(point a, point b) noexcept {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// n points; in a cube, or on a sphere, of radius 1. The same arguments give the same points. `seed`: of the draws.
[[nodiscard]] std::vector<point> draw_points(std::size_t n, cloud, std::uint64_t seed = 1);

/// A point in a plane, whose coordinates are whole numbers and at most this large, so that a product of differences fits into
/// 64 bits.
struct flat_point {
  std::int32_t x = 0, y = 0;
  static constexpr std::int32_t coordinate_max = 1 << 29;

  friend bool operator==(flat_point, flat_point) = default;
};

[[nodiscard]] std::vector<flat_point> draw_flat_points(std::size_t n, cloud);

}  // namespace leat::kernels::suite
