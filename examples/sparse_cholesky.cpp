// How far does a square membrane sag, alone and on springs? A sparse Cholesky factorisation in tiles. Which tiles are
// not zero, and which need which, depends on the grid alone. So one leat::graph runs for one matrix after another.

#include <leat/leat.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <map>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

namespace {

using std::size_t;
constexpr size_t width = 32;  // of a tile; a constant, so that the inner loops have a known length

struct tile {
  std::array<double, width * width> cells{};  // column by column
  const tile* diagonal = nullptr;  // of the same column
  std::vector<std::pair<const tile*, const tile*>> products = {};  // left * right^T is subtracted, in this order
  leat::graph::node node = {};

  double& at(size_t i, size_t j) { return cells[j * width + i]; }
  double at(size_t i, size_t j) const { return cells[j * width + i]; }

  // Turns a tile of the matrix into that of the factor. The tiles of the products, and the diagonal one, must be done.
  void factor() {
    const auto subtract = [this](size_t j, double number, const tile& of, size_t k) {
      double* const mine = &cells[j * width];
      const double* const other = &of.cells[k * width];
      for (size_t i = 0; i != width; ++i) mine[i] -= number * other[i];
    };
    for (const auto& [left, right] : products) {
      for (size_t j = 0; j != width; ++j) {
        for (size_t k = 0; k != width; ++k) subtract(j, right->at(j, k), *left, k);
      }
    }
    for (size_t j = 0; j != width; ++j) {
      for (size_t k = 0; k != j; ++k) subtract(j, diagonal->at(j, k), *this, k);
      const double pivot = diagonal == this ? std::sqrt(at(j, j)) : diagonal->at(j, j);
      for (size_t i = 0; i != width; ++i) at(i, j) /= pivot;
    }
  }
};

// The lower half of the matrix of the 5-point stencil on side * side points; then, in the same tiles, its factor.
class grid_matrix {
 public:
  std::map<std::pair<size_t, size_t>, tile> tiles;  // by column and row; each comes after all that it needs
  std::vector<size_t> places;  // of each point, in the matrix
  size_t size = 0;  // of the matrix, which also has places without a point

  // Two tiles of a column have a product, which belongs to the tile of their rows. So each tile of the factor is found.
  explicit grid_matrix(size_t side) : places(side * side), side_(side) {
    dissect(0, 0, side, side);
    for_each_element([this](size_t i, size_t j) { tiles[{j / width, i / width}]; });
    for (auto right = tiles.begin(); right != tiles.end(); ++right) {
      const auto [column, row] = right->first;
      right->second.diagonal = &tiles.at({column, column});
      if (row == column) continue;
      for (auto left = right; left != tiles.end() && left->first.first == column; ++left)
        tiles[{row, left->first.second}].products.emplace_back(&left->second, &right->second);
    }
  }

  void fill(double diagonal) {
    for (auto& [at, t] : tiles) {
      t.cells.fill(0);
      for (size_t i = 0; i != width && at.first == at.second; ++i) t.at(i, i) = 1;
    }
    for_each_element([&](size_t i, size_t j) {
      tiles.at({j / width, i / width}).at(i % width, j % width) = i == j ? diagonal : -1;
    });
  }

  // Solves factor * factor^T * x = load: from the first tile to the last, and back.
  std::vector<double> solve(std::vector<double> x) const {
    for (const auto& [at, t] : tiles) {
      double *const above = &x[at.first * width], *const below = &x[at.second * width];
      for (size_t j = 0; j != width; ++j) {
        if (above == below) above[j] /= t.at(j, j);
        for (size_t i = above == below ? j + 1 : 0; i != width; ++i) below[i] -= t.at(i, j) * above[j];
      }
    }
    for (auto it = tiles.rbegin(); it != tiles.rend(); ++it) {
      double *const above = &x[it->first.first * width], *const below = &x[it->first.second * width];
      for (size_t j = width; j-- != 0;) {
        for (size_t i = above == below ? j + 1 : 0; i != width; ++i) above[j] -= it->second.at(i, j) * below[i];
        if (above == below) above[j] /= it->second.at(j, j);
      }
    }
    return x;
  }

  // The largest element of load - matrix * x.
  double residual(double diagonal, const std::vector<double>& x, std::vector<double> load) const {
    for_each_element([&](size_t i, size_t j) {
      load[i] -= (i == j ? diagonal : -1) * x[j];
      if (i != j) load[j] += x[i];
    });
    return std::max(std::ranges::max(load), -std::ranges::min(load));
  }

 private:
  // Nested dissection: a line of points comes after the two sides that it divides, which then do not need each other.
  void dissect(size_t x, size_t y, size_t across, size_t down) {
    const size_t half = std::max(across, down) / 2;
    if (across * down <= width) {
      number(x, y, across, down);
    } else if (across >= down) {
      dissect(x, y, half, down);
      dissect(x + half + 1, y, across - half - 1, down);
      number(x + half, y, 1, down);
    } else {
      dissect(x, y, across, half);
      dissect(x, y + half + 1, across, down - half - 1);
      number(x, y + half, across, 1);
    }
  }

  // Gives the points of a rectangle their places, from the beginning of a tile.
  void number(size_t x, size_t y, size_t across, size_t down) {
    for (size_t i = 0; i != across * down; ++i) places[(y + i / across) * side_ + x + i % across] = size + i;
    size += (across * down + width - 1) / width * width;
  }

  // f(row, column) for each element of the lower half that is not zero.
  template <class F>
  void for_each_element(F f) const {
    const auto with = [&](size_t a, size_t b) { f(std::max(places[a], places[b]), std::min(places[a], places[b])); };
    for (size_t point = 0; point != places.size(); ++point) {
      with(point, point);
      if (point % side_ != 0) with(point, point - 1);
      if (point >= side_) with(point, point - side_);
    }
  }

  size_t side_;
};

template <class F>
double seconds_of(F f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

bool factorise(size_t side) {
  grid_matrix m(side);
  leat::graph g;
  for (auto& [at, t] : m.tiles) {
    t.node = g.add([&t] { t.factor(); });
    if (t.diagonal != &t) t.node.succeed(t.diagonal->node);
    for (const auto& [left, right] : t.products) t.node.succeed(left->node, right->node);
  }
  std::printf("%zu points, a graph of %zu tiles and %zu edges\n", side * side, g.size(), g.edges());
  std::printf("%8s %10s %10s %6s %10s %10s\n", "springs", "serial s", "parallel s", "ratio", "residual", "deepest");
  const double h = 1 / static_cast<double>(side + 1);
  std::vector<double> load(m.size);
  for (const size_t place : m.places) load[place] = h * h;
  bool right = true;
  for (const double springs : {0.0, 100.0}) {
    const double diagonal = 4 + springs * h * h;
    m.fill(diagonal);
    const double serial = seconds_of([&m] { std::ranges::for_each(m.tiles | std::views::values, &tile::factor); });
    std::vector<std::array<double, width * width>> expected;
    for (const auto& [at, t] : m.tiles) expected.push_back(t.cells);
    m.fill(diagonal);
    const double parallel = seconds_of([&g] { g.run(); });  // the second time it allocates nothing
    const bool equal =
        std::ranges::equal(m.tiles, expected, {}, [](const auto& t) -> const auto& { return t.second.cells; });
    const std::vector<double> x = m.solve(load);
    const double deepest = std::ranges::max(x), residual = m.residual(diagonal, x, load) / (8 * deepest + h * h);
    std::printf("%8.0f %10.3f %10.3f %6.2f %10.1e %10.5f\n", springs, serial, parallel, serial / parallel, residual,
                deepest);
    right = right && equal && residual < 1e-12;
  }
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string text = argc < 2 ? "95" : argv[argc - 1];
  size_t side = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), side);
  if (argc > 2 || error != std::errc{} || end != text.data() + text.size() || side < 1 || side > 2047) {
    std::fprintf(stderr, "sparse_cholesky: SIDE is '%s', not one whole number from 1 to 2047\n", text.c_str());
    return 2;
  }
  return factorise(side) ? 0 : 1;
}
