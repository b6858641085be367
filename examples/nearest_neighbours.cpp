// Finds the nearest neighbours of each of many points. Forks build a k-d tree: each step divides a range of points at its median, and both
// halves may be built at once. A parallel loop then asks the tree about each point.
//
// nearest_neighbours [POINTS [NEIGHBOURS [SEED]]]

#include <leat/leat.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr std::int64_t side = 1 << 20;  // of the square that all points are in

// Whole numbers, so that distances are exact: the order of the neighbours is the same however it is found.
struct point {
  std::array<std::int64_t, 2> at;
  std::uint32_t number;
  auto operator<=>(const point&) const = default;
};

struct neighbour {
  std::int64_t squared_distance = std::numeric_limits<std::int64_t>::max();
  std::uint32_t number = 0;
  auto operator<=>(const neighbour&) const = default;
};

std::int64_t squared(std::int64_t x) { return x * x; }

// `nearest` has the points that are nearest to `of`, in order. Puts `p` in its place there, and drops the last one.
void offer(std::span<neighbour> nearest, const point& of, const point& p) {
  const neighbour one{squared(of.at[0] - p.at[0]) + squared(of.at[1] - p.at[1]), p.number};
  if (p.number == of.number || one > nearest.back()) return;
  std::size_t i = nearest.size() - 1;
  for (; i != 0 && one < nearest[i - 1]; --i) nearest[i] = nearest[i - 1];
  nearest[i] = one;
}

// A range of at most `leaf` points has no order. In a larger one the middle point has a median x: no point before it has a larger x, and
// no point behind it a smaller one. The two halves are divided by y, their halves by x, and so on.
class tree {
 public:
  explicit tree(std::vector<point> points) : points_(std::move(points)) {}

  void build_serially() { build_serially(points_, 0); }
  void build() { build(points_, 0); }
  void find(const point& of, std::span<neighbour> nearest) const { find(points_, 0, of, nearest); }
  const std::vector<point>& points() const { return points_; }

 private:
  static constexpr std::size_t leaf = 12;

  static void divide(std::span<point> range, std::size_t axis) {
    std::ranges::nth_element(range, range.begin() + static_cast<std::ptrdiff_t>(range.size() / 2), {},
                             [axis](const point& p) { return p.at[axis]; });
  }

  static void build_serially(std::span<point> range, std::size_t axis) {
    if (range.size() <= leaf) return;
    divide(range, axis);
    build_serially(range.first(range.size() / 2), 1 - axis);
    build_serially(range.subspan(range.size() / 2 + 1), 1 - axis);
  }

  static void build(std::span<point> range, std::size_t axis) {
    if (range.size() <= leaf) return;
    divide(range, axis);
    leat::fork_join([=] { build(range.first(range.size() / 2), 1 - axis); },
                    [=] { build(range.subspan(range.size() / 2 + 1), 1 - axis); });
  }

  static void find(std::span<const point> range, std::size_t axis, const point& of, std::span<neighbour> nearest) {
    if (range.size() <= leaf) {
      for (const point& p : range) offer(nearest, of, p);
      return;
    }
    const std::size_t middle = range.size() / 2;
    const std::int64_t across = of.at[axis] - range[middle].at[axis];
    const auto before = range.first(middle), behind = range.subspan(middle + 1);
    find(across < 0 ? before : behind, 1 - axis, of, nearest);
    offer(nearest, of, range[middle]);
    if (squared(across) <= nearest.back().squared_distance) find(across < 0 ? behind : before, 1 - axis, of, nearest);
  }

  std::vector<point> points_;
};

// A galaxy with two arms, in a thin cloud.
std::vector<point> drawn_points(std::uint32_t count, std::uint32_t seed) {
  std::mt19937 draw(seed);
  const auto part = [&draw] { return static_cast<double>(draw()) / 4294967296.0; };
  std::vector<point> points;
  for (std::uint32_t i = 0; i != count; ++i) {
    double x = part(), y = part();
    if (i % 8 != 0) {
      const double out = part(), turn = 6 * out + (i % 2 == 0 ? 3.14159265358979 : 0), blur = 0.12 * part() * part();
      x = 0.5 + 0.4 * out * std::cos(turn) + blur * (x - 0.5) * 4;
      y = 0.5 + 0.4 * out * std::sin(turn) + blur * (y - 0.5) * 4;
    }
    points.push_back({{std::llround(x * side), std::llround(y * side)}, i});
  }
  return points;
}

// How far the last neighbour is, in the mean of each cell: the nearer, the denser the points, and the darker the character.
void draw(const std::vector<point>& points, const std::vector<neighbour>& found, std::size_t k) {
  constexpr std::int64_t columns = 64, rows = 28;
  std::array<double, columns * rows> sums{}, counts{};
  for (std::size_t i = 0; i != points.size(); ++i) {
    const auto cell = std::clamp(points[i].at[1] * rows / side, std::int64_t{0}, rows - 1) * columns +
                      std::clamp(points[i].at[0] * columns / side, std::int64_t{0}, columns - 1);
    sums[static_cast<std::size_t>(cell)] += std::sqrt(static_cast<double>(found[i * k + k - 1].squared_distance));
    counts[static_cast<std::size_t>(cell)] += 1;
  }
  const double even = side * std::sqrt(static_cast<double>(k) / (3.14 * static_cast<double>(points.size())));
  for (std::size_t cell = 0; cell != sums.size(); ++cell) {
    const double denser = counts[cell] == 0 ? 0 : even * counts[cell] / std::max(sums[cell], 1.0);
    std::putchar(" .:-=+*#%@"[static_cast<std::size_t>(std::clamp(4 * denser - 1.5, 0.0, 9.0))]);
    if (cell % columns == columns - 1) std::putchar('\n');
  }
}

// Without a tree.
bool is_nearest(const std::vector<point>& points, std::size_t of, std::span<const neighbour> found) {
  std::vector<neighbour> nearest(found.size());
  for (const point& p : points) offer(nearest, points[of], p);
  return std::ranges::equal(nearest, found);
}

std::uint32_t number(const std::string& name, const char* text, std::uint32_t least, std::uint32_t most) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error == std::errc() && *end == '\0' && value >= least && value <= most) return value;
  throw std::invalid_argument(name + " '" + text + "' is not a number from " + std::to_string(least) + " to " +
                              std::to_string(most));
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void print(const char* step, double serial, double parallel) {
  std::printf("%-6s  %8.3f  %10.3f  %5.2f\n", step, serial, parallel, serial / parallel);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 4) throw std::invalid_argument(std::string("one argument too many: '") + argv[4] + "'");
  const std::uint32_t count = argc > 1 ? number("POINTS", argv[1], 2, 2'000'000) : 60'000;
  const std::size_t k = argc > 2 ? number("NEIGHBOURS", argv[2], 1, std::min(count - 1, 32U)) : std::min(count - 1, 8U);
  const std::vector<point> points = drawn_points(count, argc > 3 ? number("SEED", argv[3], 0, 4'294'967'295U) : 1);
  leat::runtime rt;
  tree one(points), two(points);
  std::vector<neighbour> found_one(count * k), found_two(count * k);

  // In the order of the tree, points that follow each other have most of their paths in common.
  const auto find = [k](const tree& t, std::size_t i, std::vector<neighbour>& found) {
    const point& p = t.points()[i];
    t.find(p, std::span(found).subspan(p.number * k, k));
  };
  const double begin = now();
  one.build_serially();
  const double built = now();
  for (std::size_t i = 0; i != count; ++i) find(one, i, found_one);
  const double middle = now();
  rt.run([&] { two.build(); });
  const double built_again = now();
  rt.run(
      [&] { leat::parallel_for(std::size_t{0}, std::size_t{count}, [&](std::size_t i) { find(two, i, found_two); }); });
  const double end = now();

  bool right = one.points() == two.points() && found_one == found_two;
  for (std::size_t i = 0; i < count; i += count / 8 + 1)
    right = right && is_nearest(points, i, std::span(found_two).subspan(i * k, k));
  draw(points, found_two, k);
  std::printf("%u points, %zu neighbours each, %u workers; serial, parallel and exhaustive search %s\n", count, k,
              rt.workers(), right ? "agree" : "DISAGREE");
  std::printf("        serial s  parallel s  ratio\n");
  print("build", built - begin, built_again - middle);
  print("find", middle - built, end - built_again);
  print("both", middle - begin, end - middle);
  return right ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "nearest_neighbours [POINTS [NEIGHBOURS [SEED]]]: %s\n", e.what());
  return 2;
}
