// Work and span of programs for which both are known, with 1, 2 and 4 workers.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "leat/strands/thread.hpp"
#include "profiled/measuring.hpp"
#include "profiled/read_recording.hpp"

using leat_test::measure;
using leat_test::measured;
using leat_test::recording;
using leat_test::recording_reader;
using leat_test::spans;
using leat_test::take;
using leat_test::temporary_file;

namespace {

constexpr double off_max = 0.05;

void expect_near(std::uint64_t got, double wanted, const char* what) {
  EXPECT_NEAR(static_cast<double>(got), wanted, off_max * wanted) << what;
}

template <class F>
void expect(double work, double span, F f) {
  for (const std::uint32_t workers : {1u, 2u, 4u}) {
    SCOPED_TRACE("workers: " + std::to_string(workers));
    const spans whole = measure(workers, f).whole;
    expect_near(whole.work, work, "work");
    expect_near(whole.span, span, "span");
    EXPECT_GE(whole.burdened, whole.span);
  }
}

constexpr std::uint64_t fib_line = __LINE__ + 5;

std::uint64_t fib(unsigned n) {
  take(100);
  if (n < 2) return n;
  auto [a, b] = leat::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  take(10);
  return a + b;
}

std::uint64_t calls_of_fib(unsigned n) { return n < 2 ? 1 : 1 + calls_of_fib(n - 1) + calls_of_fib(n - 2); }

// Sorts n elements in n log2 n; merges in parallel, by halves of the larger half.
void merge(std::uint64_t n) {
  if (n <= 64) return take(n);
  take(6);
  leat::fork_join([n] { merge(n / 2); }, [n] { merge(n - n / 2); });
}
void merge_sort(std::uint64_t n) {
  if (n <= 64) return take(n * 6);
  leat::fork_join([n] { merge_sort(n / 2); }, [n] { merge_sort(n - n / 2); });
  merge(n);
}

struct both {
  double work, span;
};
both of_merge(std::uint64_t n) {
  if (n <= 64) return {double(n), double(n)};
  const both a = of_merge(n / 2), b = of_merge(n - n / 2);
  return {6 + a.work + b.work, 6 + std::max(a.span, b.span)};
}
both of_merge_sort(std::uint64_t n) {
  if (n <= 64) return {6.0 * double(n), 6.0 * double(n)};
  const both a = of_merge_sort(n / 2), b = of_merge_sort(n - n / 2), m = of_merge(n);
  return {a.work + b.work + m.work, std::max(a.span, b.span) + m.span};
}

}  // namespace

TEST(span, fib) {
  constexpr unsigned n = 16;
  const double calls = double(calls_of_fib(n)), forks = (calls - 1) / 2;
  expect(100 * calls + 10 * forks, 100.0 * n + 10.0 * (n - 1), [] { fib(n); });
}

TEST(span, fork_in_context_form) {
  expect(30 * 7, 3 * 30, [] {
    struct tree {
      void operator()(leat::context c, unsigned depth) const {
        take(30);
        if (depth == 0) return;
        leat::fork_join(
            c, [this, depth](leat::context i) { (*this)(i, depth - 1); },
            [this, depth](leat::context i) { (*this)(i, depth - 1); });
      }
    };
    leat::with_context([](leat::context c) { tree{}(c, 2); });
  });
}

TEST(span, fork_of_several) {
  expect(1 + 100 + 200 + 300 + 400, 1 + 400, [] {
    take(1);
    leat::parallel_invoke([] { take(100); }, [] { take(400); }, [] { take(300); }, [] { take(200); });
  });
}

TEST(span, fork_that_throws) {
  expect(15, 15, [] {
    try {
      leat::fork_join([] { take(10), throw std::runtime_error("first"); }, [] {});
    } catch (const std::runtime_error&) {
      take(5);
    }
  });
}

TEST(span, merge_sort) {
  constexpr std::uint64_t n = 10'000;
  const both known = of_merge_sort(n);
  expect(known.work, known.span, [] { merge_sort(n); });
}

TEST(span, chain_of_futures) {
  expect(50 * 40, 50 * 40, [] {
    leat::future<int> last = leat::async([] { return take(40), 0; });
    for (int i = 1; i < 50; ++i) last = last.then([](int before) { return take(40), before + 1; });
    EXPECT_EQ(last.get(), 49);
  });
}

TEST(span, balanced_loop) {
  expect(1000 * 2000, 2000, [] { leat::parallel_for(0, 1000, [](int) { take(2000); }); });
  expect(100'000 * 10, 10, [] { leat::parallel_for(0, 100'000, [](int) { take(10); }); });
}

TEST(span, skewed_loop) {
  expect(999 * 100 + 1e6, 1e6, [] { leat::parallel_for(0, 1000, [](int i) { take(i == 700 ? 1'000'000 : 100); }); });
  // triangle
  expect(1000.0 * 999 / 2 * 50, 999 * 50, [] { leat::parallel_for(0u, 1000u, [](unsigned i) { take(50 * i); }); });
}

TEST(span, loop_of_forks) {
  expect(200 * 150, 100,
         [] { leat::parallel_for(0, 200, [](int) { leat::fork_join([] { take(100); }, [] { take(50); }); }); });
}

TEST(span, reduction) {
  expect(500 * 3000, 3000,
         [] { EXPECT_EQ(leat::parallel_reduce(0, 500, 0, [](int) { return take(3000), 1; }, std::plus<int>()), 500); });
}

TEST(span, group) {
  expect(7 + 5 * 100 + 3, 7 + 100 + 3, [] {
    leat::task_group g;
    take(7);
    for (int i = 0; i < 5; ++i) g.spawn([] { take(100); });
    g.wait();
    take(3);
  });
}

// The barrier executes them, so the destructor has nothing to wait for.
TEST(span, group_that_is_destroyed_without_a_wait) {
  expect(5 * 100 + 3, 100 + 3, [] {
    {
      leat::task_group g;
      for (int i = 0; i < 5; ++i) g.spawn([] { take(100); });
      leat::barrier();
    }
    take(3);
  });
}

// As on a user-level thread, which has left the stack of its carrier: each construct is a run of its own.
TEST(span, group_outside_of_tasks) {
  const temporary_file to;
  const auto outside = [] {
    const leat::strands::left_stack<leat_test::profiled> here;
    leat::task_group g;
    for (int i = 0; i < 3; ++i) g.spawn([] { take(100); });
    g.wait();
  };
  const spans whole = measure(2, outside, to.name().c_str()).whole;
  EXPECT_EQ(whole.work, 300u);
  EXPECT_EQ(whole.span, 100u);
  const recording r = recording_reader(to.name()).read();
  EXPECT_EQ(r.operations.at(8), 1u) << "waits";
  EXPECT_EQ(r.operations.at(17), 1u + 3 + 1) << "runs";
}

TEST(span, dependent_tasks) {
  expect(10 + 20 + 30 + 5, 10 + 30 + 5, [] {
    leat::task_group g;
    const auto a = g.spawn_after({}, [] { take(10); });
    g.spawn_after({a}, [] { take(20); });
    g.spawn_after({a}, [] { take(30); });
    g.wait();
    take(5);
  });
}

TEST(span, plain_tasks_and_barrier) {
  expect(10 + 4 * 60 + 20, 10 + 60 + 20, [] {
    take(10);
    for (int i = 0; i < 4; ++i) leat::spawn([] { take(60); });
    leat::barrier();
    take(20);
  });
}

TEST(span, spawned_loop) {
  expect(100 * 2000 + 1, 2000 + 1, [] {
    leat::task_group g;
    leat::spawn_for(g, 0, 100, [](int) { take(2000); });
    g.wait();
    take(1);
  });
}

// All that the loop has executed counts; how much that is depends on when the others see that it ends.
TEST(span, loops_that_throw) {
  for (const std::uint32_t workers : {1u, 2u, 4u}) {
    SCOPED_TRACE("workers: " + std::to_string(workers));
    std::atomic<std::uint64_t> executed{0};
    const auto body = [&](int i) {
      take(2000), ++executed;
      if (i == 70) throw std::runtime_error("body");
    };
    const auto loop = [&] { EXPECT_THROW(leat::parallel_for(0, 100, body), std::runtime_error); };
    const spans whole = measure(workers, loop).whole;
    EXPECT_EQ(whole.work, 2000 * executed);
    EXPECT_EQ(whole.span, 2000u);
    executed = 0;
    const auto spawned = [&] {
      leat::task_group g;
      leat::spawn_for(g, 0, 100, body);
      EXPECT_THROW(g.wait(), std::runtime_error);
    };
    const std::uint64_t work = measure(workers, spawned).whole.work;
    EXPECT_EQ(work, 2000 * executed);
  }
}

// The upper part is with a thief, which sees that it throws.
TEST(span, loop_whose_stolen_part_throws) {
  std::atomic<bool> begun{false};
  const auto body = [&](int i) {
    if (i == 1) {
      take(3000);
      begun = true;
      throw std::runtime_error("body");
    }
    take(500);
    while (!begun) leat::poll();
  };
  const spans whole = measure(2, [&] { EXPECT_THROW(leat::parallel_for(0, 2, body), std::runtime_error); }).whole;
  EXPECT_EQ(whole.work, 3500u);
  EXPECT_EQ(whole.span, 3000u);
}

TEST(span, graph) {
  expect(1000 + 100 + 200 + 50 + 10, 1000 + 100 + 200 + 10, [] {
    take(1000);
    leat::graph g;
    auto first = g.add([] { take(100); }), upper = g.add([] { take(200); }), lower = g.add([] { take(50); });
    auto last = g.add([] { take(10); });
    first.precede(upper, lower);
    last.succeed(upper, lower);
    g.run();
  });
}

TEST(span, blocking_call) {
  expect(30, 20, [] { leat::fork_join([] { leat::blocking([] { take(20); }); }, [] { take(10); }); });
}

// The program has one run after the other.
TEST(span, several_runs) {
  leat_test::profiled::strand_clock = &leat_test::read_thread_ns;
  ASSERT_TRUE(leat_test::session::begin(nullptr));
  for (int i = 0; i < 3; ++i) leat::runtime({.workers = 2}).run([] { take(100); });
  const spans whole = leat_test::read_spans().whole;
  leat_test::session::turn_off();
  EXPECT_EQ(whole.work, 300u);
  EXPECT_EQ(whole.span, 300u);
}

// Of a recursion the outermost call has all, and all are counted.
TEST(span, call_sites) {
  constexpr unsigned n = 12;
  const measured m = measure(2, [] { fib(n), fib(n); });
  const auto at = m.sites.find("span_test.cpp:" + std::to_string(fib_line));
  ASSERT_NE(at, m.sites.end());
  const double calls = double(calls_of_fib(n)), forks = (calls - 1) / 2;
  EXPECT_EQ(at->second.count, 2 * forks);
  EXPECT_EQ(at->second.work, 2 * (100 * (calls - 1) + 10 * (forks - 1)));
  EXPECT_EQ(at->second.span, 2 * (100 * (n - 1) + 10 * (n - 2)));
}

// Each edge that could be stolen costs a steal, unless the span has none; a loop is never taken for slower than its iterations in
// a row.
TEST(span, burden) {
  using leat::strands::steal_ns;
  EXPECT_EQ(measure(1, [] { leat::fork_join([] { take(10); }, [] { take(10); }); }).whole.burdened, 10 + steal_ns);
  EXPECT_EQ(measure(1, [] { leat::fork_join([] { take(100'000); }, [] { take(10); }); }).whole.burdened, 100'000u);
  EXPECT_EQ(measure(1, [] { leat::parallel_for(0, 16, [](int) { take(10); }); }).whole.burdened, 160u);
  EXPECT_EQ(measure(1, [] { leat::parallel_for(0, 16, [](int) { take(100'000); }); }).whole.burdened,
            100'000 + 4 * steal_ns);
}
