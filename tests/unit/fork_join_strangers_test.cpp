// What a worker must not do while it waits for what others execute: what is done later in a serial execution, when the
// waiter has let go of its locks.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

#include "engines.hpp"
#include "guarded.hpp"
#include "leat/leat.hpp"

namespace {

using leat_test::engine;
using leat_test::guarded;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;
using leat_test::worker_shapes;

class fork_join_strangers : public ::testing::Test {
 protected:
  /// Waits until flag is true, for ten seconds at most, and answers thieves meanwhile.
  static void until(const std::atomic<bool>& flag) {
    EXPECT_TRUE(leat_test::comes_true([&] { return engine::poll(), flag.load(); }));
  }

  /// Answers thieves for so long that a waiter can have asked more than once.
  static void answer_thieves() {
    const auto end = engine::platform::now_ns() + 1'000'000;
    while (engine::platform::now_ns() < end) engine::poll();
  }
};

// A task of a group that was made outside is waited for outside.
TEST_F(fork_join_strangers, are_tasks_of_groups_that_were_made_outside) {
  on_each_shape<engine>(worker_shapes({2}), [](engine& e, const shape&) {
    guarded one;
    const int rounds = reps(20);
    for (int round = 0; round < rounds; ++round) {
      e.run([&] {
        engine::task_group outer;
        std::atomic<bool> begun{false};
        one.hold([&] {
          engine::fork_join([&] { fork_join_strangers::until(begun); },
                            [&] {
                              begun = true;
                              for (int k = 0; k < 3; ++k) outer.spawn([&] { one.hold([] {}); });
                              fork_join_strangers::answer_thieves();
                            });
        });
        outer.wait();
      });
    }
    EXPECT_EQ(one.strangers, 0);
    EXPECT_EQ(one.held, 4 * rounds);
  });
}

// One that was made inside is waited for inside, whoever waits.
TEST_F(fork_join_strangers, are_not_tasks_of_groups_that_were_made_inside) {
  on_each_shape<engine>(worker_shapes({2}), [](engine& e, const shape&) {
    for (int round = 0; round < reps(20); ++round) {
      std::atomic<bool> begun{false}, helped{false};
      e.run([&] {
        engine::fork_join([&] { fork_join_strangers::until(begun); },
                          [&] {
                            begun = true;
                            engine::task_group inner;
                            inner.spawn([&] { helped = true; });
                            fork_join_strangers::until(helped);
                          });
      });
      EXPECT_TRUE(helped);
    }
  });
}

// What a helper executes may leave something behind.
TEST_F(fork_join_strangers, are_tasks_that_are_left_behind_by_what_a_waiter_helps_with) {
  on_each_shape<engine>(worker_shapes({2}), [](engine& e, const shape&) {
    guarded one;
    const int rounds = reps(20);
    const auto stranger = [&one] { one.hold([] {}); };
    for (int round = 0; round < rounds; ++round) {
      e.run([&] {
        const std::uint32_t waiter = engine::here();
        engine::task_group outer;
        std::atomic<bool> begun{false}, left{false};
        std::optional<engine::future<void>> later;
        const auto part = [&] {
          EXPECT_EQ(engine::here(), waiter);
          engine::spawn(stranger);
          outer.spawn(stranger);
          later = engine::async(stranger);
          engine::spawn(stranger);
          left = true;
        };
        one.hold([&] {
          engine::fork_join([&] { fork_join_strangers::until(begun); },
                            [&] {
                              begun = true;
                              engine::fork_join(
                                  [&] { fork_join_strangers::until(left), fork_join_strangers::answer_thieves(); },
                                  part);
                            });
        });
        outer.wait();
        later->get();
      });
    }
    EXPECT_EQ(one.strangers, 0);
    EXPECT_EQ(one.held, 5 * rounds);
  });
}

// The same where several come at once, and each leaves something on top of the rest.
TEST_F(fork_join_strangers, are_tasks_that_are_left_behind_by_many) {
  engine e(shape{2}, leat::protocol::strategy::steal_half);
  guarded one;
  const int rounds = reps(20);
  constexpr int parts = 32;
  for (int round = 0; round < rounds; ++round) {
    e.run([&] {
      const std::uint32_t waiter = engine::here();
      std::atomic<bool> begun{false}, helped{false};
      one.hold([&] {
        engine::fork_join([&] { fork_join_strangers::until(begun); },
                          [&] {
                            begun = true;
                            engine::task_group inner;
                            for (int i = 0; i < parts; ++i) {
                              inner.spawn([&, i] {
                                if (engine::here() == waiter) helped = true;
                                if (i % 3 == 0) engine::spawn([&] { one.hold([] {}); });
                                if (i % 8 == 0) inner.spawn([] {});
                              });
                            }
                            fork_join_strangers::until(helped);
                            fork_join_strangers::answer_thieves();
                          });
      });
    });
  }
  EXPECT_EQ(one.strangers, 0);
  EXPECT_EQ(one.held, rounds * (1 + (parts + 2) / 3));
}

}  // namespace
