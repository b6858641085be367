#include "kernels/suite/convex_hull.hpp"

#include "kernels/suite/costs.hpp"
#include "kernels/suite/loops.hpp"

#include <leat/platform/counted.hpp>

#include <algorithm>
#include <numeric>
#include <span>

namespace leat::kernels::suite {

namespace {

constexpr std::size_t hull_serial_max = 1000;  // points that one task looks at
constexpr costs compared_point_ns = {2, 4, 2};  // in worlds
constexpr costs sided_ns = {3, 6, 3};

}  // namespace

convex_hull::convex_hull(std::size_t n, cloud c)
    : corners(n),
      points_(draw_flat_points(n, c)),
      all_(n),
      upper_(2 * n),
      lower_(2 * n),
      compared_ns_(cost_of(compared_point_ns, c)),
      sided_ns_(cost_of(sided_ns, c)) {
  std::iota(all_.begin(), all_.end(), std::uint32_t{0});
}

std::int64_t convex_hull::left_of(std::uint32_t from, std::uint32_t to, std::uint32_t p) const noexcept {
  const flat_point a = points_[from];
  const flat_point b = points_[to];
  const flat_point c = points_[p];
  return std::int64_t{b.x - a.x} * (c.y - a.y) - std::int64_t{b.y - a.y} * (c.x - a.x);
}

bool convex_hull::is_before(std::uint32_t a, std::uint32_t b) const noexcept {
  return points_[a].x != points_[b].x ? points_[a].x < points_[b].x : points_[a].y < points_[b].y;
}

template <class Loops>
std::size_t convex_hull::keep_left(const Loops& by, std::uint32_t from, std::uint32_t to, const std::uint32_t* of,
                                   std::size_t n, std::uint32_t* kept) const {
  return by.pack(
      n, sided_ns_, [=, this](std::size_t i) { return left_of(from, to, of[i]) > 0; },
      [=](std::size_t i, std::size_t place) { kept[place] = of[i]; });
}

template <class Loops>
std::size_t convex_hull::find_between(const Loops& by, std::uint32_t from, std::uint32_t to, room at, std::size_t n) {
  if (n == 0) return 0;
  if constexpr (Loops::shares) {
    if (n <= hull_serial_max) return find_between(alone(), from, to, at, n);
  }
  // Of points that are equally far, the first one: others may lie between two corners.
  const auto farther = [=, this](std::uint32_t a, std::uint32_t b) {
    const std::int64_t of_a = left_of(from, to, a);
    const std::int64_t of_b = left_of(from, to, b);
    return of_a != of_b ? (of_a > of_b ? a : b) : (is_before(b, a) ? b : a);
  };
  const std::uint32_t farthest = by.reduce(
      n, compared_ns_, at.points[0],
      [&](std::size_t first, std::size_t last) {
        std::uint32_t found = at.points[first];
        for (std::size_t i = first + 1; i < last; ++i) found = farther(found, at.points[i]);
        return found;
      },
      farther);
  const std::size_t before = keep_left(by, from, farthest, at.points, n, at.spare);
  const std::size_t after = keep_left(by, farthest, to, at.points, n, at.spare + before);
  std::size_t before_corners = 0;
  std::size_t after_corners = 0;
  std::uint32_t* const behind = at.corners + before + 1;
  by.both(
      [&] { before_corners = find_between(by, from, farthest, {at.spare, at.points, at.corners}, before); },
      [&] { after_corners = find_between(by, farthest, to, {at.spare + before, at.points + before, behind}, after); });
  at.corners[before_corners] = farthest;
  std::copy_n(behind, after_corners, at.corners + before_corners + 1);
  return before_corners + 1 + after_corners;
}

template <class Loops>
void convex_hull::run(const Loops& by) {
  const std::size_t n = points_.size();
  if (n == 0) return;
  struct ends {
    std::uint32_t first;
    std::uint32_t last;
  };
  const auto outer = [this](ends a, ends b) {
    return ends{is_before(b.first, a.first) ? b.first : a.first, is_before(a.last, b.last) ? b.last : a.last};
  };
  const ends found = by.reduce(
      n, compared_ns_, ends{0, 0},
      [&](std::size_t first, std::size_t last) {
        ends all{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(first)};
        for (std::size_t i = first + 1; i < last; ++i)
          all = outer(all, ends{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i)});
        return all;
      },
      outer);
  corners[0] = found.first;
  corner_count = 1;
  if (points_[found.first] == points_[found.last]) return;  // all are one
  const std::size_t above = keep_left(by, found.first, found.last, all_.data(), n, upper_.data());
  const std::size_t below = keep_left(by, found.last, found.first, all_.data(), n, lower_.data());
  std::size_t above_corners = 0;
  std::size_t below_corners = 0;
  std::uint32_t* const behind = corners.data() + 1 + above + 1;
  by.both(
      [&] {
        above_corners =
            find_between(by, found.first, found.last, {upper_.data(), upper_.data() + n, corners.data() + 1}, above);
      },
      [&] {
        below_corners = find_between(by, found.last, found.first, {lower_.data(), lower_.data() + n, behind}, below);
      });
  corners[1 + above_corners] = found.last;
  std::copy_n(behind, below_corners, corners.data() + 2 + above_corners);
  corner_count = 2 + above_corners + below_corners;
}

void convex_hull::run_serially() { run(alone()); }

template void convex_hull::run(const loops<platform::chosen>&);
template void convex_hull::run(const loops<platform::counted>&);

// Each corner turns to the right, and the way goes around once: to the right up to the rightmost corner, then back.
bool convex_hull::is_convex() const noexcept {
  const std::span<const std::uint32_t> way(corners.data(), corner_count);
  if (way.size() < 3) return way.size() < 2 || is_before(way[0], way[1]);
  std::size_t turns = 0;
  for (std::size_t i = 0; i < way.size(); ++i) {
    const std::uint32_t last = way[(i + way.size() - 1) % way.size()];
    const std::uint32_t next = way[(i + 1) % way.size()];
    if (left_of(last, way[i], next) >= 0) return false;
    if (is_before(last, way[i]) != is_before(way[i], next)) ++turns;
  }
  return turns == 2;
}

std::uint64_t convex_hull::count_right() const {
  if (points_.empty()) return 0;
  if (corner_count == 0 || !is_convex()) return 0;
  const auto begin = corners.begin();
  const auto end = begin + static_cast<std::ptrdiff_t>(corner_count);
  const auto rightmost = std::max_element(begin, end, [this](auto a, auto b) { return is_before(a, b); });
  std::vector<std::uint32_t> above(begin, rightmost + 1);
  std::vector<std::uint32_t> below(rightmost, end);
  below.push_back(*begin);
  std::ranges::reverse(below);
  const auto before = [this](auto a, auto b) { return is_before(a, b); };
  // The two neighbours on a chain between which the point lies; it is outside if there are none.
  const auto is_within = [&](const std::vector<std::uint32_t>& chain, std::uint32_t p, int side) {
    const auto next = std::ranges::upper_bound(chain, p, before);
    if (next == chain.begin()) return false;
    if (next == chain.end()) return points_[chain.back()] == points_[p];
    return side * left_of(*(next - 1), *next, p) <= 0;
  };
  std::uint64_t right = 0;
  for (const std::uint32_t p : all_) right += is_within(above, p, 1) && is_within(below, p, -1) ? 1 : 0;
  return right;
}

}  // namespace leat::kernels::suite
