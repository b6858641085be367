// Spawned loops: of how many tasks they are, while nobody asks for any.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

using leat_test::engine;
using leat_test::shape;

TEST(tasks_of_spawn_for, are_one_while_nobody_asks) {
  using E = engine;
  E e(shape{1});
  const auto tasks_of = [&](auto f) {
    const std::uint64_t before = e.counters()[leat::event::tasks];
    e.run(f);
    return e.counters()[leat::event::tasks] - before;
  };
  EXPECT_EQ(tasks_of([] { E::spawn_for(0, 10'000, [](int) {}); }), 1u);
  EXPECT_EQ(tasks_of([] {
              typename E::task_group group;
              E::spawn_for(group, 0, 10'000, [](int) {});
              group.wait();
            }),
            1u);
}

TEST(tasks_of_spawn_for, are_few_in_a_wait_for_any_within_another_wait) {
  using E = engine;
  E e(shape{2});
  const int loops = 40;
  const int indices = 1000;
  std::atomic<int> stage{0};
  std::atomic<int> seen{0};
  const auto reach = [&](int s) {
    while (stage < s) E::poll();
  };
  const std::uint64_t before = e.counters()[leat::event::tasks];
  const auto spawner = [&] {
    reach(1);
    for (int k = 0; k < loops; ++k) E::spawn_for(0, indices, [&](int) { ++seen; });
    stage = 2;
  };
  const auto stolen = [&] {
    stage = 1;
    reach(2);
    std::optional<typename E::template shared_future<void>> done;
    typename E::task_group group;
    group.spawn([&] {  // executed by the spawner's worker, which waits for this one, above the loops
      stage = 3;
      while (stage < 4) std::this_thread::yield();
      done->wait(leat::wait::any);
    });
    reach(3);
    done = E::async([&] {
             stage = 4;
             EXPECT_TRUE(leat_test::comes_true([&] { return seen == loops * indices; }));
           }).share();
    const auto mine = *done;
    mine.wait();
    group.wait();
  };
  e.run([&] { E::fork_join(spawner, stolen); });
  EXPECT_LT(e.counters()[leat::event::tasks] - before, 10u * loops);
}

}  // namespace
