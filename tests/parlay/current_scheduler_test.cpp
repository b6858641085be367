// The current scheduler, as Parlay has it since 2.2.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <thread>

#include "parallel.h"

#include "engines.hpp"
#include "leat/team.hpp"

namespace {

using leat_test::comes_true;
using leat_test::reps;

TEST(current_scheduler, is_none_before_it_is_needed) {
  std::thread([] { EXPECT_EQ(parlay::scheduler_type::get_current_scheduler(), nullptr); }).join();
}

TEST(current_scheduler, is_that_of_whoever_executes) {
  for (const unsigned threads : {2u, 3u, 8u}) {
    parlay::execute_with_scheduler(threads, [&] {
      auto* const mine = &parlay::the_scheduler();
      EXPECT_EQ(parlay::num_workers(), threads);
      std::atomic<bool> begun{false};
      parlay::par_do([&] { EXPECT_TRUE(comes_true([&] { return begun.load(); })); },
                     [&] {
                       EXPECT_EQ(&parlay::the_scheduler(), mine);
                       EXPECT_NE(parlay::worker_id(), 0u);
                       begun = true;
                     });
    });
  }
}

// It is not that of another team's threads, which would all have the number of its caller.
TEST(current_scheduler, does_not_go_with_its_thread_into_another_team) {
  leat::options of_three;
  of_three.workers = 3;
  leat::team other(of_three);
  const auto caller = std::this_thread::get_id();
  parlay::execute_with_scheduler(3, [&] {
    parlay::par_do(
        [&] {
          other.call([&] {
            parlay::parallel_for(
                0, reps(1000),
                [&](std::size_t) {
                  EXPECT_EQ(std::this_thread::get_id(), caller);
                  EXPECT_EQ(parlay::worker_id(), 0u);
                },
                1);
          });
        },
        [] {});
  });
}

TEST(current_scheduler, may_be_another_for_some_time) {
  auto* const before = &parlay::the_scheduler();
  for (int i = 0; i < reps(20); ++i) {
    parlay::execute_with_scheduler(2, [&] {
      auto* const two = &parlay::the_scheduler();
      EXPECT_NE(two, before);
      std::atomic<int> done{0};
      parlay::parallel_for(
          0, 10,
          [&](std::size_t) {
            EXPECT_EQ(&parlay::the_scheduler(), two);
            parlay::execute_with_scheduler(3, [&] {
              EXPECT_NE(&parlay::the_scheduler(), two);
              EXPECT_EQ(parlay::worker_id(), 0u);
              parlay::parallel_for(
                  0, 10,
                  [&](std::size_t) {
                    EXPECT_LT(parlay::worker_id(), 3u);
                    ++done;
                  },
                  1);
            });
            EXPECT_EQ(&parlay::the_scheduler(), two);
          },
          1);
      EXPECT_EQ(done, 100);
    });
    EXPECT_EQ(&parlay::the_scheduler(), before);
  }
}

TEST(current_scheduler, of_each_thread_outside_is_its_own) {
  auto* const mine = &parlay::the_scheduler();
  std::thread([&] {
    EXPECT_NE(&parlay::the_scheduler(), mine);
    EXPECT_EQ(&parlay::the_scheduler(), &parlay::the_scheduler());
  }).join();
}

}  // namespace
