// The shortest tour through some cities, exactly, by branch and bound. Each fork tries a city as the next one of a path, beside all other
// cities. All tasks read the length of the best tour so far, and give up a path that cannot be shorter. No cut-off is needed.
//
// travelling_salesman [CITIES [SEED]]

#include <leat/leat.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <limits>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>

namespace {

constexpr std::size_t cities_max = 26;  // as many as letters
constexpr int map_width = 70, map_height = 20;

using lengths = std::array<int, cities_max>;

struct map {
  std::size_t cities;
  std::array<std::pair<int, int>, cities_max> at{};
  std::array<lengths, cities_max> between{};
};

// The cities in order of the visit, then those that are left.
struct path {
  std::array<unsigned char, cities_max> order{};
  std::size_t visited = 1;
  int length = 0;
};

map drawn_map(std::size_t cities, unsigned seed) {
  map m{cities};
  std::mt19937 draw(seed);
  for (std::size_t i = 0; i != cities; ++i)
    m.at[i] = {static_cast<int>(draw() % map_width), static_cast<int>(draw() % map_height)};
  for (std::size_t i = 0; i != cities; ++i) {
    for (std::size_t j = 0; j != cities; ++j) {
      // Whole numbers, whose sums are the same in any order. A row of characters is as high as two are wide.
      const auto [x, y] = std::pair(m.at[i].first - m.at[j].first, 2 * (m.at[i].second - m.at[j].second));
      m.between[i][j] = static_cast<int>(std::lround(100 * std::hypot(x, y)));
    }
  }
  return m;
}

path extended(const map& m, path p, std::size_t next) {
  p.length += m.between[p.order[p.visited - 1]][p.order[next]];
  std::swap(p.order[p.visited], p.order[next]);
  ++p.visited;
  return p;
}

// No tour that begins with this path is shorter. The way from the path's end through the cities that are left to the start joins them
// all, so it is no shorter than their least tree, which Prim's algorithm finds. With no city left that tree is the way home.
int bound(const map& m, const path& p) {
  auto outside = p.order;  // of the tree: the cities that are left and, where the end of the path was, the start
  outside[p.visited - 1] = p.order[0];
  lengths distance{};
  for (std::size_t i = p.visited - 1; i != m.cities; ++i) distance[i] = m.between[p.order[p.visited - 1]][outside[i]];
  int sum = p.length;
  for (std::size_t end = m.cities; end != p.visited - 1; --end) {
    std::size_t nearest = p.visited - 1;
    for (std::size_t i = nearest; i != end; ++i) nearest = distance[i] < distance[nearest] ? i : nearest;
    const lengths& from = m.between[outside[nearest]];
    sum += distance[nearest];
    outside[nearest] = outside[end - 1];
    distance[nearest] = distance[end - 1];
    for (std::size_t i = p.visited - 1; i != end - 1; ++i) distance[i] = std::min(distance[i], from[outside[i]]);
  }
  return sum;
}

// The best tour so far. Every task reads its length; one that reads an old length only prunes less.
class shortest {
 public:
  int length() const { return length_.load(std::memory_order_relaxed); }
  const path& tour() const { return tour_; }

  void offer(const path& tour, int length) {
    const std::lock_guard<std::mutex> one(mutex_);
    if (length >= length_) return;
    length_ = length;
    tour_ = tour;
  }

 private:
  std::atomic<int> length_{std::numeric_limits<int>::max()};
  std::mutex mutex_;
  path tour_;
};

// Whether the search is to go on from here. If so, it sorts the cities that are left, the nearest first, to find short tours early.
bool goes_on(const map& m, path& p, shortest& s) {
  const int least = bound(m, p);
  if (least >= s.length()) return false;
  if (p.visited == m.cities) s.offer(p, least);
  const lengths& from = m.between[p.order[p.visited - 1]];
  std::sort(p.order.data() + p.visited, p.order.data() + m.cities, [&](auto a, auto b) { return from[a] < from[b]; });
  return p.visited != m.cities;
}

// Both searches return the number of paths that they have seen.
long search_serially(const map& m, path p, shortest& s) {
  long seen = 1;
  const bool on = goes_on(m, p, s);
  for (std::size_t next = p.visited; on && next != m.cities; ++next)
    seen += search_serially(m, extended(m, p, next), s);
  return seen;
}

long search(const map& m, path p, shortest& s);

// A thief takes the last callable: all cities that are left to try.
long search_from(const map& m, const path& p, std::size_t next, shortest& s) {
  if (next == m.cities) return 0;
  const auto [one, others] = leat::fork_join([&] { return search(m, extended(m, p, next), s); },
                                             [&] { return search_from(m, p, next + 1, s); });
  return one + others;
}

long search(const map& m, path p, shortest& s) { return 1 + (goes_on(m, p, s) ? search_from(m, p, p.visited, s) : 0); }

// The length of the whole tour; -1 if it does not visit each city once.
int measured(const map& m, const path& tour) {
  std::array<bool, cities_max> seen{};
  int length = 0;
  for (std::size_t i = 0; i != m.cities; ++i) {
    if (std::exchange(seen[tour.order[i]], true)) return -1;
    length += m.between[tour.order[i]][tour.order[(i + 1) % m.cities]];
  }
  return length;
}

void draw(const map& m, const path& tour) {
  std::string text;
  for (int y = 0; y != map_height; ++y) text += std::string(map_width, ' ') + '\n';
  const auto cell = [&](int x, int y) -> char& { return text[static_cast<std::size_t>(y * (map_width + 1) + x)]; };
  for (std::size_t i = 0; i != m.cities; ++i) {
    const auto [x, y] = m.at[tour.order[i]];
    const auto [to_x, to_y] = m.at[tour.order[(i + 1) % m.cities]];
    for (int step = 0; step != map_width; ++step)
      cell(x + (to_x - x) * step / map_width, y + (to_y - y) * step / map_width) = '.';
  }
  for (std::size_t i = 0; i != m.cities; ++i)
    cell(m.at[tour.order[i]].first, m.at[tour.order[i]].second) = static_cast<char>('A' + i);
  std::fputs(text.c_str(), stdout);
}

unsigned number(const std::string& name, const char* text, unsigned least, unsigned most) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error == std::errc() && *end == '\0' && value >= least && value <= most) return value;
  throw std::invalid_argument(name + " '" + text + "' is not a number from " + std::to_string(least) + " to " +
                              std::to_string(most));
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 3) throw std::invalid_argument(std::string("one argument too many: '") + argv[3] + "'");
  const unsigned cities = argc > 1 ? number("CITIES", argv[1], 2, cities_max) : 20;
  const map m = drawn_map(cities, argc > 2 ? number("SEED", argv[2], 0, 999'999'999) : 1);
  path start;
  for (unsigned i = 0; i != cities; ++i) start.order[i] = static_cast<unsigned char>(i);

  leat::runtime rt;
  shortest alone, together;
  const double begin = now();
  const long seen_alone = search_serially(m, start, alone);
  const double middle = now();
  const long seen_together = rt.run([&] { return search(m, start, together); });
  const double serial = middle - begin, parallel = now() - middle;

  draw(m, together.tour());
  const bool right = together.length() == alone.length() && measured(m, together.tour()) == alone.length();
  std::printf("%u cities, tour of %.2f; serial search %.2f: %s\n", cities, together.length() / 100.0,
              alone.length() / 100.0, right ? "equal" : "NOT equal");
  std::printf(
      "workers  serial s  parallel s  ratio  paths serial    parallel\n%7u  %8.3f  %10.3f  %5.2f  %12ld %11ld\n",
      rt.workers(), serial, parallel, serial / parallel, seen_alone, seen_together);
  return right ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "travelling_salesman [CITIES [SEED]]: %s\n", e.what());
  return 2;
}
