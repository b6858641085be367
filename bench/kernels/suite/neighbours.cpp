#include "kernels/suite/neighbours.hpp"

#include <leat/platform/counted.hpp>

#include <algorithm>

namespace leat::kernels::suite {

namespace {

constexpr double seen_ns = 15;  // of a node or a point, in worlds

struct nearest_query {
  const std::vector<point>& points;
  std::uint32_t of;
  std::uint32_t found = neighbours::none;
  double squared = space_box::far;

  [[nodiscard]] double limit() const noexcept { return squared; }

  [[nodiscard]] double distance(const space_box& b) const noexcept {
    const point& p = points[of];
    const point beside = {std::max({b.least.x - p.x, p.x - b.most.x, 0.0}),
                          std::max({b.least.y - p.y, p.y - b.most.y, 0.0}),
                          std::max({b.least.z - p.z, p.z - b.most.z, 0.0})};
    return dot(beside, beside);
  }

  void take(std::uint32_t other) noexcept {
    if (other == of) return;
    const point way = points[other] - points[of];
    const double its = dot(way, way);
    if (its < squared) {
      squared = its;
      found = other;
    }
  }
};

}  // namespace

neighbours::neighbours(std::size_t n, cloud c) : nearest(n, none), points_(draw_points(n, c)), tree_(n) {}

void neighbours::restore() { std::ranges::fill(nearest, none); }

void neighbours::run_serially() { run(alone()); }

template <class Loops>
void neighbours::run(const Loops& by) {
  tree_.build(
      by, [this](std::size_t i) { return points_[i]; },
      [this](std::size_t i) { return space_box{points_[i], points_[i]}; });
  // In the order of the tree: what one search has read, the next one needs, too.
  by.blocks(points_.size(), 0, [this](std::size_t first, std::size_t last) {
    std::size_t seen = 0;
    for (std::size_t place = first; place < last; ++place) {
      nearest_query query{points_, tree_.thing(place)};
      // One of those beside it in the order is near, so that few boxes are nearer.
      if (place != 0) query.take(tree_.thing(place - 1));
      if (place + 1 != points_.size()) query.take(tree_.thing(place + 1));
      seen += tree_.search(tree_.root(), query);
      nearest[query.of] = query.found;
    }
    declare(seen_ns, seen);
  });
}

template void neighbours::run(const loops<platform::chosen>&);
template void neighbours::run(const loops<platform::counted>&);

std::uint64_t neighbours::count_right() const {
  const std::size_t n = points_.size();
  std::uint64_t right = 0;
  for (std::size_t i = 0; i < tried(); ++i) {
    nearest_query best{points_, static_cast<std::uint32_t>(i * n / tried())};
    for (std::uint32_t other = 0; other < n; ++other) best.take(other);
    nearest_query its{points_, best.of};
    if (nearest[best.of] < n) its.take(nearest[best.of]);
    right += its.squared == best.squared && its.found == nearest[best.of] ? 1 : 0;
  }
  return right;
}

}  // namespace leat::kernels::suite
