// Reductions: the value of a serial loop, in order, whoever executes what; and the same bits where that is promised.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"
#include "meeting.hpp"

namespace {

using leat_test::engine;
using leat_test::meeting;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;
using leat_test::worker_shapes;

std::string letter(int i) { return std::string(1, static_cast<char>('a' + i % 26)); }

std::string letters(int n) {
  std::string all;
  for (int i = 0; i < n; ++i) all += letter(i);
  return all;
}

constexpr leat::splitting strategies[] = {leat::splitting::adaptive, leat::splitting::half, leat::splitting::guided};

TEST(parallel_reduce, keeps_the_order) {
  using E = engine;
  on_each_shape<E>(worker_shapes(), [](E& e, const shape&) {
    e.run([] {
      for (const leat::splitting split : strategies) {
        for (const int n : {0, 1, 2, 3, 33, 1000, reps(5000)}) {
          EXPECT_EQ(E::parallel_reduce(0, n, std::string(), letter, std::plus<>(), {.split = split}), letters(n));
        }
      }
    });
  });
}

TEST(parallel_reduce, keeps_the_order_between_workers) {
  using E = engine;
  on_each_shape<E>(worker_shapes({2, 3, 8}), [](E& e, const shape& s) {
    const int n = static_cast<int>(s.workers);
    meeting<E> all(n);
    e.run([&] {
      const auto map = [&](int i) { return all.attend(), letter(i); };
      EXPECT_EQ(E::parallel_reduce(0, n, map, std::plus<>()), letters(n));
    });
    meeting<E> again(n);
    e.run([&] {
      const auto map = [&](int i) { return again.attend(), letter(i); };
      EXPECT_EQ(E::parallel_reduce(0, n, std::string(), map, std::plus<>()), letters(n));
    });
  });
}

TEST(parallel_reduce, needs_no_identity) {
  using E = engine;
  on_each_shape<E>(worker_shapes(), [](E& e, const shape&) {
    e.run([] {
      const auto larger = [](int a, int b) { return std::max(a, b); };
      const auto mixed = [](int i) { return i * 7919 % 10'007; };
      static_assert(std::is_same_v<decltype(E::parallel_reduce(0, 1, mixed, larger)), std::optional<int>>);
      EXPECT_EQ(E::parallel_reduce(0, 0, mixed, larger), std::nullopt);
      EXPECT_EQ(E::parallel_reduce(5, 6, mixed, larger), mixed(5));
      EXPECT_EQ(E::parallel_reduce(0, 10'007, mixed, larger), 10'006);
      EXPECT_EQ(E::parallel_reduce(0, 700, letter, std::plus<>()), letters(700));
    });
  });
}

TEST(parallel_reduce, goes_by_blocks) {
  using E = engine;
  on_each_shape<E>(worker_shapes(), [](E& e, const shape&) {
    e.run([] {
      const auto body = [](leat::block<int> b, std::string made) {
        for (const int i : b) made += letter(i);
        return made;
      };
      EXPECT_EQ(E::parallel_reduce(0, 2000, std::string(), body, std::plus<>()), letters(2000));
      EXPECT_EQ(E::deterministic_reduce(0, 2000, std::string(), body, std::plus<>()), letters(2000));
    });
  });
}

TEST(parallel_reduce, moves_values_that_cannot_be_copied) {
  using E = engine;
  on_each_shape<E>(worker_shapes(), [](E& e, const shape&) {
    e.run([] {
      const auto sum = E::parallel_reduce(
          0, 1000, [](int i) { return std::make_unique<int>(i); },
          [](std::unique_ptr<int> a, std::unique_ptr<int> b) { return *a += *b, std::move(a); });
      EXPECT_EQ(**sum, 499'500);
    });
  });
}

TEST(parallel_reduce, throws_what_is_thrown_and_leaks_nothing) {
  using E = engine;
  struct counted {
    counted() { ++living(); }
    counted(const counted&) { ++living(); }
    counted& operator=(const counted&) = default;
    ~counted() { --living(); }
    static std::atomic<int>& living() {
      static std::atomic<int> n{0};
      return n;
    }
  };
  on_each_shape<E>(worker_shapes(), [](E& e, const shape&) {
    e.run([] {
      const auto pass = [](int) { return counted(); };
      const auto keep = [](counted a, const counted&) { return a; };
      const auto throw_in_map = [](int i) { return i == 700 ? throw std::runtime_error("map") : counted(); };
      std::atomic<int> calls{0};
      const auto throw_in_combine = [&](counted a, const counted&) {
        return ++calls == 500 ? throw std::runtime_error("combine") : a;
      };
      {
        const counted identity;
        EXPECT_THROW(E::parallel_reduce(0, 1000, identity, throw_in_map, keep), std::runtime_error);
        EXPECT_THROW(E::parallel_reduce(0, 1000, identity, pass, throw_in_combine), std::runtime_error);
        calls = 0;
        EXPECT_THROW(E::deterministic_reduce(0, 1000, identity, throw_in_map, keep), std::runtime_error);
        EXPECT_THROW(E::deterministic_reduce(0, 1000, identity, pass, throw_in_combine), std::runtime_error);
        EXPECT_NO_THROW(E::parallel_reduce(0, 1000, identity, pass, keep));
      }
      EXPECT_EQ(counted::living(), 0);
    });
  });
}

TEST(parallel_reduce, gives_what_was_made_when_it_is_stopped) {
  using E = engine;
  E e(shape{1});
  e.run([] {
    typename E::task_group enough;
    const auto one = [&](int i) { return i == 10 ? enough.cancel(), 1L : 1L; };
    const long n = E::parallel_reduce(0, 1'000'000'000, 0L, one, std::plus<>(), {.stop = enough.token()});
    EXPECT_GE(n, 11);
    EXPECT_LT(n, 1'000'000'000);
  });
}

TEST(parallel_reduce, nests) {
  using E = engine;
  on_each_shape<E>(worker_shapes(), [](E& e, const shape&) {
    e.run([] {
      const auto row = [](long i) {
        return E::parallel_reduce(0L, 50L, 0L, [i](long j) { return i * j; }, std::plus<>());
      };
      EXPECT_EQ(E::parallel_reduce(0L, 50L, 0L, row, std::plus<>()), 1225L * 1225L);
      EXPECT_EQ(E::deterministic_reduce(0L, 50L, 0L, row, std::plus<>()), 1225L * 1225L);
    });
  });
}

// -- the same bits

// Sums that depend much on their order.
std::vector<float> uneven(std::size_t n) {
  std::vector<float> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    all[i] = std::ldexp(static_cast<float>(i * 2'654'435'761u % 1000) / 1000 - 0.5f, static_cast<int>(i * 40'503 % 24));
  }
  return all;
}

// What the page promises, written down once more: leaves of 32, halved.
float tree(const float* x, std::size_t n) {
  if (n <= 32) return std::accumulate(x, x + n, 0.0f);
  const std::size_t leaves = (n + 31) / 32;
  const std::size_t left = leaves / 2 * 32;
  return tree(x, left) + tree(x + left, n - left);
}

TEST(parallel_reduce, is_deterministic_where_it_says_so) {
  using E = engine;
  for (const int size : {0, 1, 31, 32, 33, 100, reps(300'000)}) {
    const auto n = static_cast<std::size_t>(size);
    const std::vector<float> x = uneven(n);
    const float expected = tree(x.data(), n);
    on_each_shape<E>(worker_shapes({1, 2, 3, 7, 16}), [&](E& e, const shape&) {
      e.run([&] {
        for (int r = 0; r < 3; ++r) {
          const auto at = [&](std::size_t i) { return x[i]; };
          const float sum = E::deterministic_reduce(std::size_t{0}, n, 0.0f, at, std::plus<>());
          EXPECT_EQ(std::bit_cast<std::uint32_t>(sum), std::bit_cast<std::uint32_t>(expected)) << n;
        }
      });
    });
  }
}

// -- the public functions

TEST(reduce, takes_limits_iterators_and_ranges) {
  leat::runtime rt({.workers = 3});
  rt.run([] {
    const std::vector<int> v = [] {
      std::vector<int> made(10'000);
      std::iota(made.begin(), made.end(), 1);
      return made;
    }();
    const long sum = 50'005'000;
    const auto element = [](int x) { return long{x}; };
    const auto at = [&](std::size_t i) { return long{v[i]}; };
    const std::plus<> plus;
    EXPECT_EQ(leat::parallel_reduce(0, v.size(), 0L, at, plus), sum);
    EXPECT_EQ(leat::parallel_reduce(v.begin(), v.end(), 0L, element, plus), sum);
    EXPECT_EQ(leat::parallel_reduce(v, 0L, element, plus), sum);
    EXPECT_EQ(leat::parallel_reduce(v, 0L, element, plus, {.chunk_min = 7}), sum);
    EXPECT_EQ(leat::parallel_reduce(0, v.size(), at, plus), sum);
    EXPECT_EQ(leat::parallel_reduce(v.begin(), v.end(), element, plus), sum);
    EXPECT_EQ(leat::parallel_reduce(v, element, plus), sum);
    const leat::loop_options options{.chunk_min = 5};
    EXPECT_EQ(leat::parallel_reduce(v, element, plus, options), sum);
    EXPECT_EQ(leat::deterministic_reduce(0, v.size(), 0L, at, plus), sum);
    EXPECT_EQ(leat::deterministic_reduce(v.begin(), v.end(), 0L, element, plus), sum);
    EXPECT_EQ(leat::deterministic_reduce(v, 0L, element, plus), sum);
    EXPECT_EQ(leat::deterministic_reduce(0, v.size(), at, plus), sum);
    EXPECT_EQ(leat::deterministic_reduce(v.begin(), v.end(), element, plus), sum);
    EXPECT_EQ(leat::deterministic_reduce(v, element, plus), sum);
    EXPECT_EQ(leat::deterministic_reduce(v.end(), v.begin(), element, plus), std::nullopt);
    EXPECT_EQ(leat::parallel_reduce(5, -5, 7, [](int) { return 1; }, plus), 7);
  });
  EXPECT_EQ(leat::parallel_reduce(0, 1, 5, [](int i) { return i; }, std::plus<>()), 5);
  EXPECT_EQ(leat::deterministic_reduce(0, 1, 5, [](int i) { return i; }, std::plus<>()), 5);
}

}  // namespace
