// Task groups and memory: none is taken for a task in the steady state, and a group stays whole when there is none.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "engines.hpp"
#include "fault/memory.hpp"

namespace {

using leat_test::allocations;
using leat_test::engine;
using leat_test::failing_allocation;
using leat_test::shape;

// What the calling worker allocates when it spawns tasks that hold `Bytes` bytes and waits for them.
template <class E, std::size_t Bytes>
std::uint64_t allocated() {
  const std::uint64_t before = allocations();
  for (int round = 0; round < 10; ++round) {
    std::array<char, Bytes> ballast{};
    ballast[0] = 1;
    std::atomic<int> sum{0};
    typename E::task_group group;
    for (int i = 0; i < 300; ++i) group.spawn([ballast, &sum] { sum += ballast[0]; });
    group.wait();
    EXPECT_EQ(sum, 300);
  }
  return allocations() - before;
}

TEST(task_group_memory, small_tasks_allocate_nothing) {
  engine e(shape{1});
  EXPECT_EQ((e.run(allocated<engine, 1>)), 0u);
  EXPECT_EQ((e.run(allocated<engine, 32>)), 0u);
  EXPECT_GT((e.run(allocated<engine, 33>)), 0u) << "the blocks come from somewhere";
}

TEST(task_group_memory, larger_tasks_use_the_same_memory_again) {
  engine e(shape{1});
  e.run(allocated<engine, 100>);
  EXPECT_EQ((e.run(allocated<engine, 100>)), 0u);
}

// A task that waits in vain for one that was never spawned would show; so would one that ran although spawn refused it.
TEST(task_group_memory, spawn_throws_and_the_group_stays_whole) {
  for (const std::uint32_t workers : {1u, 2u, 8u}) {
    engine e(shape{workers, 16});
    for (long k = 0; k < 5; ++k) {
      std::atomic<int> ran{0};
      int spawned = 0;
      e.run([&] {
        engine::task_group group;
        for (int i = 0; i < 200; ++i) {
          const failing_allocation fault(k);
          try {
            group.spawn([&ran, ballast = std::array<char, 300>{}] { ran += 1 + ballast[0]; });
            ++spawned;
          } catch (const std::bad_alloc&) {
          }
        }
        group.wait();
        EXPECT_EQ(ran, spawned);
      });
    }
  }
}

// When the deque is full and cannot grow, a task of a group runs in place, and is counted all the same.
TEST(task_group_memory, tasks_that_run_in_place_are_counted) {
  for (const std::uint32_t workers : {1u, 2u}) {
    engine e(shape{workers, 2});
    e.run([&] {
      std::atomic<int> ran{0};
      engine::task_group group;
      for (int i = 0; i < 50; ++i) {
        const failing_allocation fault(0);
        group.spawn([&ran] { ++ran; });
      }
      group.wait();
      EXPECT_EQ(ran, 50);
      group.spawn([&ran] { ++ran; });
      group.wait();
      EXPECT_EQ(ran, 51);
    });
  }
}

}  // namespace
