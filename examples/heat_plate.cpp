// How warm does a plate become that three bars heat, and whose edges are cold? Each step gives every point the mean of its four
// neighbours, until no point changes much. leat::parallel_for goes over blocks of rows, leat::parallel_reduce finds the largest change.
// Usage: heat_plate [ROWS [COLUMNS [MILLIDEGREES]]]

#include <leat/leat.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <system_error>
#include <vector>

namespace {

constexpr double hottest = 100;
constexpr int steps_between_checks = 20;  // a check reads both plates again, so it is made now and then
constexpr int picture_rows = 12;
constexpr int picture_columns = 60;

// Two copies of the plate: a step reads one and writes the other, so the rows of a step do not depend on each other.
class plate {
 public:
  const int rows, columns;

  plate(int rows_, int columns_) : rows(rows_), columns(columns_), now_(points()), next_(points()) {
    for (int i = 0; i < rows; ++i) heat(&now_[index(i, 0)], i);
  }

  // The edges, which are not computed, stay at 0 degrees.
  void step_row(int i) {
    const double* const above = &now_[index(i - 1, 0)];
    const double* const here = &now_[index(i, 0)];
    const double* const below = &now_[index(i + 1, 0)];
    double* const out = &next_[index(i, 0)];
    for (int j = 1; j < columns - 1; ++j) out[j] = 0.25 * (above[j] + below[j] + here[j - 1] + here[j + 1]);
    heat(out, i);
  }

  double change_of_row(int i) const {
    double most = 0;
    for (int j = 1; j < columns - 1; ++j) most = std::max(most, std::abs(next_[index(i, j)] - now_[index(i, j)]));
    return most;
  }

  void end_step() { now_.swap(next_); }
  double at(int i, int j) const { return now_[index(i, j)]; }
  friend bool operator==(const plate& a, const plate& b) { return a.now_ == b.now_; }

 private:
  void heat(double* row, int i) const {
    if (i < rows / 4 || i >= rows - rows / 4) return;
    for (int bar = 1; bar <= 3; ++bar) row[bar * columns / 4] = hottest;
  }
  std::size_t points() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns); }
  std::size_t index(int i, int j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(j);
  }

  std::vector<double> now_, next_;
};

struct serial_way {
  static void step(plate& p) {
    for (int i = 1; i < p.rows - 1; ++i) p.step_row(i);
  }
  static double change(const plate& p) {
    double most = 0;
    for (int i = 1; i < p.rows - 1; ++i) most = std::max(most, p.change_of_row(i));
    return most;
  }
};

struct parallel_way {
  static void step(plate& p) {
    leat::parallel_for(1, p.rows - 1, [&p](leat::block<int> rows) {
      for (const int i : rows) p.step_row(i);
    });
  }
  // The largest of some numbers does not depend on the order, so both ways stop after the same step.
  static double change(const plate& p) {
    return leat::parallel_reduce(
        1, p.rows - 1, 0.0, [&p](int i) { return p.change_of_row(i); },
        [](double a, double b) { return std::max(a, b); });
  }
};

// How many steps it takes until no point changes by more than that in one.
template <class Way>
int settle(plate& p, double change_max) {
  for (int steps = 1;; ++steps) {
    Way::step(p);
    const bool settled = steps % steps_between_checks == 0 && Way::change(p) <= change_max;
    p.end_step();
    if (settled) return steps;
  }
}

template <class F>
double seconds_of(F f) {
  const auto begun = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

void draw(const plate& p) {
  constexpr char shades[] = " .:-=+*#%@";
  constexpr double brightest = sizeof shades - 2;
  for (int i = 0; i < picture_rows; ++i) {
    for (int j = 0; j < picture_columns; ++j) {
      const double share = p.at(i * p.rows / picture_rows, j * p.columns / picture_columns) / hottest;
      std::putchar(shades[static_cast<std::size_t>(std::lround(share * brightest))]);
    }
    std::putchar('\n');
  }
}

std::optional<int> number_in(const char* text, const char* name, int least, int most) {
  int n = 0;
  const char* const end = text + std::strlen(text);
  const auto [last, error] = std::from_chars(text, end, n);
  if (error == std::errc() && last == end && n >= least && n <= most) return n;
  std::fprintf(stderr, "heat_plate: %s is \"%s\", and must be a whole number from %d to %d\n", name, text, least, most);
  return std::nullopt;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 4) {
    std::fprintf(stderr, "heat_plate: \"%s\" is too much; usage: heat_plate [ROWS [COLUMNS [MILLIDEGREES]]]\n",
                 argv[4]);
    return 2;
  }
  const auto rows = argc > 1 ? number_in(argv[1], "ROWS", 5, 10'000) : 120;
  const auto columns = argc > 2 ? number_in(argv[2], "COLUMNS", 5, 10'000) : 240;
  const auto millidegrees = argc > 3 ? number_in(argv[3], "MILLIDEGREES", 1, 10'000) : 30;
  if (!rows || !columns || !millidegrees) return 2;
  const double change_max = *millidegrees * 1e-3;

  plate alone(*rows, *columns);
  int steps_alone = 0;
  const double serial = seconds_of([&] { steps_alone = settle<serial_way>(alone, change_max); });

  leat::runtime rt;
  plate together(*rows, *columns);
  int steps = 0;
  const double parallel = seconds_of([&] { rt.run([&] { steps = settle<parallel_way>(together, change_max); }); });

  draw(together);
  std::printf("%d x %d points, settled after %d steps; %.2f degrees between two bars\n", *rows, *columns, steps,
              together.at(*rows / 2, *columns * 3 / 8));
  std::printf("%10s %10s %8s\n%10.4f %10.4f %8.2f   %u workers\n", "serial s", "parallel s", "ratio", serial, parallel,
              serial / parallel, rt.workers());
  const bool equal = steps == steps_alone && together == alone;
  if (!equal) std::fprintf(stderr, "heat_plate: the two plates differ\n");
  return equal ? 0 : 1;
}
