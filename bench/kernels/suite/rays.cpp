#include "kernels/suite/rays.hpp"

#include <leat/platform/counted.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace leat::kernels::suite {

namespace {

constexpr double crossed_ns = 23;  // of a box or a triangle, in worlds

// The first triangle on the way of a ray, and where on it.
struct first_query {
  const std::vector<rays::triangle>& triangles;
  const rays::ray& its;
  std::uint32_t found = rays::none;
  double at = space_box::far;

  [[nodiscard]] double limit() const noexcept { return at; }

  // Where the ray enters a box; far, if it does not.
  [[nodiscard]] double distance(const space_box& b) const noexcept {
    double enters = 0;
    double leaves = space_box::far;
    const auto cut = [&](double from, double way, double least, double most) {
      double near = (least - from) / way;
      double far = (most - from) / way;
      if (far < near) std::swap(near, far);
      enters = std::max(enters, near);
      leaves = std::min(leaves, far);
    };
    cut(its.from.x, its.way.x, b.least.x, b.most.x);
    cut(its.from.y, its.way.y, b.least.y, b.most.y);
    cut(its.from.z, its.way.z, b.least.z, b.most.z);
    // A triangle may lie in the side of its box; the way to it is computed otherwise, and so a little shorter or longer.
    constexpr double slack = 1e-9;
    return enters <= leaves * (1 + slack) ? enters * (1 - slack) : space_box::far;
  }

  // Moeller and Trumbore, 1997: the ray's place is a sum of the corner and parts of both sides.
  void take(std::uint32_t which) noexcept {
    const rays::triangle& t = triangles[which];
    const point normal = cross(its.way, t.second_side);
    const double volume = dot(t.first_side, normal);
    if (volume == 0) return;
    const point to = its.from - t.corner;
    const double first = dot(to, normal) / volume;
    const point turned = cross(to, t.first_side);
    const double second = dot(its.way, turned) / volume;
    if (first < 0 || second < 0 || first + second > 1) return;
    const double place = dot(t.second_side, turned) / volume;
    if (place >= 0 && place < at) {
      at = place;
      found = which;
    }
  }
};

// Triangles at points of the cloud. The more there are, the smaller they are, so that a ray meets few.
std::vector<rays::triangle> draw_triangles(std::size_t n, cloud c) {
  const std::vector<point> corners = draw_points(n, c, 1);
  const std::vector<point> first = draw_points(n, cloud::cube, 2);
  const std::vector<point> second = draw_points(n, cloud::cube, 3);
  const double size = 1 / std::sqrt(static_cast<double>(n) + 1);
  std::vector<rays::triangle> drawn(n);
  for (std::size_t i = 0; i < n; ++i) drawn[i] = {corners[i], size * first[i], size * second[i]};
  return drawn;
}

// From anywhere in the cube towards anywhere else in it.
std::vector<rays::ray> draw_rays(std::size_t n) {
  const std::vector<point> from = draw_points(n, cloud::cube, 4);
  const std::vector<point> to = draw_points(n, cloud::cube, 5);
  std::vector<rays::ray> drawn(n);
  for (std::size_t i = 0; i < n; ++i) drawn[i] = {from[i], to[i] - from[i]};
  return drawn;
}

point centre_of(const rays::triangle& t) noexcept { return t.corner + 1.0 / 3 * (t.first_side + t.second_side); }

space_box box_of(const rays::triangle& t) noexcept {
  const point second = t.corner + t.first_side;
  const point third = t.corner + t.second_side;
  return around(space_box{t.corner, t.corner}, around(space_box{second, second}, space_box{third, third}));
}

}  // namespace

rays::rays(std::size_t n, cloud c) : met(n, none), triangles_(draw_triangles(n, c)), rays_(draw_rays(n)), tree_(n) {}

void rays::restore() { std::ranges::fill(met, none); }

void rays::run_serially() { run(alone()); }

template <class Loops>
void rays::run(const Loops& by) {
  tree_.build(
      by, [this](std::size_t i) { return centre_of(triangles_[i]); },
      [this](std::size_t i) { return box_of(triangles_[i]); });
  by.blocks(rays_.size(), 0, [this](std::size_t first, std::size_t last) {
    std::size_t seen = 0;
    for (std::size_t i = first; i < last; ++i) {
      first_query query{triangles_, rays_[i]};
      seen += tree_.search(tree_.root(), query);
      met[i] = query.found;
    }
    declare(crossed_ns, seen);
  });
}

template void rays::run(const loops<platform::chosen>&);
template void rays::run(const loops<platform::counted>&);

std::uint64_t rays::count_right() const {
  const std::size_t n = rays_.size();
  std::uint64_t right = 0;
  for (std::size_t i = 0; i < tried(); ++i) {
    const std::size_t which = i * n / tried();
    first_query best{triangles_, rays_[which]};
    for (std::uint32_t t = 0; t < n; ++t) best.take(t);
    first_query its{triangles_, rays_[which]};
    if (met[which] < n) its.take(met[which]);
    right += its.at == best.at && its.found == met[which] ? 1 : 0;
  }
  return right;
}

}  // namespace leat::kernels::suite
