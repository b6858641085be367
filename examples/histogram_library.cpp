// A library that works in parallel inside, and a program that knows nothing of it: the program makes no runtime, and several of its
// threads call the library at once. All of them share the default runtime.

#include <leat/leat.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

// -- the library

namespace pictures {

using picture = std::vector<std::uint8_t>;
using histogram = std::array<std::size_t, 256>;

histogram brightness(const picture& p) {
  const auto of_block = [&p](leat::block<std::size_t> b, histogram h) {
    for (std::size_t i = b.first(); i != b.last(); ++i) ++h[p[i]];
    return h;
  };
  const auto both = [](histogram a, const histogram& b) {
    std::ranges::transform(a, b, a.begin(), std::plus());
    return a;
  };
  return leat::parallel_reduce(std::size_t{0}, p.size(), histogram{}, of_block, both);
}

// Spreads what there is of brightness evenly, from black to white.
void equalize(picture& p) {
  const histogram h = brightness(p);
  std::array<std::uint8_t, 256> changed{};
  std::size_t darker = 0;
  for (std::size_t v = 0; v != h.size(); ++v) {
    darker += h[v];
    changed[v] = static_cast<std::uint8_t>(darker * 255 / std::max<std::size_t>(p.size(), 1));
  }
  leat::parallel_for_each(p, [&changed](std::uint8_t& pixel) { pixel = changed[pixel]; });
}

}  // namespace pictures

// -- the program

namespace {

// Dark: no pixel is brighter than 63.
pictures::picture dark_picture(std::uint32_t number) {
  pictures::picture p(300'000);
  std::uint32_t x = number + 1;
  for (std::uint8_t& pixel : p) {
    x = x * 1'664'525 + 1'013'904'223;
    pixel = static_cast<std::uint8_t>(x >> 26);
  }
  return p;
}

}  // namespace

int main() {
  constexpr std::uint32_t threads = 3;
  constexpr std::uint32_t pictures_each = 4;
  std::array<std::uint32_t, threads> right{};
  std::array<std::thread, threads> all;
  for (std::uint32_t t = 0; t != threads; ++t) {
    all[t] = std::thread([t, &right] {
      for (std::uint32_t i = 0; i != pictures_each; ++i) {
        pictures::picture p = dark_picture(t * pictures_each + i);
        pictures::equalize(p);
        const pictures::histogram h = pictures::brightness(p);
        const bool whole = std::accumulate(h.begin(), h.end(), std::size_t{0}) == p.size();
        right[t] += whole && h[255] != 0 ? 1 : 0;
      }
    });
  }
  for (std::thread& t : all) t.join();
  const std::uint32_t done = std::accumulate(right.begin(), right.end(), std::uint32_t{0});
  std::printf("%u of %u pictures are bright, by %u workers\n", done, threads * pictures_each,
              leat::default_runtime().workers());
  return done == threads * pictures_each ? 0 : 1;
}
