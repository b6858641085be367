// Runs: what comes out of them, exceptions, runs inside runs, and many at once.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "engines.hpp"

namespace {

using leat_test::comes_true;
using leat_test::engine;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;
using leat_test::shapes;

struct move_only {
  explicit move_only(int v) : value(std::make_unique<int>(v)) {}
  std::unique_ptr<int> value;
};

struct no_default {
  explicit no_default(int v) : value(v) {}
  no_default(const no_default&) = default;
  int value;
};

TEST(run, gives_what_the_root_returns) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    int object = 1;
    static_assert(std::is_void_v<decltype(e.run([] {}))>);
    e.run([&] { object = 2; });
    EXPECT_EQ(object, 2);
    EXPECT_EQ(e.run([] { return 42; }), 42);
    EXPECT_EQ(e.run([] { return std::string(100, 'x'); }), std::string(100, 'x'));
    EXPECT_EQ(*e.run([] { return move_only(7); }).value, 7);
    EXPECT_EQ(e.run([] { return no_default(8); }).value, 8);
    decltype(auto) reference = e.run([&]() -> int& { return object; });
    static_assert(std::is_same_v<decltype(reference), int&>);
    EXPECT_EQ(&reference, &object);
    decltype(auto) constant = e.run([&]() -> const int& { return object; });
    static_assert(std::is_same_v<decltype(constant), const int&>);
    EXPECT_EQ(&constant, &object);
    auto&& moving = e.run([&]() -> int&& { return std::move(object); });
    EXPECT_EQ(&moving, &object);
  });
}

TEST(run, calls_the_very_object_that_it_is_given) {
  engine e(shape{2});
  struct counting {
    int calls = 0;
    int operator()() { return ++calls; }
  } root;
  EXPECT_EQ(e.run(root), 1);
  EXPECT_EQ(e.run(root), 2);
  EXPECT_EQ(root.calls, 2);
  const auto constant = [] { return 3; };
  EXPECT_EQ(e.run(constant), 3);
}

TEST(run, executes_the_root_on_a_worker) {
  engine e(shape{3});
  const auto caller = std::this_thread::get_id();
  EXPECT_NE(e.run([] { return std::this_thread::get_id(); }), caller);
  EXPECT_LT(e.run([] { return engine::here(); }), 3u);
}

// -- exceptions

TEST(run, lets_out_what_the_root_throws_after_its_tasks_have_ended) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    std::vector<int> ran(50);
    try {
      e.run([&]() -> int {
        for (int& times : ran) engine::spawn([&times] { ++times; });
        throw std::runtime_error("from the root");
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& problem) {
      EXPECT_STREQ(problem.what(), "from the root");
    }
    EXPECT_EQ(ran, std::vector<int>(50, 1));
    EXPECT_EQ(e.run([] { return 1; }), 1) << "as good as new";
  });
}

TEST(run, lets_out_one_exception_of_many_and_runs_all_tasks) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    for (int round = 0; round < 3; ++round) {
      std::vector<int> ran(60);
      try {
        e.run([&] {
          for (std::size_t i = 0; i < ran.size(); ++i) {
            engine::spawn([&ran, i] {
              ++ran[i];
              if (i % 2 == 0) throw static_cast<int>(i);
            });
          }
        });
        FAIL() << "nothing was thrown";
      } catch (const int i) {
        EXPECT_TRUE(i >= 0 && i < 60 && i % 2 == 0) << i;
      }
      EXPECT_EQ(ran, std::vector<int>(60, 1));
    }
    std::vector<int> ran(10);
    EXPECT_NO_THROW(e.run([&] {
      for (int& times : ran) engine::spawn([&times] { ++times; });
    })) << "the next run starts clean";
    EXPECT_EQ(ran, std::vector<int>(10, 1));
  });
}

TEST(run, lets_out_the_first_exception) {
  engine e(shape{1});  // which runs the newest task first
  const auto tasks_throw = [] {
    engine::spawn([] { throw 3; });
    engine::spawn([] { throw 2; });
    engine::spawn([] { throw 1; });
  };
  for (int i = 0; i < 3; ++i) {
    try {
      e.run(tasks_throw);
      FAIL();
    } catch (const int thrown) {
      EXPECT_EQ(thrown, 1);
    }
    try {
      e.run([&] { tasks_throw(), throw 0; });
      FAIL();
    } catch (const int thrown) {
      EXPECT_EQ(thrown, 0);
    }
  }
}

TEST(run, keeps_an_exception_to_the_run_it_belongs_to) {
  engine e(shape{3});
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&, c] {
      for (int round = 0; round < reps(200); ++round) {
        try {
          e.run([&] {
            for (int i = 0; i < 5; ++i) {
              engine::spawn([c] {
                if (c % 2 == 0) throw c;
              });
            }
          });
          wrong += c % 2 == 0;
        } catch (const int thrown) {
          wrong += thrown != c;
        }
      }
    });
  }
  for (auto& t : callers) t.join();
  EXPECT_EQ(wrong, 0);
}

// -- runs in runs

TEST(run, inside_a_run_is_a_call) {
  on_each_shape<engine>(shapes({1, 2, 8}), [](engine& e, const shape&) {
    std::atomic<int> tasks{0};
    e.run([&] {
      const auto here = std::this_thread::get_id();
      EXPECT_EQ(e.run([] { return std::this_thread::get_id(); }), here);
      EXPECT_THROW(e.run([]() -> int { throw std::runtime_error("inner"); }), std::runtime_error);
      EXPECT_EQ(e.run([&] { return e.run([&] { return e.run([] { return 3; }); }); }), 3);
      e.run([&] {
        for (int i = 0; i < 10; ++i) engine::spawn([&] { ++tasks; });
      });
      engine::spawn([&] {
        EXPECT_EQ(e.run([] { return 4; }), 4);
        e.run([&] { engine::spawn([&] { ++tasks; }); });
      });
    });
    EXPECT_EQ(tasks, 11) << "the outer run waits for the tasks of the inner ones";
  });
}

TEST(run, on_another_runtime_may_be_called_by_a_worker) {
  for (const std::uint32_t workers : {1u, 2u, 8u}) {
    engine a(shape{workers});
    engine b(shape{workers});
    std::atomic<int> done{0};
    const int sum = a.run([&] {
      for (int i = 0; i < 20; ++i) {
        engine::spawn([&] {
          const int got = b.run([&] {
            for (int k = 0; k < 5; ++k) engine::spawn([&] { ++done; });
            return 1;
          });
          EXPECT_EQ(got, 1);
          engine::spawn([&] { ++done; });  // of a's run again
        });
      }
      return b.run([] { return 5; });
    });
    EXPECT_EQ(sum, 5);
    EXPECT_EQ(done, 120);
  }
}

// -- many at once

TEST(run, serves_eight_threads_at_once) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int c = 0; c < 8; ++c) {
      callers.emplace_back([&, c] {
        for (int round = 0; round < reps(30); ++round) {
          std::vector<int> ran(20);  // plain: all of them must have happened before run returns
          const int got = e.run([&] {
            for (int& times : ran) engine::spawn([&times, c] { times += c + 1; });
            return round;
          });
          if (got != round || ran != std::vector<int>(20, c + 1)) ++wrong;
        }
      });
    }
    for (auto& t : callers) t.join();
    EXPECT_EQ(wrong, 0);
  });
}

// One run has a task that ends only when another run has returned.
TEST(run, returns_when_its_own_tasks_are_done_and_not_those_of_others) {
  on_each_shape<engine>(shapes({2, 3, 8, 64}), [](engine& e, const shape&) {
    for (int round = 0; round < reps(20); ++round) {
      std::atomic<bool> begun{false};
      std::atomic<bool> other_returned{false};
      std::atomic<bool> met{false};
      std::thread long_one([&] {
        e.run([&] {
          engine::spawn([&] {
            begun = true;
            met = comes_true([&] { return engine::poll(), other_returned.load(); });
          });
        });
      });
      EXPECT_TRUE(comes_true([&] { return begun.load(); }));
      std::atomic<int> tasks{0};
      e.run([&] {
        for (int i = 0; i < 20; ++i) engine::spawn([&] { ++tasks; });
      });
      EXPECT_EQ(tasks, 20);
      other_returned = true;
      long_one.join();
      ASSERT_TRUE(met);
    }
  });
}

// The same without any poll: a worker without tasks asks, is not answered, and is found all the same.
TEST(run, is_not_held_up_by_a_task_of_another_run_that_never_polls) {
  on_each_shape<engine>(shapes({2, 3, 8}), [](engine& e, const shape&) {
    for (int round = 0; round < 5; ++round) {
      std::atomic<bool> other_worker_asks{false};
      std::atomic<bool> other_returned{false};
      std::atomic<bool> met{false};
      std::thread long_one([&] {
        e.run([&] {
          std::atomic<bool> taken{false};
          engine::spawn([&] { taken = true; });
          comes_true([&] { return engine::poll(), taken.load(); });
          // Its thief comes back for more.
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
          other_worker_asks = true;
          met = comes_true([&] { return other_returned.load(); });
        });
      });
      EXPECT_TRUE(comes_true([&] { return other_worker_asks.load(); }));
      e.run([] {});
      other_returned = true;
      long_one.join();
      ASSERT_TRUE(met);
    }
  });
}

// Of two workers, one ends the first run and goes straight on with a task of the second (thesis 4.1.2: an update). From
// then on the first run is done, and the second is not, though the worker that began it is.
TEST(run, counts_a_worker_where_it_works) {
  engine e(shape{2, shape{}.deque_capacity, 5'000'000});  // time enough to be answered by the other
  for (int round = 0; round < reps(50); ++round) {
    std::atomic<bool> first_begun{false}, may_end{false}, task_begun{false}, task_may_end{false};
    std::atomic<bool> first_returned{false}, second_returned{false};
    std::thread first([&] {
      e.run([&] {
        first_begun = true;
        comes_true([&] { return may_end.load(); });
      });
      first_returned = true;
    });
    EXPECT_TRUE(comes_true([&] { return first_begun.load(); }));
    std::thread second([&] {
      e.run([&] {
        engine::spawn([&] {
          task_begun = true;
          comes_true([&] { return engine::poll(), task_may_end.load(); });
        });
        may_end = true;
        comes_true([&] { return engine::poll(), task_begun.load(); });
      });
      second_returned = true;
    });
    EXPECT_TRUE(comes_true([&] { return task_begun && first_returned; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_FALSE(second_returned);
    task_may_end = true;
    first.join();
    second.join();
    if (this->HasFailure()) return;
  }
  EXPECT_GE(e.counters()[leat::event::updates], 1u);
}

TEST(run, begins_in_order_of_submission_when_nobody_is_idle) {
  engine e(shape{1});
  std::atomic<bool> go{false};
  std::atomic<bool> begun{false};
  std::atomic<int> served{0};
  std::thread first([&] {
    e.run([&] {
      begun = true;
      while (!go) std::this_thread::yield();
    });
  });
  ASSERT_TRUE(comes_true([&] { return begun.load(); }));
  std::vector<std::thread> others;
  std::vector<int> order(4, -1);
  for (int c = 0; c < 4; ++c) {
    others.emplace_back([&, c] { e.run([&] { order[static_cast<std::size_t>(c)] = served++; }); });
    std::this_thread::sleep_for(std::chrono::milliseconds(leat_test::sanitized ? 100 : 20));
  }
  go = true;
  first.join();
  for (auto& t : others) t.join();
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
}

}  // namespace
