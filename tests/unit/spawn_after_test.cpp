// Tasks of a group that begin after others of it.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

using leat_test::comes_true;
using leat_test::engine;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;
using leat_test::shapes;
using handle = engine::task_handle;

TEST(spawn_after, begins_when_all_that_it_waits_for_is_done) {
  on_each_shape<engine>(shapes({1, 2, 8}), [](engine& e, const shape&) {
    e.run([] {
      // A square in which each cell is the sum of the one above and the one before: Pascal's triangle modulo 2^32.
      constexpr std::size_t side = 40;
      std::vector<unsigned> cells(side * side);
      std::vector<handle> done(side * side);
      engine::task_group group;
      for (std::size_t i = 0; i < side; ++i) {
        for (std::size_t j = 0; j < side; ++j) {
          const std::size_t at = i * side + j;
          done[at] = group.spawn_after({i == 0 ? handle() : done[at - side], j == 0 ? handle() : done[at - 1]},
                                       [c = &cells[at], i, j] {
                                         const unsigned above = i == 0 ? 0 : *(c - side);
                                         const unsigned before = j == 0 ? 0 : *(c - 1);
                                         *c = i == 0 || j == 0 ? 1 : above + before;
                                       });
        }
      }
      group.wait();
      std::vector<unsigned> expected(side * side, 1);
      for (std::size_t i = 1; i < side; ++i) {
        for (std::size_t j = 1; j < side; ++j)
          expected[i * side + j] = expected[(i - 1) * side + j] + expected[i * side + j - 1];
      }
      EXPECT_EQ(cells, expected);
      for (const handle& h : done) EXPECT_TRUE(h.done());
    });
  });
}

TEST(spawn_after, of_nothing_is_a_spawn_with_a_handle) {
  engine e(shape{2});
  e.run([] {
    engine::task_group group;
    int ran = 0;
    EXPECT_FALSE(handle().valid());
    EXPECT_TRUE(handle().done());
    const handle a = group.spawn_after({}, [&] { ++ran; });
    EXPECT_TRUE(a.valid());
    group.wait();
    EXPECT_TRUE(a.done());
    EXPECT_EQ(ran, 1);
    // What is done is no more waited for, also in the next use of the group, and in another group.
    engine::task_group other;
    group.spawn_after({a, handle()}, [&] { ++ran; });
    group.wait();
    other.spawn_after({a}, [&] { ++ran; });
    other.wait();
    EXPECT_EQ(ran, 3);
  });
}

TEST(spawn_after, a_task_does_not_begin_before) {
  engine e(shape{3});
  e.run([] {
    engine::task_group group;
    std::atomic<bool> goes_on{false};
    std::atomic<bool> began{false};
    std::atomic<bool> second{false};
    const handle slow = group.spawn_after({}, [&] {
      began = true;
      EXPECT_TRUE(comes_true([&] { return engine::poll(), goes_on.load(); }));
    });
    const handle quick = group.spawn_after({}, [] {});
    const handle last = group.spawn_after({quick, slow, quick}, [&] { second = true; });
    ASSERT_TRUE(comes_true([&] { return engine::poll(), began && quick.done(); }));
    EXPECT_FALSE(last.done());
    EXPECT_FALSE(second);
    goes_on = true;
    group.wait();
    EXPECT_TRUE(second && last.done());
  });
}

TEST(spawn_after, takes_any_number_of_handles) {
  on_each_shape<engine>(shapes({1, 2}), [](engine& e, const shape&) {
    e.run([] {
      engine::task_group group;
      std::atomic<int> ran{0};
      int seen = -1;
      std::vector<handle> all;
      for (int i = 0; i < 500; ++i) all.push_back(group.spawn_after({}, [&] { ++ran; }));
      group.spawn_after(all, [&] { seen = ran; });
      group.wait();
      EXPECT_EQ(seen, 500);
    });
  });
}

TEST(spawn_after, in_tasks_of_the_group) {
  on_each_shape<engine>(shapes({1, 2, 8}), [](engine& e, const shape&) {
    e.run([] {
      engine::task_group group;
      std::atomic<int> ran{0};
      for (int i = 0; i < 50; ++i) {
        group.spawn([&] {
          const handle a = group.spawn_after({}, [&] { ++ran; });
          const handle b = group.spawn_after({a}, [&] { ++ran; });
          group.spawn_after({a, b}, [&] { ++ran; });
        });
      }
      group.wait();
      EXPECT_EQ(ran, 150);
    });
  });
}

TEST(spawn_after, a_long_chain_needs_little_stack) {
  engine e(shape{1});
  e.run([] {
    engine::task_group group;
    int ran = 0;
    handle last;
    const int length = reps(1'000'000);
    for (int i = 0; i < length; ++i) last = group.spawn_after({last}, [&ran, i] { ran += ran == i; });
    group.wait();
    EXPECT_EQ(ran, length);
  });
}

TEST(spawn_after, handles_outlive_the_group_and_the_runtime) {
  handle kept;
  const auto alive = std::make_shared<int>();
  {
    engine e(shape{2});
    e.run([&] {
      engine::task_group group;
      kept = group.spawn_after({}, [alive] {});
      handle copy = kept;
      copy = std::move(kept);
      kept = copy;
    });
  }
  EXPECT_TRUE(kept.done());
  EXPECT_EQ(alive.use_count(), 1) << "the callable goes when it has been called";
}

// -- mistakes

TEST(spawn_after, refuses_handles_of_other_groups) {
  engine e(shape{2});
  e.run([] {
    std::atomic<bool> goes_on{false};
    engine::task_group group;
    engine::task_group other;
    const handle theirs =
        other.spawn_after({}, [&] { EXPECT_TRUE(comes_true([&] { return engine::poll(), goes_on.load(); })); });
    std::string problem;
    try {
      group.spawn_after({handle(), theirs}, [] {});
    } catch (const std::invalid_argument& refused) {
      problem = refused.what();
    }
    EXPECT_EQ(problem, "leat::task_group::spawn_after: handle 1 is of a task of another group");
    goes_on = true;
  });
}

TEST(spawn_after, a_callable_that_cannot_be_copied_leaves_nothing) {
  engine e(shape{2});
  e.run([] {
    struct bad {
      bad() = default;
      bad(const bad&) { throw std::runtime_error("copied"); }
      void operator()() const {}
    } const f;
    engine::task_group group;
    const handle before = group.spawn_after({}, [] {});
    EXPECT_THROW(group.spawn_after({before}, f), std::runtime_error);
    EXPECT_THROW(group.spawn_after({before, before, before, before}, f), std::runtime_error);
    group.wait();
  });
}

// -- exceptions and cancellation

TEST(spawn_after, what_waits_for_a_task_that_threw_is_skipped) {
  on_each_shape<engine>(shapes({1, 2, 8}), [](engine& e, const shape&) {
    e.run([] {
      engine::task_group group;
      const auto alive = std::make_shared<int>();
      std::atomic<int> after{0};
      for (int round = 0; round < reps(20); ++round) {
        handle last = group.spawn_after({}, [] { throw std::runtime_error("bad"); });
        for (int i = 0; i < 20; ++i) {
          const handle side = group.spawn_after({last}, [&, alive] { ++after; });
          last = group.spawn_after({last, side},
                                   [&, alive, ballast = std::array<char, 90>{}] { after += 1 + ballast[0]; });
        }
        EXPECT_THROW(group.wait(), std::runtime_error);
        EXPECT_TRUE(last.done());
        EXPECT_EQ(after, 0);
        EXPECT_EQ(alive.use_count(), 1);
        group.spawn_after({last}, [&] { after -= 1; });
        group.wait();
        EXPECT_EQ(after.exchange(0), -1) << "as good as new";
      }
    });
  });
}

TEST(spawn_after, a_cancelled_group_skips_what_waits) {
  on_each_shape<engine>(shapes({1, 2, 8}), [](engine& e, const shape&) {
    e.run([] {
      engine::task_group group;
      std::atomic<int> after{0};
      const handle first = group.spawn_after({}, [&] { group.cancel(); });
      handle last = first;
      for (int i = 0; i < 100; ++i) last = group.spawn_after({last}, [&] { ++after; });
      group.wait();
      EXPECT_EQ(after, 0);
      EXPECT_TRUE(last.done());
    });
  });
}

}  // namespace
