// Task groups that are left early: exceptions, cancellation, and the groups inside.
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <stdexcept>
#include <string>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

using leat::wait;
using leat_test::comes_true;
using leat_test::engine;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;
using leat_test::shapes;

struct bad : std::runtime_error {
  using std::runtime_error::runtime_error;
};

TEST(task_group_stop, the_first_exception_comes_out_of_the_wait_and_the_rest_is_skipped) {
  on_each_shape<engine>(shapes({1, 2, 8}), [](engine& e, const shape& s) {
    e.run([&] {
      engine::task_group group;
      std::atomic<int> ran{0};
      std::atomic<int> threw{0};
      for (int i = 0; i < 200; ++i) group.spawn([&] { ++ran; });
      group.spawn([&] { throw bad(std::to_string(++threw)); });
      group.spawn([&] { throw bad(std::to_string(++threw)); });
      std::string first;
      try {
        group.wait();
        ADD_FAILURE() << "nothing came out";
      } catch (const bad& problem) {
        first = problem.what();
      }
      EXPECT_TRUE(threw == 1 || s.workers > 1) << "the second is skipped";
      if (s.workers == 1) {
        EXPECT_EQ(ran, 0) << "newest first: nothing had begun";
        EXPECT_EQ(first, "1");
      }
      // As good as new.
      EXPECT_FALSE(group.cancelled());
      ran = 0;
      for (int i = 0; i < 200; ++i) group.spawn([&] { ++ran; });
      group.wait();
      EXPECT_EQ(ran, 200);
    });
  });
}

TEST(task_group_stop, of_many_exceptions_one_comes_out_and_no_task_outlives_the_wait) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    e.run([&] {
      for (int round = 0; round < reps(20); ++round) {
        engine::task_group group;
        std::atomic<int> running{0};
        for (int i = 0; i < 50; ++i) {
          group.spawn([&running, i] {
            ++running;
            engine::poll();
            --running;
            if (i % 3 == 0) throw bad("one of many");
          });
        }
        EXPECT_THROW(group.wait(round % 2 == 0 ? wait::own : wait::any), bad);
        EXPECT_EQ(running, 0);
      }
    });
  });
}

TEST(task_group_stop, an_exception_that_is_not_fetched_is_dropped_with_the_group) {
  engine e(shape{2});
  e.run([] {
    engine::task_group group;
    group.spawn([] { throw bad("dropped"); });
  });
}

TEST(task_group_stop, an_exception_crosses_nested_groups_one_wait_at_a_time) {
  on_each_shape<engine>(shapes({1, 3, 8}), [](engine& e, const shape&) {
    e.run([] {
      engine::task_group outer;
      std::atomic<int> caught{0};
      outer.spawn([&caught] {
        engine::task_group inner;
        inner.spawn([] { throw bad("inner"); });
        try {
          inner.wait();
        } catch (const bad&) {
          ++caught;
          throw;
        }
      });
      EXPECT_THROW(outer.wait(), bad);
      EXPECT_EQ(caught, 1);
    });
  });
}

// -- cancellation

TEST(task_group_stop, a_cancelled_group_skips_what_has_not_begun_until_it_has_been_waited_for) {
  on_each_shape<engine>(shapes({1, 2, 8}), [](engine& e, const shape&) {
    e.run([] {
      engine::task_group group;
      std::atomic<int> ran{0};
      group.cancel();
      EXPECT_TRUE(group.cancelled());
      for (int i = 0; i < 100; ++i) group.spawn([&] { ++ran; });
      group.wait();
      EXPECT_EQ(ran, 0);
      EXPECT_FALSE(group.cancelled());
      for (int i = 0; i < 100; ++i) group.spawn([&] { ++ran; });
      group.wait();
      EXPECT_EQ(ran, 100);
      group.cancel();
      group.wait();
      EXPECT_FALSE(group.cancelled());
    });
  });
}

TEST(task_group_stop, a_task_that_runs_asks_the_token) {
  on_each_shape<engine>(shapes({2, 8}), [](engine& e, const shape&) {
    e.run([] {
      engine::task_group group;
      const engine::stop_token token = group.token();
      std::atomic<bool> begun{false};
      std::atomic<int> skipped{0};
      group.spawn([&begun, token] {
        begun = true;
        EXPECT_TRUE(comes_true([&] { return token.stop_requested(); }));
      });
      EXPECT_TRUE(comes_true([&] { return engine::poll(), begun.load(); }));
      EXPECT_FALSE(token.stop_requested());
      group.cancel();
      EXPECT_TRUE(token.stop_requested());
      for (int i = 0; i < 50; ++i) group.spawn([&skipped] { ++skipped; });
      group.wait();
      EXPECT_EQ(skipped, 0);
      EXPECT_FALSE(token.stop_requested());
    });
  });
}

TEST(task_group_stop, a_task_cancels_its_group) {
  engine e(shape{1});
  e.run([] {
    engine::task_group group;
    int ran = 0;
    for (int i = 0; i < 10; ++i) {
      group.spawn([&] {
        if (++ran == 3) group.cancel();
      });
    }
    group.wait();
    EXPECT_EQ(ran, 3);
  });
}

TEST(task_group_stop, an_empty_token_never_stops) { EXPECT_FALSE(engine::stop_token().stop_requested()); }

TEST(task_group_stop, cancelling_an_outer_group_reaches_the_groups_inside_its_tasks) {
  on_each_shape<engine>(shapes({1, 2, 8}), [](engine& e, const shape&) {
    e.run([] {
      engine::task_group outer;
      engine::task_group beside;
      std::atomic<int> ran{0};
      outer.spawn([&] {
        engine::task_group inner;
        inner.spawn([&] {
          engine::task_group innermost;
          const auto token = innermost.token();
          EXPECT_FALSE(token.stop_requested());
          for (int i = 0; i < 10; ++i) innermost.spawn([&] { ++ran; });
          innermost.wait();
          EXPECT_EQ(ran, 10);
          outer.cancel();
          EXPECT_TRUE(token.stop_requested());
          EXPECT_TRUE(inner.cancelled());
          for (int i = 0; i < 10; ++i) innermost.spawn([&] { ++ran; });
          innermost.wait();  // returns normally
          EXPECT_TRUE(innermost.cancelled()) << "the outer one still is";
        });
        inner.wait();
        inner.spawn([&] { ADD_FAILURE() << "spawned into a cancelled group"; });
        inner.wait();
        EXPECT_EQ(ran, 10);
      });
      outer.wait();
      EXPECT_FALSE(beside.cancelled());
      EXPECT_FALSE(outer.cancelled());
    });
  });
}

TEST(task_group_stop, cancelling_an_inner_group_leaves_the_outer_one_alone) {
  engine e(shape{2});
  e.run([] {
    engine::task_group outer;
    outer.spawn([&] {
      engine::task_group inner;
      inner.spawn([] {});
      inner.cancel();
      EXPECT_FALSE(outer.cancelled());
    });
    outer.wait();
  });
}

// A stranger that runs inside a wait for any is no descendant of the one that waits.
TEST(task_group_stop, what_a_wait_for_any_runs_is_not_inside_the_waiting_group) {
  engine e(shape{1});
  e.run([] {
    engine::task_group outer;
    std::optional<bool> cancelled;
    outer.spawn([&] {
      outer.cancel();
      engine::task_group inner;
      EXPECT_TRUE(inner.cancelled());
      inner.spawn([] {});
      engine::spawn([&] {
        engine::task_group apart;
        cancelled = apart.cancelled();
      });
      inner.wait(wait::any);
    });
    outer.wait();
    EXPECT_EQ(cancelled, false);
  });
}

}  // namespace
