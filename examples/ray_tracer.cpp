// Traces rays to render spheres over a chequered floor. A parallel loop renders the rows of the picture, and a bar on the terminal shows
// how many are done. Rows differ in cost, as rays bounce between mirrors; the loop needs no grain size.
//
// ray_tracer [WIDTH [HEIGHT [FILE.ppm]]]: without a file the picture is printed in characters.

#include <leat/leat.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace {

struct vec {
  double x = 0, y = 0, z = 0;
};
vec operator+(vec a, vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
vec operator-(vec a, vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
vec operator*(double s, vec a) { return {s * a.x, s * a.y, s * a.z}; }
double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
vec unit(vec a) { return 1 / std::sqrt(dot(a, a)) * a; }

struct sphere {
  vec centre;
  double radius;
  vec colour;
  double mirror;  // the part of the light that it reflects as a mirror does
};

struct hit {
  double distance = INFINITY;
  vec normal, colour;
  double mirror = 0;
};

std::vector<sphere> make_scene() {
  std::vector<sphere> all = {{{0, 1.3, 0}, 1.3, {0.9, 0.9, 0.9}, 0.8}};
  for (int i = 0; i != 10; ++i) {
    const double turn = 0.2 * 3.14159265358979 * i, x = std::cos(turn), z = std::sin(turn);
    all.push_back({{2.4 * x, 0.5, 2.4 * z}, 0.5, {0.5 + 0.4 * x, 0.5 + 0.4 * z, 0.5}, i % 2 == 0 ? 0.1 : 0.5});
  }
  return all;
}

hit first_hit(const std::vector<sphere>& scene, vec from, vec along) {
  constexpr double nearest = 1e-6;  // a ray does not hit what it starts from
  hit first;
  const vec floor = from - from.y / along.y * along;
  if (-from.y / along.y > nearest && dot(floor, floor) < 25) {
    const bool dark = std::fmod(std::floor(floor.x) + std::floor(floor.z), 2) != 0;
    first = {-from.y / along.y, {0, 1, 0}, dark ? vec{0.1, 0.1, 0.1} : vec{0.9, 0.9, 0.8}, 0.1};
  }
  for (const sphere& s : scene) {
    const vec to = s.centre - from;
    const double half = dot(to, along), square = half * half - dot(to, to) + s.radius * s.radius;
    const double distance = square < 0 ? INFINITY : half - std::sqrt(square);
    if (distance > nearest && distance < first.distance)
      first = {distance, unit(from + distance * along - s.centre), s.colour, s.mirror};
  }
  return first;
}

vec light_along(const std::vector<sphere>& scene, vec from, vec along) {
  const vec sun = unit({-1, 1.6, -1});
  vec light;
  double share = 1;
  for (int bounce = 0; bounce != 6 && share > 0.01; ++bounce) {
    const hit h = first_hit(scene, from, along);
    if (h.distance == INFINITY) return light + share * vec{0.05, 0.1, 0.5 - 0.4 * along.y};
    from = from + h.distance * along;
    double lit = std::max(dot(h.normal, sun), 0.0);
    if (lit > 0 && first_hit(scene, from, sun).distance != INFINITY) lit = 0;
    light = light + share * (1 - h.mirror) * (0.2 + 0.8 * lit) * h.colour;
    share *= h.mirror;
    along = along - 2 * dot(along, h.normal) * h.normal;
  }
  return light;
}

struct picture {
  int width, height;
  std::vector<unsigned char> bytes = std::vector<unsigned char>(static_cast<std::size_t>(3L * width * height));
  unsigned char* row(int y) { return bytes.data() + 3L * y * width; }
};

// Not inlined: a compiler that inlines it in the serial and in the parallel loop may round the sums in two ways.
[[gnu::noinline]] void render_row(const std::vector<sphere>& scene, picture& p, int row) {
  unsigned char* byte = p.row(row);
  for (int column = 0; column != p.width; ++column) {
    vec sum;
    for (const auto& [right, down] : {std::array{0.25, 0.25}, {0.75, 0.25}, {0.25, 0.75}, {0.75, 0.75}}) {
      const double x = (column + right - 0.5 * p.width) / p.width, y = (0.5 * p.height - row - down) / p.width;
      sum = sum + 0.25 * light_along(scene, {0, 3.2, -8}, unit({x, y - 0.29, 1}));
    }
    for (const double v : {sum.x, sum.y, sum.z}) *byte++ = static_cast<unsigned char>(255 * std::min(v, 1.0));
  }
}

// Draws on a terminal only. Any worker may add a row. One worker at a time draws, and the others do not wait for it.
class progress_bar {
 public:
  explicit progress_bar(int rows) : rows_(rows) {}
  ~progress_bar() {
    if (visible_) std::fprintf(stderr, "\r%62s\r", "");
  }
  void add_row() {
    if (!visible_) return;
    const auto reached = static_cast<std::size_t>(60.0 * ++done_ / rows_);
    const std::unique_lock<std::mutex> one(drawing_, std::try_to_lock);
    if (!one.owns_lock() || reached <= drawn_) return;
    drawn_ = reached;
    std::fprintf(stderr, "\r[%-60s]", std::string(reached, '#').c_str());
  }

 private:
  const int rows_;
  const bool visible_ = isatty(STDERR_FILENO) != 0;
  std::atomic<int> done_{0};
  std::mutex drawing_;
  std::size_t drawn_ = 0;
};

void print_in_characters(picture& p) {
  const int columns = std::min(p.width, 76);
  const int rows = std::clamp(columns * p.height / p.width / 2, 1, 60);  // a character is twice as high as it is wide
  for (int i = 0; i != rows * columns; ++i) {
    const int y = i / columns * p.height / rows, x = i % columns * p.width / columns;
    const unsigned char* at = p.row(y) + 3L * x;
    std::printf("%c%s", " .:-=+*#%@"[(at[0] + at[1] + at[2]) * 10 / 766], i % columns == columns - 1 ? "\n" : "");
  }
}

int number(const std::string& name, const char* text, int least, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  if (error == std::errc() && *end == '\0' && value >= least && value <= most) return value;
  throw std::invalid_argument(name + " '" + text + "' is not a number from " + std::to_string(least) + " to " +
                              std::to_string(most));
}

template <class F>
double seconds_of(F f) {
  const auto begin = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 4) throw std::invalid_argument(std::string("one argument too many: '") + argv[4] + "'");
  const int width = argc > 1 ? number("WIDTH", argv[1], 1, 8192) : 480;
  const int height = argc > 2 ? number("HEIGHT", argv[2], 1, 8192) : std::max(width * 9 / 16, 1);
  std::ofstream file;
  if (argc > 3) file.open(argv[3], std::ios::binary);
  if (!file) throw std::runtime_error(std::string("cannot open '") + argv[3] + "'");
  const std::vector<sphere> scene = make_scene();
  picture one{width, height}, two{width, height};
  leat::runtime rt;
  const auto render = [&](picture& p, auto loop) {
    progress_bar bar(height);
    return seconds_of([&] { loop([&](int row) { render_row(scene, p, row), bar.add_row(); }); });
  };
  const double serial = render(one, [&](auto body) {
    for (int row = 0; row != height; ++row) body(row);
  });
  const double parallel = render(two, [&](auto body) { rt.run([&] { leat::parallel_for(0, height, body); }); });

  if (argc > 3) {
    file << "P6\n" << width << ' ' << height << "\n255\n";
    file.write(reinterpret_cast<const char*>(two.bytes.data()), static_cast<std::streamsize>(two.bytes.size()));
    if (!file.flush()) throw std::runtime_error(std::string("cannot write '") + argv[3] + "'");
  } else {
    print_in_characters(two);
  }
  const bool same = one.bytes == two.bytes;
  std::printf("%d x %d pixels; the serial and the parallel picture are %s\n", width, height,
              same ? "equal" : "NOT equal");
  std::printf("workers  serial s  parallel s  ratio\n%7u  %8.3f  %10.3f  %5.2f\n", rt.workers(), serial, parallel,
              serial / parallel);
  return same ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "ray_tracer [WIDTH [HEIGHT [FILE.ppm]]]: %s\n", e.what());
  return 2;
}
