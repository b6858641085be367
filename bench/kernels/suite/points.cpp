#include "kernels/suite/points.hpp"

#include "kernels/suite/fraction.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace leat::kernels::suite {

namespace {

constexpr double plummer_max = 1000;  // farther points are drawn on that sphere

// Archimedes: on a sphere each height is as likely as any other.
point draw_direction(protocol::random& source) {
  const double height = 2 * draw_fraction(source) - 1;
  const double angle = 2 * std::numbers::pi * draw_fraction(source);
  const double radius = std::sqrt(1 - height * height);
  return {radius * std::cos(angle), radius * std::sin(angle), height};
}

double draw_coordinate(protocol::random& source) { return 2 * draw_fraction(source) - 1; }

point draw_point(protocol::random& source, cloud c) {
  switch (c) {
    case cloud::cube: {
      const double x = draw_coordinate(source);
      const double y = draw_coordinate(source);
      return {x, y, draw_coordinate(source)};
    }
    case cloud::sphere: return draw_direction(source);
    case cloud::plummer: {
      // The share of all mass that lies within r is r^3 / (1 + r^2)^(3/2).
      const double within = 1 - draw_fraction(source);
      const double r = 1 / std::sqrt(std::max(std::pow(within, -2.0 / 3) - 1, 1 / (plummer_max * plummer_max)));
      return r * draw_direction(source);
    }
  }
  return {};
}

// In the unit circle, or in the square around it; of a disk in a circle of radius kuzmin_max.
constexpr double kuzmin_max = 1000;

point draw_flat(protocol::random& source, cloud c) {
  if (c == cloud::cube) {
    const double x = draw_coordinate(source);
    return {x, draw_coordinate(source), 0};
  }
  const double angle = 2 * std::numbers::pi * draw_fraction(source);
  double radius = 1;
  if (c == cloud::plummer) {
    // The share of all mass that lies within r is 1 - 1 / sqrt(1 + r^2).
    const double beyond = 1 - draw_fraction(source);
    radius = std::min(std::sqrt(1 / (beyond * beyond) - 1), kuzmin_max) / kuzmin_max;
  }
  return {radius * std::cos(angle), radius * std::sin(angle), 0};
}

}  // namespace

std::string_view name(cloud c) noexcept {
  switch (c) {
    case cloud::cube: return "cube";
    case cloud::sphere: return "sphere";
    case cloud::plummer: return "plummer";
  }
  return "unknown";
}

std::vector<point> draw_points(std::size_t n, cloud c, std::uint64_t seed) {
  protocol::random source(seed);
  std::vector<point> drawn(n);
  for (point& p : drawn) p = draw_point(source, c);
  return drawn;
}

std::vector<flat_point> draw_flat_points(std::size_t n, cloud c) {
  protocol::random source(1);
  std::vector<flat_point> drawn(n);
  const auto whole = [](double d) { return static_cast<std::int32_t>(std::lround(d * flat_point::coordinate_max)); };
  for (flat_point& p : drawn) {
    const point fractions = draw_flat(source, c);
    p = {whole(fractions.x), whole(fractions.y)};
  }
  return drawn;
}

}  // namespace leat::kernels::suite
