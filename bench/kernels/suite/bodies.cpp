#include "kernels/suite/bodies.hpp"

#include <leat/platform/counted.hpp>

#include <algorithm>
#include <cmath>

namespace leat::kernels::suite {

namespace {

constexpr double pulled_ns = 6;       // by a node or a body, in worlds
constexpr double openness = 0.5;      // of boxes as far as their size over that, the centre is enough
constexpr double softening = 1e-6;    // squared; so bodies at one place do not pull each other
constexpr std::size_t heap_serial_max = 512;

point pull_by(const point& way, double mass) noexcept {
  const double squared = dot(way, way) + softening;
  return mass / (squared * std::sqrt(squared)) * way;
}

double size_of(const space_box& b) noexcept {
  const point sides = b.most - b.least;
  return std::max({sides.x, sides.y, sides.z});
}

}  // namespace

bodies::bodies(std::size_t n, cloud c) : pulls(n), points_(draw_points(n, c)), tree_(n), heaps_(tree_.nodes()) {}

void bodies::restore() { std::ranges::fill(pulls, point()); }

template <class Loops>
void bodies::find_heap(const Loops& by, const box_tree::node& at) {
  heap& its = heaps_[at.number];
  its = heap();
  if (tree_.is_leaf(at)) {
    declare(3, at.last - at.first);
    for (std::size_t place = at.first; place < at.last; ++place) its.centre = its.centre + points_[tree_.thing(place)];
    its.mass = static_cast<double>(at.last - at.first);
    if (its.mass > 0) its.centre = 1 / its.mass * its.centre;
    return;
  }
  if constexpr (Loops::shares) {
    if (at.last - at.first <= heap_serial_max) return find_heap(alone(), at);
  }
  by.both([&] { find_heap(by, at.lower()); }, [&] { find_heap(by, at.upper()); });
  const heap& lower = heaps_[at.lower().number];
  const heap& upper = heaps_[at.upper().number];
  its.mass = lower.mass + upper.mass;
  its.centre = 1 / its.mass * (lower.mass * lower.centre + upper.mass * upper.centre);
}

std::size_t bodies::add_pull(const box_tree::node& at, std::uint32_t of, point& pull) const {
  const point way = heaps_[at.number].centre - points_[of];
  const double size = size_of(tree_.box_of(at));
  if (size * size < openness * openness * dot(way, way)) {
    pull = pull + pull_by(way, heaps_[at.number].mass);
    return 1;
  }
  if (!tree_.is_leaf(at)) return 1 + add_pull(at.lower(), of, pull) + add_pull(at.upper(), of, pull);
  for (std::size_t place = at.first; place < at.last; ++place) {
    pull = pull + pull_by(points_[tree_.thing(place)] - points_[of], 1);
  }
  return at.last - at.first;
}

void bodies::run_serially() { run(alone()); }

template <class Loops>
void bodies::run(const Loops& by) {
  tree_.build(
      by, [this](std::size_t i) { return points_[i]; },
      [this](std::size_t i) { return space_box{points_[i], points_[i]}; });
  find_heap(by, tree_.root());
  by.blocks(points_.size(), 0, [this](std::size_t first, std::size_t last) {
    std::size_t seen = 0;
    for (std::size_t place = first; place < last; ++place) {
      const std::uint32_t body = tree_.thing(place);
      point pull;
      seen += add_pull(tree_.root(), body, pull);
      pulls[body] = pull;
    }
    declare(pulled_ns, seen);
  });
}

template void bodies::run(const loops<platform::chosen>&);
template void bodies::run(const loops<platform::counted>&);

std::uint64_t bodies::count_right() const {
  const std::size_t n = points_.size();
  std::uint64_t right = 0;
  for (std::size_t i = 0; i < tried(); ++i) {
    const std::size_t body = i * n / tried();
    point sum;
    double strength = 0;
    for (const point& other : points_) {
      const point pull = pull_by(other - points_[body], 1);
      sum = sum + pull;
      strength += std::sqrt(dot(pull, pull));
    }
    const point error = pulls[body] - sum;
    right += std::sqrt(dot(error, error)) <= error_max * strength ? 1 : 0;
  }
  return right;
}

}  // namespace leat::kernels::suite
