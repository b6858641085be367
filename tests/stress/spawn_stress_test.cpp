// Many tasks, from many places: none is lost and none is executed twice.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "engines.hpp"

namespace {

using leat_test::engine;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;
using leat_test::shapes;

TEST(spawn_stress, a_producer_makes_a_million_tasks) {
  for (const std::size_t capacity : {std::size_t{1}, std::size_t{4}, shape{}.deque_capacity}) {
    for (const std::uint32_t workers : {1u, 2u, 8u}) {
      const shape s{workers, capacity};
      SCOPED_TRACE(s.name());
      engine e(s);
      const auto tasks = static_cast<std::size_t>(reps(1'000'000));
      std::vector<unsigned char> ran(tasks);  // plain: two executions at once would race
      e.run([&] {
        for (unsigned char& times : ran) engine::spawn([&times] { ++times; });
      });
      std::size_t wrong = 0;
      for (const unsigned char times : ran) wrong += times != 1;
      EXPECT_EQ(wrong, 0u);
      EXPECT_EQ(e.counters()[leat::event::tasks], tasks);
    }
  }
}

// A tree whose shape its seed decides: some nodes have many children, most have none, and some have much to do.
template <class E>
void unbalanced(std::uint64_t seed, int depth, std::atomic<std::uint64_t>& ran, std::atomic<std::uint64_t>& spawned) {
  leat::protocol::random draw(seed);
  ran.fetch_add(1, std::memory_order_relaxed);
  if (draw.below(64) == 0) std::this_thread::yield();
  if (depth == 0) return;
  const std::uint32_t children = draw.below(4) == 0 ? 8 : draw.below(2);
  for (std::uint32_t i = 0; i < children; ++i) {
    const std::uint64_t child = draw();
    spawned.fetch_add(1, std::memory_order_relaxed);
    E::spawn([child, depth, &ran, &spawned] { unbalanced<E>(child, depth - 1, ran, spawned); });
  }
}

TEST(spawn_stress, unbalanced_trees_come_out_the_same_in_every_shape) {
  std::vector<std::uint64_t> expected;
  on_each_shape<engine>(shapes(), [&](engine& e, const shape&) {
    for (std::size_t seed = 0; seed < static_cast<std::size_t>(reps(20)); ++seed) {
      std::atomic<std::uint64_t> ran{0};
      std::atomic<std::uint64_t> spawned{0};
      e.run([&] {
        for (std::uint64_t k = 0; k < 10; ++k) {
          ++spawned;
          engine::spawn([seed, k, &ran, &spawned] { unbalanced<engine>(10 * seed + k, 7, ran, spawned); });
        }
      });
      ASSERT_EQ(ran, spawned);
      if (expected.size() == seed) expected.push_back(ran);
      ASSERT_EQ(ran, expected[seed]);
    }
  });
}

// Everything at once: several callers, trees, boxed callables, exceptions, barriers, futures, tiny deques.
TEST(spawn_stress, all_constructs_together) {
  on_each_shape<engine>(shapes({1, 2, 3, 8, 16}), [](engine& e, const shape&) {
    const auto token = std::make_shared<int>(0);
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int c = 0; c < 4; ++c) {
      callers.emplace_back([&, c] {
        for (int round = 0; round < reps(30); ++round) {
          std::vector<int> ran(32);
          bool threw = false;
          try {
            e.run([&] {
              for (int& times : ran) {
                engine::spawn([&times, token] {
                  auto f = engine::async([&times, token] { return ++times, token; });
                  engine::spawn([token] {});
                  if (f.get() != token) times = 100;
                });
              }
              engine::barrier();
              for (int& times : ran) engine::spawn([&times] { ++times; });
              if (c == 0) engine::spawn([token] { throw token; });
            });
          } catch (const std::shared_ptr<int>&) {
            threw = true;
          }
          if (ran != std::vector<int>(32, 2) || threw != (c == 0)) ++wrong;
        }
      });
    }
    for (auto& t : callers) t.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(token.use_count(), 1);
  });
}

TEST(spawn_stress, work_is_shared) {
  // On a machine with at least two CPUs, two workers each get a part of a long list of real work.
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one CPU";
  engine e(shape{2});
  std::atomic<std::uint64_t> sum{0};
  e.run([&] {
    for (int i = 0; i < 2000; ++i) {
      engine::spawn([&sum] {
        std::uint64_t x = 1;
        for (int k = 0; k < 20'000; ++k) x = x * 6364136223846793005u + 1;
        sum += x;
      });
    }
  });
  EXPECT_GT(e.counters(0)[leat::event::tasks], 0u);
  EXPECT_GT(e.counters(1)[leat::event::tasks], 0u);
  EXPECT_GT(e.counters()[leat::event::steals], 0u);
}

}  // namespace
