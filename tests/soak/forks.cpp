// Forks in both forms.
#include <array>
#include <numeric>
#include <tuple>
#include <vector>

#include "operations.hpp"

namespace soak {

namespace {

struct fibonacci {
  std::uint64_t value;
  std::uint64_t forks;
};

constexpr fibonacci serial(std::uint64_t n) {
  fibonacci before{0, 0}, now{1, 0};
  for (std::uint64_t i = 0; i < n; ++i) {
    const fibonacci next{before.value + now.value, before.forks + now.forks + 1};
    before = now;
    now = next;
  }
  return before;
}
static_assert(serial(10).value == 55 && serial(2).forks == 1 && serial(10).forks == 88);

std::uint64_t plain(std::uint64_t n) {
  if (n < 2) return n;
  const auto [a, b] = leat::fork_join([n] { return plain(n - 1); }, [n] { return plain(n - 2); });
  return a + b;
}

inline std::uint64_t in_context(auto c, std::uint64_t n) {
  if (n < 2) return n;
  const auto [a, b] = leat::fork_join(
      c, [n](auto d) -> std::uint64_t { return in_context(d, n - 1); },
      [n](auto d) -> std::uint64_t { return in_context(d, n - 2); });
  return a + b;
}

/// How deep a recursion is that makes up to 700,000 forks.
std::uint64_t drawn_depth(scene& s) {
  return s.numbers.between(2, (sanitized ? 16 : 28) - 3 * static_cast<std::uint64_t>(s.level));
}

}  // namespace

void forks(scene& s) {
  const std::uint64_t n = drawn_depth(s);
  std::uint64_t found = 0;
  if (s.numbers.once_in(4)) {
    const scene first = s.inner(), second = s.inner();
    leat::fork_join([&] { perform_inside(first); }, [&] { found = plain(n); }, [&] { perform_inside(second); });
    s.book.parts(kind::fork, 2);
  } else {
    found = plain(n);
  }
  expect(found, serial(n).value, "a recursion of forks");
  s.book.parts(kind::fork, serial(n).forks);
}

void context_forks(scene& s) {
  const std::uint64_t n = drawn_depth(s);
  std::uint64_t found = 0;
  if (s.numbers.once_in(4)) {
    const scene beside = s.inner();
    leat::fork_join([&](leat::context c) { found = in_context(c, n); }, [&] { perform_inside(beside); });
    s.book.parts(kind::context, 1);
  } else {
    found = leat::with_context([n](leat::context c) { return in_context(c, n); });
  }
  expect(found, serial(n).value, "a recursion of forks with contexts");
  s.book.parts(kind::context, serial(n).forks);
}

void rows(scene& s) {
  const std::uint64_t n = s.size(200);
  std::vector<std::uint64_t> squares(n);
  std::iota(squares.begin(), squares.end(), std::uint64_t{0});
  leat::with_context([&](leat::context c) {
    leat::parallel_for_each(c, squares, [](leat::context d, std::uint64_t& x) {
      const auto [a, b] = leat::fork_join(d, [x] { return x * x; }, [x] { return x; });
      x = a + b;
    });
  });
  for (std::uint64_t i = 0; i < n; ++i) expect(squares[i], i * i + i, "an element of a row of forks");

  const auto cube = [n](std::uint64_t add) { return [n, add] { return n * n * n + add; }; };
  std::array row{cube(0), cube(1), cube(2), cube(3), cube(4)};
  const auto found = leat::fork_join(row);
  for (std::uint64_t i = 0; i < row.size(); ++i) expect(found[i], n * n * n + i, "a result of a row of callables");

  scene beside = s.inner();
  const auto [a, b, nothing] = leat::fork_join(cube(7), cube(8), [&] { perform_inside(beside); });
  static_cast<void>(nothing);
  expect(a + b, 2 * n * n * n + 15, "the results of three callables");
  s.book.parts(kind::row, 2 * n - 1 + row.size() - 1 + 2);
}

}  // namespace soak
