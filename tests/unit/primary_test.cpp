// A thread of the program as worker 0, on every scheduler and platform.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "engines.hpp"
#include "meeting.hpp"

namespace {

using leat_test::engine;
using leat_test::reps;
using leat_test::shape;
using leat_test::worker_shapes;

class primary : public ::testing::Test {
 protected:
  using team = engine::team;
  using meeting = leat_test::meeting<engine>;

  static long fib(int n) {
    if (n < 2) return n;
    const auto [a, b] = engine::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
    return a + b;
  }

  static bool is_worker() { return leat::scheduler::worker<engine::platform>::current() != nullptr; }

  /// Two callables that run at once: the first here, the second elsewhere.
  static void share_with_another() {
    meeting both(2);
    const auto here = std::this_thread::get_id();
    engine::fork_join(
        [&] {
          EXPECT_EQ(std::this_thread::get_id(), here);
          both.attend();
        },
        [&] {
          EXPECT_NE(std::this_thread::get_id(), here);
          both.attend();
        });
  }

  template <class Test>
  static void on_each(const std::vector<shape>& all, Test test) {
    for (const shape& s : all) {
      SCOPED_TRACE(s.name());
      team t(s);
      test(t, s);
      if (::testing::Test::HasFailure()) return;
    }
  }
};

TEST_F(primary, is_worker_0_inside_and_none_outside) {
  this->on_each(worker_shapes(), [this](auto& t, shape) {
    const auto here = std::this_thread::get_id();
    for (int i = 0; i < 3; ++i) {
      EXPECT_FALSE(this->is_worker());
      EXPECT_FALSE(t.has_caller());
      EXPECT_TRUE(t.admits_caller());
      EXPECT_THROW(engine::spawn([] {}), leat::not_a_worker);
      const int result = t.call([&] {
        EXPECT_EQ(std::this_thread::get_id(), here);
        EXPECT_EQ(engine::here(), 0u);
        EXPECT_TRUE(t.has_caller());
        EXPECT_FALSE(t.admits_caller());
        return 7;
      });
      EXPECT_EQ(result, 7);
    }
  });
}

TEST_F(primary, shares_what_it_forks) {
  this->on_each(worker_shapes({2, 3, 8, 64}), [this](auto& t, shape) {
    for (int i = 0; i < reps(20); ++i) t.call([this] { this->share_with_another(); });
  });
}

TEST_F(primary, makes_many_short_calls) {
  this->on_each(worker_shapes(), [this](auto& t, shape) {
    constexpr std::array fibs{0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    for (int i = 0; i < reps(1000); ++i) {
      const int n = i % static_cast<int>(fibs.size());
      ASSERT_EQ(t.call([this, n] { return this->fib(n); }), fibs[static_cast<std::size_t>(n)]);
    }
    EXPECT_EQ(t.call([this] { return this->fib(20); }), 6765);
  });
}

TEST_F(primary, lets_exceptions_out) {
  this->on_each(worker_shapes({1, 2, 8}), [this](auto& t, shape s) {
    for (int i = 0; i < reps(20); ++i) {
      EXPECT_THROW(t.call([] { throw std::out_of_range("f"); }), std::out_of_range);
      EXPECT_THROW(t.call([&] {
        primary::meeting both(s.workers > 1 ? 2 : 1);
        engine::fork_join([&] { both.attend(); },
                          [&] {
                            if (s.workers > 1) both.attend();
                            throw std::range_error("thief");
                          });
      }),
                   std::range_error);
      EXPECT_FALSE(this->is_worker());
      EXPECT_EQ(t.call([this] { return this->fib(10); }), 55);
    }
  });
}

TEST_F(primary, of_a_call_inside_a_call_is_the_same) {
  this->on_each(worker_shapes({1, 2, 8}), [](auto& t, shape) {
    const std::function<long(int)> sum = [&](int depth) -> long {
      return t.call([&] {
        if (depth == 0) return 1L;
        const auto [a, b] = engine::fork_join([&] { return sum(depth - 1); }, [&] { return sum(depth - 1); });
        return a + b;
      });
    };
    EXPECT_EQ(sum(8), 256);
  });
}

// The thread's one limit word serves all of them in turn, and others of each may ask at any time.
TEST_F(primary, may_belong_to_several_teams) {
  for (const std::uint32_t workers : {1u, 2u, 3u, 8u}) {
    engine::team a({.workers = workers}), b({.workers = 2, .spin_ns = 20'000});
    for (int i = 0; i < reps(200); ++i) {
      ASSERT_EQ(a.call([this] { return this->fib(9); }), 34);
      ASSERT_EQ(b.call([this] { return this->fib(9); }), 34);
    }
  }
}

TEST_F(primary, may_go_from_one_team_into_another) {
  for (const std::uint32_t workers : {1u, 2u, 3u, 8u}) {
    SCOPED_TRACE(workers);
    engine::team outer({.workers = workers});
    engine::team inner({.workers = 2});
    const auto here = std::this_thread::get_id();
    // The left one goes inside on this thread, with forks of both teams pending beneath and above.
    const std::function<long(int)> mixed = [&](int n) -> long {
      if (n < 2) return n;
      const auto [a, b] = engine::fork_join(
          [&]() -> long {
            if (std::this_thread::get_id() != here) return this->fib(n - 1);
            EXPECT_TRUE(outer.has_caller());
            return inner.call([&] {
              EXPECT_FALSE(outer.has_caller());
              EXPECT_FALSE(outer.admits_caller());
              return this->fib(n - 1);
            });
          },
          [&] { return mixed(n - 2); });
      return a + b;
    };
    for (int i = 0; i < reps(100); ++i) ASSERT_EQ(outer.call([&] { return mixed(14); }), 377);
  }
}

TEST_F(primary, shares_with_the_inner_team_what_it_forks_there) {
  engine::team outer({.workers = 2}), inner({.workers = 2});
  for (int i = 0; i < reps(20); ++i) {
    outer.call([&] {
      this->share_with_another();
      inner.call([this] { this->share_with_another(); });
      this->share_with_another();
    });
  }
}

TEST_F(primary, hands_over_what_is_wanted_before_it_goes_into_another_team) {
  engine::team outer({.workers = 2, .interrupt_after_ns = 0}), inner({.workers = 1});
  for (int i = 0; i < reps(20) && !::testing::Test::HasFailure(); ++i) {
    std::atomic<bool> begun{false};
    outer.call([&] {
      const auto went = [&] { return inner.call([] {}), begun.load(); };
      engine::fork_join([&] { EXPECT_TRUE(leat_test::comes_true(went)); }, [&] { begun = true; });
    });
  }
}

TEST_F(primary, may_be_a_worker_of_something_else) {
  engine e({.workers = 2});
  for (int i = 0; i < reps(10); ++i) {
    e.run([this] {
      engine::fork_join(
          [this] {
            engine::team t({.workers = 3});
            EXPECT_EQ(t.call([this] { return this->fib(15); }), 610);
            this->fib(5);
            EXPECT_EQ(t.call([this] { return this->fib(15); }), 610);
          },
          [this] { EXPECT_EQ(this->fib(15), 610); });
    });
  }
}

TEST_F(primary, cannot_go_inside_while_a_worker_that_it_is_is_blocked) {
  engine::team t({.workers = 2});
  t.call([&] { engine::blocking([&] { EXPECT_FALSE(t.admits_caller()); }); });
  EXPECT_TRUE(t.admits_caller());
  engine e({.workers = 1});
  e.run([] {
    engine::team inner({.workers = 2});
    engine::blocking([&] { EXPECT_FALSE(inner.admits_caller()); });
    EXPECT_TRUE(inner.admits_caller());
  });
}

TEST_F(primary, is_one_thread_only) {
  engine::team t({.workers = 2});
  std::thread([&] { EXPECT_FALSE(t.admits_caller()); }).join();
  // Each has one of its own.
  std::array<std::thread, 4> others;
  for (auto& o : others) {
    o = std::thread([this] {
      engine::team mine({.workers = 3});
      for (int i = 0; i < reps(100); ++i) ASSERT_EQ(mine.call([this] { return this->fib(10); }), 55);
    });
  }
  for (auto& o : others) o.join();
}

TEST_F(primary, executes_what_was_spawned) {
  this->on_each(leat_test::shapes({1, 2, 8}), [](auto& t, shape) {
    std::atomic<int> done{0};
    t.call([&] {
      for (int i = 0; i < reps(100); ++i) engine::spawn([&] { ++done; });
      engine::barrier();
      EXPECT_EQ(done, reps(100));
      engine::task_group g;
      for (int i = 0; i < reps(100); ++i) g.spawn([&] { ++done; });
      g.wait();
      EXPECT_EQ(done, 2 * reps(100));
    });
  });
}

TEST_F(primary, loses_nothing_that_was_spawned_and_not_awaited) {
  for (const std::uint32_t workers : {1u, 2u, 3u, 8u, 64u}) {
    std::atomic<int> done{0};
    int spawned = 0;
    const auto count_and_fail = [&] {
      ++done;
      throw std::runtime_error("nobody hears of it");
    };
    {
      engine::team t({.workers = workers});
      for (int i = 0; i < reps(50); ++i) {
        t.call([&] {
          for (int k = 0; k < 5; ++k, spawned += 2) engine::spawn([&] { engine::spawn(count_and_fail), ++done; });
        });
      }
    }
    EXPECT_EQ(done, spawned);
  }
}

TEST_F(primary, lets_no_task_wait_for_all_that_it_executes_on_the_way_out) {
  engine::team t({.workers = 1});
  int refused = 0;
  t.call([&] {
    engine::spawn([&] {
      try {
        engine::barrier();
      } catch (const leat::misplaced_barrier&) {
        ++refused;
      }
    });
  });
  EXPECT_EQ(refused, 1);
  t.call([] { engine::barrier(); });  // the root may
}

}  // namespace
