// The task barrier: after it, every task of the run has happened.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
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

TEST(barrier, holds_a_thousand_times_in_a_row) {
  for (const std::uint32_t workers : {1u, 2u, 16u}) {
    engine e(shape{workers});
    long sum = 0;  // plain, like the cells: TSan sees whether a barrier is one
    e.run([&] {
      std::vector<long> cells(10, 0);
      for (int i = 0; i < reps(1000); ++i) {
        for (long& cell : cells) engine::spawn([&cell, i] { cell = i; });
        engine::barrier();
        for (const long cell : cells) sum += cell - i;
      }
    });
    EXPECT_EQ(sum, 0) << workers;
  }
}

TEST(barrier, holds_without_any_task) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    e.run([] {
      for (int i = 0; i < reps(50); ++i) engine::barrier();
    });
  });
}

template <class E>
void tree(int depth, std::vector<int>& leaves, std::size_t i) {
  if (depth == 0) {
    ++leaves[i];
    return;
  }
  E::spawn([depth, &leaves, i] { tree<E>(depth - 1, leaves, 2 * i); });
  E::spawn([depth, &leaves, i] { tree<E>(depth - 1, leaves, 2 * i + 1); });
}

TEST(barrier, waits_for_the_tasks_of_tasks) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    std::vector<int> leaves(64);
    e.run([&] {
      for (int round = 1; round <= reps(20); ++round) {
        tree<engine>(6, leaves, 0);
        engine::barrier();
        ASSERT_EQ(leaves, std::vector<int>(64, round));
      }
    });
  });
}

TEST(barrier, lets_the_run_go_on_with_new_tasks) {
  on_each_shape<engine>(shapes({1, 2, 8}), [](engine& e, const shape&) {
    std::vector<int> ran(30);
    const int got = e.run([&] {
      for (int& times : ran) engine::spawn([&times] { ++times; });
      engine::barrier();
      EXPECT_EQ(ran, std::vector<int>(30, 1));
      for (int& times : ran) engine::spawn([&times] { ++times; });
      return 5;
    });
    EXPECT_EQ(got, 5);
    EXPECT_EQ(ran, std::vector<int>(30, 2));
  });
}

TEST(barrier, waits_for_no_other_run) {
  on_each_shape<engine>(shapes({2, 8}), [](engine& e, const shape&) {
    for (int round = 0; round < reps(20); ++round) {
      std::atomic<bool> begun{false};
      std::atomic<bool> passed{false};
      std::atomic<bool> met{false};
      std::thread other([&] {
        e.run([&] {
          begun = true;
          met = comes_true([&] { return engine::poll(), passed.load(); });
        });
      });
      EXPECT_TRUE(comes_true([&] { return begun.load(); }));
      e.run([&] {
        int cell = 0;
        engine::spawn([&] { cell = 1; });
        engine::barrier();
        EXPECT_EQ(cell, 1);
        passed = true;
      });
      other.join();
      ASSERT_TRUE(met);
    }
  });
}

TEST(barrier, two_runs_have_one_each) {
  on_each_shape<engine>(shapes({1, 2, 3, 16}), [](engine& e, const shape&) {
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int c = 0; c < 3; ++c) {
      callers.emplace_back([&] {
        e.run([&] {
          std::vector<int> cells(8);
          for (int round = 1; round <= reps(100); ++round) {
            for (int& cell : cells) engine::spawn([&cell] { ++cell; });
            engine::barrier();
            wrong += cells != std::vector<int>(8, round);
          }
        });
      });
    }
    for (auto& t : callers) t.join();
    EXPECT_EQ(wrong, 0);
  });
}

// -- where it may not be

TEST(barrier, in_a_task_is_an_error) {
  on_each_shape<engine>(shapes({1, 2, 8}), [](engine& e, const shape&) {
    EXPECT_THROW(e.run([] { engine::spawn([] { engine::barrier(); }); }), leat::misplaced_barrier);
    std::atomic<int> refused{0};
    const auto try_it = [&refused] {
      try {
        engine::barrier();
      } catch (const leat::misplaced_barrier&) {
        ++refused;
      }
    };
    e.run([&] {
      for (int i = 0; i < 10; ++i) {
        engine::spawn([&] {
          try_it();
          e.run(try_it);             // in place, so still in a task
          engine::spawn(try_it);  // in place or not
        });
      }
      engine::async(try_it).get();  // while the root waits
      engine::barrier();
      EXPECT_EQ(refused, 31);
      e.run([] { engine::barrier(); });  // in place, so in the root
    });
    EXPECT_EQ(refused, 31);
  });
}

TEST(barrier, in_a_task_of_a_waiting_root_is_an_error) {
  engine e(shape{1});
  bool refused = false;
  e.run([&] {
    engine::spawn([&] {
      try {
        engine::barrier();
      } catch (const leat::misplaced_barrier&) {
        refused = true;
      }
    });
    engine::barrier();
    EXPECT_TRUE(refused);
  });
}

TEST(barrier, outside_of_a_run_is_an_error) {
  engine e(shape{1});
  try {
    engine::barrier();
    FAIL() << "accepted";
  } catch (const leat::not_a_worker& problem) {
    EXPECT_NE(std::string(problem.what()).find("leat::barrier"), std::string::npos) << problem.what();
  }
  EXPECT_THROW(leat::barrier(), leat::not_a_worker);
}

// -- exceptions

TEST(barrier, lets_out_an_exception_once_and_after_all_tasks) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    std::vector<int> ran(40);
    const auto spawn_all = [&] {
      for (std::size_t i = 0; i < ran.size(); ++i) {
        engine::spawn([&ran, i] {
          ++ran[i];
          if (i % 4 == 0) throw std::runtime_error("task");
        });
      }
    };
    const int got = e.run([&] {
      for (int round = 1; round <= 3; ++round) {
        spawn_all();
        EXPECT_THROW(engine::barrier(), std::runtime_error);
        EXPECT_EQ(ran, std::vector<int>(40, round));
        EXPECT_NO_THROW(engine::barrier()) << "it came out already";
      }
      return 1;
    });
    EXPECT_EQ(got, 1) << "the run does not fail for what the root has caught";
    EXPECT_THROW(e.run([&] {
      spawn_all();
      try {
        engine::barrier();
      } catch (const std::runtime_error&) {
      }
      engine::spawn([] { throw 7; });
    }),
                 int);
    EXPECT_THROW(e.run([&] {
      spawn_all();
      engine::barrier();
      ADD_FAILURE() << "the barrier threw, and the root with it";
    }),
                 std::runtime_error);
  });
}

// The root's own loop is intact after a wait inside it.
TEST(barrier, works_before_and_after_waiting_for_futures) {
  on_each_shape<engine>(shapes({1, 2, 8}), [](engine& e, const shape&) {
    e.run([&] {
      int cell = 0;
      for (int i = 1; i <= reps(50); ++i) {
        auto f = engine::async([i] { return i; });
        engine::spawn([&cell] { ++cell; });
        EXPECT_EQ(f.get(), i);
        engine::barrier();
        ASSERT_EQ(cell, i);
      }
    });
  });
}

}  // namespace
