#include "kernels/quadrature.hpp"

#include "kernels/range.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <vector>

namespace leat::kernels::quadrature {

namespace {

constexpr int area_bits = 60;

struct interval {
  double from;
  double to;
  double height_from;
  double height_to;
  std::uint32_t halvings = 0;
};

double height(const parameters& p, double x) {
  const double away = x - parameters::peak;
  return p.width / (away * away + p.width * p.width);
}

interval whole(const parameters& p) { return {0, 1, height(p, 0), height(p, 1)}; }

// Halves the trapezoid. Two halves are about four times as exact as the whole, so they are off by a third of what they
// differ from it. They are good enough if they differ by their share of the tolerance. The first halvings are not asked: the
// narrowest peak could lie between all points that were looked at.
template <class Emit>
findings refine(const parameters& p, const interval& i, Emit&& emit) {
  constexpr std::uint32_t halvings_min = 10;
  const double length = i.to - i.from;
  const double middle = i.from + length / 2;
  const double height_middle = height(p, middle);
  const double one = length / 2 * (i.height_from + i.height_to);
  const double two = length / 4 * (i.height_from + 2 * height_middle + i.height_to);
  findings found{0, 1};
  const bool exact_enough = i.halvings >= halvings_min && std::abs(two - one) <= p.tolerance * length;
  if (exact_enough || i.halvings == halvings_max) {
    found.area = std::llrint(std::ldexp(two, area_bits));
    return found;
  }
  emit(interval{i.from, middle, i.height_from, height_middle, i.halvings + 1});
  emit(interval{middle, i.to, height_middle, i.height_to, i.halvings + 1});
  return found;
}

}  // namespace

void parameters::validate() const {
  check_range("--tolerance", tolerance, tolerance_min, 0.1);
  check_range("--width", width, width_min, 1.0);
}

double parameters::exact() const noexcept { return std::atan((1 - peak) / width) + std::atan(peak / width); }

double findings::integral() const noexcept { return std::ldexp(static_cast<double>(area), -area_bits); }

findings integrate_serially(const parameters& p) {
  findings found;
  std::vector<interval> left{whole(p)};
  while (!left.empty()) {
    const interval i = left.back();
    left.pop_back();
    found = found + refine(p, i, [&left](const interval& half) { left.push_back(half); });
  }
  return found;
}

findings integrate_on_cluster(cluster& on, const parameters& p, const snapshots& keep) {
  const auto expand = [&p](const interval& i, const auto& emit) { return refine(p, i, emit); };
  return on.run(std::array{whole(p)}, findings{}, expand, std::plus<>{}, keep);
}

}  // namespace leat::kernels::quadrature
