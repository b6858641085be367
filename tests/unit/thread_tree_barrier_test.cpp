// A barrier at which threads meet within their domain first.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "carried.hpp"
#include "leat/thread/tree_barrier.hpp"

namespace {

using leat::topology::machine;
using leat_test::carrying_shapes;
using leat_test::engine;
using leat_test::machine_of;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;
using on = leat_test::carried<engine>;
using tree_barrier = leat::threads::tree_barrier<engine::platform>;

TEST(tree_barriers, open_when_all_have_come_and_tell_one_that_it_was_the_last) {
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    for (const std::size_t threads : {1u, 2u, 3u, 5u, 16u, 33u}) {
      on::run(e, machine_of(s.workers), [&] {
        const int rounds = reps(20);
        auto barrier = std::make_unique<tree_barrier>(threads);
        std::atomic<int> came{0}, lasts{0}, early{0};
        std::vector<on::thread> all;
        for (std::size_t i = 0; i < threads; ++i) {
          all.emplace_back([&, i] {
            for (int k = 1; k <= rounds; ++k) {
              ++came;
              lasts += barrier->arrive_and_wait(i);
              early += came < k * static_cast<int>(threads);
            }
          });
        }
        for (auto& t : all) t.join();
        EXPECT_EQ(lasts, rounds);
        EXPECT_EQ(early, 0);
      });
    }
  });
}

// They need no carrier; and the one that was the last may destroy the barrier as soon as the others have been told.
TEST(tree_barriers, let_any_thread_come) {
  engine e(shape{2});
  on::run(e, "numa:2 core:2 pu:2", [] {
    for (int round = 0; round < reps(50); ++round) {
      auto barrier = std::make_unique<tree_barrier>(3);
      std::atomic<int> told{0};
      std::thread stranger([&] { told += barrier->arrive_and_wait(2) ? 100 : 1; });
      on::thread other([&] { told += barrier->arrive_and_wait(0) ? 100 : 1; });
      engine::blocking([&] { told += barrier->arrive_and_wait(1) ? 100 : 1; });
      other.join();
      engine::blocking([&] { stranger.join(); });
      EXPECT_EQ(told, 102);
    }
  });
}

TEST(tree_barriers, work_on_any_machine) {
  for (const std::string description : {"pu:1", "pu:7", "numa:3 core:1 pu:1", "package:2 numa:2 l3:1 core:3 pu:2"}) {
    for (const std::size_t threads : {1u, 2u, 5u, 24u, 50u}) {
      SCOPED_TRACE(description);
      tree_barrier barrier(threads, machine::synthetic(description));
      std::atomic<std::size_t> came{0};
      std::atomic<int> lasts{0}, early{0};
      std::vector<std::thread> all;
      for (std::size_t i = 0; i < threads; ++i) {
        all.emplace_back([&, i] {
          for (std::size_t k = 1; k <= 2; ++k) {
            ++came;
            lasts += barrier.arrive_and_wait(i);
            early += came < k * threads;
          }
        });
      }
      for (auto& t : all) t.join();
      EXPECT_EQ(lasts, 2) << threads;
      EXPECT_EQ(early, 0) << threads;
    }
  }
}

template <class Wrong, class F>
std::string said_by(F f) {
  try {
    f();
  } catch (const Wrong& e) {
    return e.what();
  }
  return "nothing";
}

TEST(tree_barriers, say_what_is_wrong) {
  EXPECT_THROW(tree_barrier(2), std::logic_error) << "of no machine";
  engine e(shape{1});
  on::run(e, "numa:2 pu:2", [] {
    EXPECT_EQ(said_by<std::invalid_argument>([] { tree_barrier none(0); }),
              "leat::tree_barrier: of 0 threads; it takes at least 1");
    tree_barrier barrier(3);
    EXPECT_EQ(said_by<std::out_of_range>([&] { barrier.arrive_and_wait(3); }),
              "leat::tree_barrier::arrive_and_wait: thread 3 of 3");
  });
}

}  // namespace
