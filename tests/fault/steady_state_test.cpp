// No allocation per task in steady state: what tasks need is used again, whoever frees it.
//
// A new kind of task inherits these tests by one more workload in the list at the end of this file's first part.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "fault/memory.hpp"

namespace {

using leat_test::allocations_of_all;
using leat_test::engine;
using leat_test::reps;
using leat_test::shape;

// -- workloads: each has, for an engine E, a round that makes `tasks` tasks and returns when they have run. It is called by
// the root of a run.

constexpr int tasks = 600;

struct small_spawns {
  template <class E>
  static void round() {
    std::atomic<int> ran{0};
    for (int i = 0; i < tasks; ++i) E::spawn([&ran] { ++ran; });
    E::barrier();
    EXPECT_EQ(ran, tasks);
  }
};

// Too large for a record, or not trivially copyable: boxed.
struct boxed_spawns {
  template <class E>
  static void round() {
    std::atomic<int> ran{0};
    const auto held = static_cast<void*>(&ran);
    for (int i = 0; i < tasks / 3; ++i) {
      E::spawn([&ran, ballast = std::array<char, 60>{}] { ran += 1 + ballast[0]; });
      E::spawn([&ran, ballast = std::array<char, 200>{}] { ran += 1 + ballast[0]; });
      E::spawn([&ran, own = std::unique_ptr<void, void (*)(void*)>(held, [](void*) {})]() mutable { ++ran; });
    }
    E::barrier();
    EXPECT_EQ(ran, tasks);
  }
};

struct futures_in_a_recursion {
  template <class E>
  static int fib(int n) {
    if (n < 2) return n;
    auto a = E::async([n] { return fib<E>(n - 1); });
    const int b = fib<E>(n - 2);
    return a.get() + b;
  }
  template <class E>
  static void round() {
    EXPECT_EQ(fib<E>(14), 377);  // 609 futures
  }
};

struct futures_in_a_row {
  template <class E>
  static void round() {
    std::array<typename E::template future<int>, 100> all;
    for (int k = 0; k < tasks / 100; ++k) {
      for (auto& f : all) f = E::async([k] { return k; });
      for (auto& f : all) EXPECT_EQ(f.get(), k);
    }
  }
};

// Made by one task, got by another, which may be elsewhere; or never got.
struct futures_passed_on {
  template <class E>
  static void round() {
    std::atomic<int> sum{0};
    for (int i = 0; i < tasks / 3; ++i) {
      auto f = E::async([] { return 1; });
      E::spawn([&sum, f = std::move(f)]() mutable { sum += f.get(); });
      static_cast<void>(E::async([&sum] { ++sum; }));
    }
    E::barrier();
    EXPECT_EQ(sum, 2 * (tasks / 3));
  }
};

struct futures_shared {
  template <class E>
  static void round() {
    std::atomic<int> sum{0};
    for (int i = 0; i < tasks / 3; ++i) {
      auto f = E::async([] { return 1; }).share();
      E::spawn([&sum, f] { sum += f.get(); });
      E::spawn([&sum, f] { sum += f.get(); });
    }
    E::barrier();
    EXPECT_EQ(sum, 2 * (tasks / 3));
  }
};

using workloads = ::testing::Types<small_spawns, boxed_spawns, futures_in_a_recursion, futures_in_a_row,
                                   futures_passed_on, futures_shared>;

// -- each workload

template <class Workload>
class steady_state : public ::testing::Test {};
TYPED_TEST_SUITE(steady_state, workloads);

// How many tasks are under way at once differs from round to round, so now and then one more block is needed. But the
// peaks are bounded, and then no round needs any: among many rounds there is one, and the sum is small.
TYPED_TEST(steady_state, allocates_nothing) {
  for (const std::uint32_t workers : {1u, 2u, 8u}) {
    SCOPED_TRACE(shape{workers}.name());
    engine e(shape{workers});
    const int rounds = std::max(reps(100), 50);  // peaks rise in the first ones
    std::uint64_t made = 0;
    int rounds_without = 0;
    e.run([&] {
      for (int i = 0; i < 10; ++i) TypeParam::template round<engine>();  // the first ones allocate
      for (int i = 0; i < rounds; ++i) {
        const std::uint64_t before = allocations_of_all();
        TypeParam::template round<engine>();
        const std::uint64_t in_round = allocations_of_all() - before;
        made += in_round;
        if (in_round == 0) ++rounds_without;
      }
    });
    if (workers == 1) {
      EXPECT_EQ(made, 0u);
    }
    EXPECT_GT(rounds_without, 0);
    EXPECT_LT(made, static_cast<std::uint64_t>(rounds) * tasks / 50) << "in " << rounds << " rounds of " << tasks;
  }
}

// The worst case for memory that stays where it is freed: one worker makes all tasks, and others run and free them.
template <class E, class Make>
void produce_for_others(Make make) {
  constexpr int batch = 50;
  E e(shape{2});
  std::uint64_t made = 0;
  const int rounds = reps(200);
  e.run([&] {
    const std::uint32_t here = E::here();
    std::atomic<int> elsewhere{0};
    for (int i = 0; i < rounds + 20; ++i) {
      const std::uint64_t before = allocations_of_all();
      elsewhere = 0;
      for (int k = 0; k < batch; ++k) {
        make([&elsewhere, here] {
          EXPECT_NE(E::here(), here);
          ++elsewhere;
        });
      }
      ASSERT_TRUE(leat_test::comes_true([&] { return E::poll(), elsewhere == batch; }));
      if (i >= 20) made += allocations_of_all() - before;
    }
  });
  // A block is on its way home a moment after its task, or in a batch: a few more than at any time before may be needed.
  EXPECT_LT(made, static_cast<std::uint64_t>(batch)) << "for " << rounds * batch << " tasks";
}

TEST(steady_state_of_a_producer, allocates_nothing_for_futures_that_others_free) {
  produce_for_others<engine>([](auto f) { static_cast<void>(engine::async(f)); });
}

TEST(steady_state_of_a_producer, allocates_nothing_for_boxed_callables_that_others_free) {
  produce_for_others<engine>(
      [](auto f) { engine::spawn([f, ballast = std::array<char, 100>{}] { f(), static_cast<void>(ballast); }); });
}

// A run's tasks lie where those of the run before have lain, however many of these were stolen. Else they would creep up
// through the deque, and the deque would grow.
TEST(steady_state_of_a_producer, allocates_nothing_for_run_after_run) {
  constexpr std::size_t capacity = 2048;  // an answer fits, whatever it brings
  constexpr int batch = capacity - 1;
  engine e(shape{2, capacity});
  const auto run = [&] {
    e.run([&] {
      const std::uint32_t here = engine::here();
      std::atomic<int> elsewhere{0};
      for (int k = 0; k < batch; ++k) {
        engine::spawn([&elsewhere, here] {
          if (engine::here() != here) ++elsewhere;
        });
      }
      ASSERT_TRUE(leat_test::comes_true([&] { return engine::poll(), elsewhere > 1; }));
      engine::barrier();
    });
  };
  run();
  const std::uint64_t before = allocations_of_all();
  for (int i = 0; i < reps(100); ++i) run();
  EXPECT_EQ(allocations_of_all() - before, 0u);
}

}  // namespace
