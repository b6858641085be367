// How long is the longest text that is a part of two others, with letters left out? The table of the classic algorithm is
// cut into blocks. Each block needs the one above and the one to the left: a graph, which runs for one pair of texts after another.

#include <leat/leat.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr std::size_t length = 2000;
constexpr std::size_t block = 100;
constexpr std::size_t blocks = length / block;
constexpr int pairs = 5;

class table {
 public:
  std::string a, b;

  // Fills the cells of a block from those around it.
  void fill(std::size_t block_row, std::size_t block_column) {
    for (std::size_t i = block_row * block; i != (block_row + 1) * block; ++i) {
      for (std::size_t j = block_column * block; j != (block_column + 1) * block; ++j)
        at(i + 1, j + 1) = a[i] == b[j] ? at(i, j) + 1 : std::max(at(i, j + 1), at(i + 1, j));
    }
  }

  int answer() { return at(length, length); }
  void clear() { std::fill(cells_.begin(), cells_.end(), 0); }

 private:
  int& at(std::size_t i, std::size_t j) { return cells_[i * (length + 1) + j]; }

  std::vector<int> cells_ = std::vector<int>((length + 1) * (length + 1));
};

std::string drawn(std::mt19937& draw) {
  std::string text(length, ' ');
  for (char& c : text) c = "ACGT"[draw() % 4];
  return text;
}

}  // namespace

int main() {
  table t;
  leat::graph g;
  std::vector<leat::graph::node> nodes;
  for (std::size_t i = 0; i != blocks; ++i) {
    for (std::size_t j = 0; j != blocks; ++j) {
      auto node = g.add([&t, i, j] { t.fill(i, j); });
      if (i != 0) node.succeed(nodes[(i - 1) * blocks + j]);
      if (j != 0) node.succeed(nodes.back());
      nodes.push_back(node);
    }
  }

  leat::runtime rt;
  std::mt19937 draw(1);
  bool right = true;
  for (int pair = 0; pair != pairs; ++pair) {
    t.a = drawn(draw);
    t.b = drawn(draw);
    rt.run([&] { g.run(); });
    const int found = t.answer();
    t.clear();
    for (std::size_t i = 0; i != blocks; ++i) {
      for (std::size_t j = 0; j != blocks; ++j) t.fill(i, j);
    }
    std::printf("%d of %zu letters in common\n", found, length);
    right = right && found == t.answer();
  }
  return right ? 0 : 1;
}
