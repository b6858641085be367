// What a look-up costs on deep machines: one step for each level, however many units there are. Counted in steps of a world, in which
// all accesses to words that others could see are steps. (Thibault, 2005, section 4.) And what it costs to put threads back on their list.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "../carried.hpp"
#include "client_parts.hpp"
#include "leat/platform/simulated.hpp"

namespace {

using leat::platform::by_time;
using leat::platform::simulated;
using leat::platform::simulation;
using leat_test::shape;
using leat_test::client::engine;
using on = leat_test::carried<engine>;

// The steps of a world in which one worker carries so many threads that yield so many times each.
std::uint64_t steps(const std::string& tree, int threads, int yields) {
  by_time schedule;
  const auto end = simulation({}, schedule).run([&] {
    engine e(shape{1});
    on::run(e, tree, [&] {
      std::vector<on::thread> all;
      for (int i = 0; i < threads; ++i) {
        all.emplace_back([&] {
          for (int k = 0; k < yields; ++k) on::thread::yield();
        });
      }
      for (auto& t : all) t.join();
    });
  });
  EXPECT_TRUE(end.ok()) << end.failure;
  return end.steps;
}

double steps_of_yield(const std::string& tree, int threads) {
  constexpr int few = 100, many = 300;
  return static_cast<double>(steps(tree, threads, many) - steps(tree, threads, few)) / (threads * (many - few));
}

TEST(look_up, takes_a_step_for_each_level) {
  const std::vector<std::string> trees{"pu:2", "core:2 pu:2", "numa:2 core:2 pu:2", "package:2 numa:2 core:2 pu:2",
                                       "group:2 package:2 numa:2 core:2 pu:2"};
  for (const int threads : {1, 2, 5}) {
    const double first = steps_of_yield(trees[0], threads);
    for (std::size_t i = 1; i < trees.size(); ++i)
      EXPECT_EQ(steps_of_yield(trees[i], threads), first + static_cast<double>(i)) << trees[i] << ", " << threads;
    EXPECT_EQ(steps_of_yield("group:4 package:4 numa:4 core:4 pu:2", threads), steps_of_yield(trees.back(), threads))
        << "512 units or 32";
  }
}

// The time of a world that it takes one of several threads to tell the others.
std::uint64_t ns_of_telling(std::size_t others) {
  by_time schedule;
  std::uint64_t ns = 0;
  const auto end = simulation({}, schedule).run([&] {
    engine e(shape{1});
    on::run(e, "numa:2 pu:2", [&] {
      on::mutex mutex;
      on::condition told;
      std::vector<on::thread> all;
      for (std::size_t i = 0; i < others; ++i) {
        all.emplace_back([&] {
          mutex.lock();
          told.wait(mutex);
          mutex.unlock();
        });
      }
      on::thread::yield();  // now all wait
      const std::uint64_t begun = simulated::now_ns();
      told.notify_all();
      ns = simulated::now_ns() - begun;
      for (auto& t : all) t.join();
    });
  });
  EXPECT_TRUE(end.ok()) << end.failure;
  return ns;
}

// THREAD-5: they come back to their list at once.
TEST(telling, takes_one_lock_for_all_of_a_list) {
  const std::uint64_t one = ns_of_telling(1), many = ns_of_telling(33);
  EXPECT_LT(many - one, one);
}

}  // namespace
