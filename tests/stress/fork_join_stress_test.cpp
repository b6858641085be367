// Fork and join under load: recursion to the bottom, irregular trees, and all kinds of tasks mixed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"
#include "leat/platform/counted.hpp"

namespace {

using leat::wait;
using leat_test::engine;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::sanitized;
using leat_test::shape;
using leat_test::worker_shapes;

// -- fib: plain form, context form, one inside the other

template <class E>
struct fib {
  using context = typename E::context;

  static long plain(int n) {
    if (n < 2) return n;
    const auto [a, b] = E::fork_join([n] { return plain(n - 1); }, [n] { return plain(n - 2); });
    return a + b;
  }
  static long in(context c, int n) {
    if (n < 2) return n;
    const auto [a, b] =
        E::fork_join(c, [n](context d) { return in(d, n - 1); }, [n](context d) { return in(d, n - 2); });
    return a + b;
  }
  // Plain code in context code in plain code, down to the leaves.
  static long plain_then_context(int n) {
    if (n < 2) return n;
    const auto [a, b] = E::fork_join([n](context c) { return context_then_plain(c, n - 1); },
                                     [n] { return plain_then_context(n - 2); });
    return a + b;
  }
  static long context_then_plain(context c, int n) {
    if (n < 2) return n;
    const auto [a, b] = E::fork_join(
        c, [n] { return plain_then_context(n - 1); }, [n](context d) { return context_then_plain(d, n - 2); });
    return a + b;
  }
  // Three, with one context for two forks in a row.
  static long in_a_row(context c, int n) {
    if (n < 2) return n;
    const auto [a, nothing, b] = E::fork_join(
        c, [n](context d) { return in_a_row(d, n - 1); }, [] {},
        [n](context d) { return n < 3 ? 0 : in_a_row(d, n - 3); });
    const auto [d, e] =
        E::fork_join(c, [n](context f) { return n < 4 ? n == 3 : in_a_row(f, n - 4); }, [] { return 0; });
    return n == 2 ? 1 : a + b + d + e;  // F(n) = F(n-1) + F(n-3) + F(n-4)
  }
};

TEST(fork_join_stress, fib_without_a_cutoff) {
  using fib = fib<engine>;
  using context = engine::context;
  constexpr int n = sanitized ? 15 : 22;
  constexpr long expected = sanitized ? 610 : 17'711;
  on_each_shape<engine>(worker_shapes(), [=](engine& e, const shape&) {
    EXPECT_EQ(e.run([] { return fib::plain(n); }), expected);
    EXPECT_EQ(e.run([] { return engine::with_context([](context c) { return fib::in(c, n); }); }), expected);
    EXPECT_EQ(e.run([] { return fib::plain_then_context(n); }), expected);
    EXPECT_EQ(e.run([] { return engine::with_context([](context c) { return fib::context_then_plain(c, n); }); }),
              expected);
    EXPECT_EQ(e.run([] { return engine::with_context([](context c) { return fib::in_a_row(c, n - 2); }); }),
              sanitized ? 233 : 6765);
  });
}

// Many short runs: thieves come and go while stacks are empty, deep, and empty again.
TEST(fork_join_stress, many_small_ones) {
  using fib = fib<engine>;
  on_each_shape<engine>(worker_shapes({2, 3, 8}), [](engine& e, const shape&) {
    for (int round = 0; round < reps(500); ++round) {
      e.run([] {
        EXPECT_EQ(fib::plain(6), 8);
        EXPECT_EQ(fib::plain_then_context(7), 13);
      });
    }
  });
}

// -- depth

constexpr int deep = sanitized ? 2'000 : 20'000;  // frames are large under a sanitizer

template <class E>
long line(int depth) {
  if (depth == 0) return 0;
  const auto [a, b] = E::fork_join([depth] { return line<E>(depth - 1); }, [] { return 1; });
  return a + b;
}

template <class E>
long line(typename E::context c, int depth) {
  using context = typename E::context;
  if (depth == 0) return 0;
  const auto [a, b] = E::fork_join(c, [](context) { return 1; }, [depth](context d) { return line<E>(d, depth - 1); });
  return a + b;
}

template <class E>
long line_in_first(typename E::context c, int depth) {
  using context = typename E::context;
  if (depth == 0) return 0;
  const auto [a, b] =
      E::fork_join(c, [depth](context d) { return line_in_first<E>(d, depth - 1); }, [](context) { return 1; });
  return a + b;
}

TEST(fork_join_stress, a_recursion_20_000_deep) {
  using context = engine::context;
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape&) {
    for (int round = 0; round < reps(10); ++round) {
      EXPECT_EQ(e.run([] { return line<engine>(deep); }), deep);
      EXPECT_EQ(e.run([] { return engine::with_context([](context c) { return line<engine>(c, deep); }); }), deep);
      EXPECT_EQ(e.run([] { return engine::with_context([](context c) { return line_in_first<engine>(c, deep); }); }),
                deep);
    }
  });
}

// -- an irregular tree

/// Queens on an n x n board, beneath those placed so far: this column against the rest of them.
template <class E>
long queens(std::array<signed char, 12> board, int n, int row);

template <class E>
long queens_from(const std::array<signed char, 12>& board, int n, int row, int column) {
  for (; column < n; ++column) {
    bool safe = true;
    for (int r = 0; r < row && safe; ++r) {
      const int apart = board[static_cast<std::size_t>(r)] - column;
      safe = apart != 0 && apart != row - r && apart != r - row;
    }
    if (safe) break;
  }
  if (column == n) return 0;
  auto placed = board;
  placed[static_cast<std::size_t>(row)] = static_cast<signed char>(column);
  const auto [here, others] =
      E::fork_join([=] { return queens<E>(placed, n, row + 1); },
                   [&board, n, row, column] { return queens_from<E>(board, n, row, column + 1); });
  return here + others;
}

template <class E>
long queens(std::array<signed char, 12> board, int n, int row) {
  return row == n ? 1 : queens_from<E>(board, n, row, 0);
}

TEST(fork_join_stress, queens) {
  constexpr int n = sanitized ? 6 : 8;
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape&) {
    EXPECT_EQ(e.run([] { return queens<engine>({}, n, 0); }), n == 6 ? 4 : 92);
  });
}

// -- each once

template <class E>
void mark(std::vector<int>& ran, std::size_t first, std::size_t count) {
  using context = typename E::context;
  if (count == 1) {
    ++ran[first];  // no atomic: TSan sees to it that all is joined
    return;
  }
  const std::size_t third = (count + 2) / 3;
  const std::size_t left = count - third;
  const std::size_t second = left / 2;
  E::fork_join([&, first, third] { mark<E>(ran, first, third); },
               [&, first, third, second](context) {
                 if (second != 0) mark<E>(ran, first + third, second);
               },
               [&, first, third, second, left] {
                 if (left != second) mark<E>(ran, first + third + second, left - second);
               });
}

TEST(fork_join_stress, calls_each_callable_once) {
  on_each_shape<engine>(worker_shapes(), [](engine& e, const shape&) {
    for (int round = 0; round < reps(20); ++round) {
      std::vector<int> ran(static_cast<std::size_t>(reps(3000)));
      e.run([&] { mark<engine>(ran, 0, ran.size()); });
      EXPECT_EQ(std::count(ran.begin(), ran.end(), 1), static_cast<std::ptrdiff_t>(ran.size()));
    }
  });
}

// -- the price

// On the counted platform, so long as nobody steals.
TEST(fork_join_stress, costs_no_fence_and_no_read_modify_write) {
  using counted = leat_test::engine_on<leat::platform::counted>;
  using fib = fib<counted>;
  counted e(shape{1});
  e.run([] {
    const auto during = [](auto f) {
      const auto before = leat::platform::counted::counts();
      f();
      return leat::platform::counted::counts() - before;
    };
    const auto free = [](const leat::platform::operation_counts& c) {
      return (c.fences == 0) != leat_test::all_is_public() && c.wakes == 0 &&
             (c.cas + c.rmw == 0 || leat_test::all_is_public());
    };
    EXPECT_TRUE(free(during([] { EXPECT_EQ(fib::plain(25), 75'025); })));  // a quarter of a million forks
    EXPECT_TRUE(free(
        during([] { EXPECT_EQ(counted::with_context([](counted::context c) { return fib::in(c, 25); }), 75'025); })));
    EXPECT_TRUE(free(during([] { EXPECT_EQ(fib::plain_then_context(20), 6765); })));
    EXPECT_TRUE(free(during([] {
      for (int i = 0; i < 100'000; ++i) counted::fork_join([] {}, [] {}, [] {});
    })));
    EXPECT_TRUE(free(during([] {
      const auto f = [] { return 1; };
      std::array<decltype(f), 64> many{f, f, f};
      for (int i = 0; i < 1000; ++i) counted::fork_join(many);
    })));
  });
}

}  // namespace
