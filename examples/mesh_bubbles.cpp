// A mesh of squares is refined where a function is steep, by user-level threads that meet at a barrier between steps. Each thread has
// a part of the mesh. Four neighbouring parts share a bubble, and the four bubbles lie in one. Link leat::threads.
// Usage: mesh_bubbles [HALVINGS [PERCENT]]: how often a square may be halved, and how steep the function may be inside one.

#include <leat/bubble.hpp>
#include <leat/leat.hpp>
#include <leat/thread.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string_view>
#include <system_error>
#include <vector>

namespace {

constexpr std::size_t coarse = 8;  // squares in a row of the mesh to begin with

struct square {
  std::size_t x, y, size;  // in pixels, which are the smallest squares
  bool flat = false;  // the function was found not to be steep here
};

square quarter(const square& s, std::size_t q) {
  const std::size_t half = s.size / 2;
  return {s.x + q % 2 * half, s.y + q / 2 * half, half};
}

// The size of the square around each pixel. Parts read what their neighbours have written, but only behind a barrier.
struct mesh {
  std::size_t side;
  double steep;  // the difference of heights from which on a square is halved
  std::vector<unsigned> size = std::vector<unsigned>(side * side);

  void paint(const square& s) {
    for (std::size_t y = s.y; y != s.y + s.size; ++y)
      std::fill_n(&size[y * side + s.x], s.size, static_cast<unsigned>(s.size));
  }
  bool operator==(const mesh&) const = default;
};

// A cliff along a circle, and a gentler one along a wave.
double height(double x, double y) {
  return std::tanh(60 * (std::hypot(x - 0.6, y - 0.5) - 0.3)) + std::tanh(25 * (y - 0.2 - 0.1 * std::sin(9 * x)));
}

bool is_steep(const square& s, const mesh& m) {
  constexpr std::size_t gaps = 5;  // between samples in a row
  const double scale = 1 / static_cast<double>(gaps * m.side);
  double least = 2, most = -2;
  for (std::size_t i = 0; i <= gaps; ++i) {
    for (std::size_t j = 0; j <= gaps; ++j) {
      const auto x = static_cast<double>(s.x * gaps + s.size * j), y = static_cast<double>(s.y * gaps + s.size * i);
      const double h = height(x * scale, y * scale);
      least = std::min(least, h);
      most = std::max(most, h);
    }
  }
  return most - least > m.steep;
}

// Whether a square beside this one has less than half its size. This one is halved then, also where the other is of another part.
bool is_too_large(const square& s, const mesh& m) {
  const auto small = [&](std::size_t x, std::size_t y) {  // outside of the mesh, also before 0, there is none
    return x < m.side && y < m.side && m.size[y * m.side + x] < s.size / 2;
  };
  for (std::size_t i = 0; i != s.size; ++i) {
    if (small(s.x + i, s.y - 1) || small(s.x + i, s.y + s.size)) return true;
    if (small(s.x - 1, s.y + i) || small(s.x + s.size, s.y + i)) return true;
  }
  return false;
}

struct part {
  mesh& m;
  std::vector<square> squares = {}, chosen = {};

  void cover(const square& area) {
    const std::size_t size = m.side / coarse;
    for (std::size_t y = area.y; y != area.y + area.size; y += size)
      for (std::size_t x = area.x; x != area.x + area.size; x += size)
        m.paint(squares.emplace_back(square{x, y, size}));
  }

  // Chooses the squares to be halved. Reads of the mesh what lies around this part, too.
  std::size_t choose() {
    const auto stays = [this](square& s) {
      if (s.size == 1) return true;
      if (!s.flat && is_steep(s, m)) return false;
      s.flat = true;
      return !is_too_large(s, m);
    };
    const auto first = std::partition(squares.begin(), squares.end(), stays);
    chosen.assign(first, squares.end());
    squares.erase(first, squares.end());
    return chosen.size();
  }

  // Writes only what lies in this part.
  void halve() {
    for (const square& s : chosen)
      for (std::size_t q = 0; q != 4; ++q) m.paint(squares.emplace_back(quarter(s, q)));
  }
};

std::size_t refine_alone(mesh& m) {
  part whole{m};
  whole.cover({0, 0, m.side});
  while (whole.choose() != 0) whole.halve();
  return whole.squares.size();
}

std::size_t refine_together(mesh& m) {  // called by run_threads
  std::vector<part> parts(16, part{m});
  leat::thread_barrier meet(parts.size());
  std::atomic<std::size_t> chosen = 0;  // by all parts, in all steps

  // No part reads the mesh while another writes it. The sum grows only before a step's first barrier: all read the same behind it.
  const auto refine = [&](part& p) {
    for (std::size_t before = 0;; p.halve(), meet.arrive_and_wait()) {
      chosen += p.choose();
      meet.arrive_and_wait();
      const std::size_t now = chosen;
      if (now == before) return;
      before = now;
    }
  };

  leat::bubble whole;
  std::array<leat::bubble, 4> quarters;
  for (std::size_t i = 0; i != parts.size(); ++i) {
    parts[i].cover(quarter(quarter({0, 0, m.side}, i / 4), i % 4));
    quarters[i / 4].spawn([&refine, &p = parts[i]] { refine(p); });
  }
  for (leat::bubble& b : quarters) whole.insert(b);
  whole.wake();
  whole.join();
  return std::accumulate(parts.begin(), parts.end(), std::size_t{0},
                         [](std::size_t sum, const part& p) { return sum + p.squares.size(); });
}

// A character shows the smallest square in its place, which is twice as high as wide.
void draw(const mesh& m) {
  const std::size_t wide = std::max<std::size_t>(m.side / 64, 1);
  for (std::size_t top = 0; top != m.side; top += 2 * wide) {
    for (std::size_t left = 0; left != m.side; left += wide) {
      unsigned least = m.size[top * m.side + left];
      for (std::size_t i = 0; i != 2 * wide * wide; ++i)
        least = std::min(least, m.size[(top + i / wide) * m.side + left + i % wide]);
      std::putchar("@#*=:. "[std::min(std::countr_zero(least), 6)]);
    }
    std::putchar('\n');
  }
}

std::size_t number_in(std::string_view text, const char* name, std::size_t least, std::size_t most) {
  std::size_t n = 0;
  const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error == std::errc() && last == text.data() + text.size() && n >= least && n <= most) return n;
  std::fprintf(stderr, "mesh_bubbles: %s must be from %zu to %zu, not \"%s\"\n", name, least, most, text.data());
  std::exit(2);
}

template <class F>
double seconds_of(F f) {
  const auto begun = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 3) return std::fprintf(stderr, "mesh_bubbles: \"%s\" is one argument too many\n", argv[3]), 2;
  const std::size_t side = coarse << (argc > 1 ? number_in(argv[1], "HALVINGS", 0, 9) : 7);
  const double steep = 1e-2 * static_cast<double>(argc > 2 ? number_in(argv[2], "PERCENT", 1, 400) : 10);

  mesh alone{side, steep}, together{side, steep};
  std::size_t squares_alone = 0, squares = 0;
  const double serial = seconds_of([&] { squares_alone = refine_alone(alone); });
  leat::runtime rt({.scheduler = "channel"});  // which carries user-level threads
  const auto refine = [&] { squares = refine_together(together); };
  const double parallel = seconds_of([&] { rt.run([&] { leat::run_threads(refine); }); });

  draw(together);
  std::printf("%zu squares in a mesh of %zu x %zu pixels, 16 threads, %u workers\n", squares, side, side, rt.workers());
  std::printf("serial s  parallel s  ratio\n%8.3f %11.3f %6.2f\n", serial, parallel, serial / parallel);
  const bool equal = squares == squares_alone && together == alone;
  if (!equal) std::fprintf(stderr, "mesh_bubbles: the two meshes differ\n");
  return equal ? 0 : 1;
}
