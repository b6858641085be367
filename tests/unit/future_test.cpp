// Futures: what comes over them, when, and what becomes of those that nobody reads.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

using leat_test::engine;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;
using leat_test::shapes;

struct throws_when_moved {
  explicit throws_when_moved(int v) : value(v) {}
  throws_when_moved(throws_when_moved&& o) noexcept(false) : value(std::exchange(o.value, -1)) {}
  int value;
};

struct refuses_to_move {
  explicit refuses_to_move(bool a) : allowed(a) {}
  refuses_to_move(refuses_to_move&& o) noexcept(false) : allowed(o.allowed) {
    if (!allowed) throw std::runtime_error("not moved");
  }
  bool allowed;
};

TEST(future, brings_what_the_task_returns) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    e.run([] {
      int object = 0;
      auto nothing = engine::async([&] { object = 5; });
      static_assert(std::is_void_v<decltype(nothing.get())>);
      nothing.get();
      EXPECT_EQ(object, 5);
      EXPECT_EQ(engine::async([] { return 42; }).get(), 42);
      EXPECT_EQ(engine::async([] { return std::string(100, 'x'); }).get(), std::string(100, 'x'));
      EXPECT_EQ(*engine::async([] { return std::make_unique<int>(7); }).get(), 7);
      EXPECT_EQ(engine::async([] { return throws_when_moved(8); }).get().value, 8);
      using big = std::array<std::uint64_t, 100>;
      EXPECT_EQ(engine::async([] { return big{1, 2, 3}; }).get(), (big{1, 2, 3}));
      struct alignas(128) aligned {
        int value;
      };
      EXPECT_EQ(engine::async([] { return aligned{9}; }).get().value, 9);
      auto reference = engine::async([&]() -> int& { return object; });
      static_assert(std::is_same_v<decltype(reference.get()), int&>);
      EXPECT_EQ(&reference.get(), &object);
      auto constant = engine::async([&]() -> const int& { return object; });
      EXPECT_EQ(&constant.get(), &object);
      auto exception = engine::async([] { return std::make_exception_ptr(1); });
      EXPECT_NE(exception.get(), nullptr) << "as a value";
    });
  });
}

TEST(future, brings_what_the_task_throws_and_leaves_the_run_alone) {
  on_each_shape<engine>(shapes({1, 2, 8}), [](engine& e, const shape&) {
    EXPECT_NO_THROW(e.run([] {
      for (int i = 0; i < 20; ++i) {
        auto a = engine::async([]() -> int { throw std::runtime_error("one"); });
        auto b = engine::async([] { throw 2; });
        auto c = engine::async([]() -> std::unique_ptr<int> { throw std::string("three"); });
        auto d = engine::async([] { return refuses_to_move(false); });
        EXPECT_THROW(c.get(), std::string);
        EXPECT_THROW(b.get(), int);
        EXPECT_THROW(a.get(), std::runtime_error);
        try {
          EXPECT_FALSE(d.get().allowed) << "if it is not moved at all";
        } catch (const std::runtime_error& thrown) {
          EXPECT_EQ(thrown.what(), std::string("not moved")) << "by the move, here or there";
        }
        EXPECT_FALSE(a.valid());
        auto dropped = engine::async([] { throw 3; });
      }
    }));
  });
}

TEST(future, is_read_once) {
  engine e(shape{2});
  e.run([] {
    engine::future<int> f;
    EXPECT_FALSE(f.valid());
    EXPECT_THROW(f.get(), std::logic_error);
    EXPECT_THROW(f.wait(), std::logic_error);
    EXPECT_THROW((void)f.is_ready(), std::logic_error);
    f = engine::async([] { return 1; });
    EXPECT_TRUE(f.valid());
    f.wait();
    EXPECT_TRUE(f.is_ready());
    f.wait();
    EXPECT_TRUE(f.valid());
    auto g = std::move(f);
    EXPECT_FALSE(f.valid());
    EXPECT_EQ(g.get(), 1);
    EXPECT_FALSE(g.valid());
    EXPECT_THROW(g.get(), std::logic_error);
  });
}

TEST(future, gets_another_result_by_assignment) {
  engine e(shape{2});
  e.run([] {
    auto f = engine::async([] { return 1; });
    f = engine::async([] { return 2; });
    EXPECT_EQ(f.get(), 2);
    f = engine::async([] { return 3; });
    auto& same = f;
    f = std::move(same);
    EXPECT_EQ(f.get(), 3);
  });
}

TEST(future, may_be_dropped_unread_and_its_task_runs_all_the_same) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    const auto payload = std::make_shared<int>(0);
    std::vector<int> ran(100);
    e.run([&] {
      for (std::size_t i = 0; i < ran.size(); ++i) {
        auto f = engine::async([&ran, i, payload] { return ++ran[i], payload; });
        if (i % 3 == 0) (void)f.is_ready();
      }
      auto taken_later = engine::async([payload] { return payload; });
      taken_later.wait();  // ready and dropped
    });
    EXPECT_EQ(ran, std::vector<int>(100, 1));
    EXPECT_EQ(payload.use_count(), 1) << "every result was destroyed";
  });
}

TEST(future, can_be_got_in_any_order) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    e.run([] {
      for (const int step : {1, 99, 37}) {
        std::vector<engine::future<int>> all;
        for (int i = 0; i < 100; ++i) all.push_back(engine::async([i] { return i; }));
        for (int i = 0, k = 0; i < 100; ++i, k = (k + step) % 100) {
          EXPECT_EQ(all[static_cast<std::size_t>(k)].get(), k);
        }
      }
    });
  });
}

TEST(future, can_be_got_by_another_task) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    for (int round = 0; round < reps(20); ++round) {
      const int got = e.run([] {
        std::vector<engine::future<int>> seconds;
        for (int i = 0; i < 20; ++i) {
          auto first = engine::async([i] { return i; });
          seconds.push_back(engine::async([first = std::move(first)]() mutable { return first.get() + 1; }));
        }
        int sum = 0;
        for (auto& second : seconds) sum += second.get();
        return sum;
      });
      ASSERT_EQ(got, 210);
    }
  });
}

TEST(future, can_be_got_after_the_run_by_any_thread) {
  on_each_shape<engine>(shapes({1, 2, 8}), [](engine& e, const shape&) {
    auto f = e.run([] { return engine::async([] { return std::make_unique<int>(6); }); });
    EXPECT_TRUE(f.is_ready());
    EXPECT_EQ(*f.get(), 6);
    auto failed = e.run([] { return engine::async([]() -> int { throw 3; }); });
    EXPECT_THROW(failed.get(), int);
    auto dropped = e.run([] { return engine::async([] { return std::make_shared<int>(1); }); });
  });
}

TEST(future, outlives_its_runtime) {
  std::optional<engine::future<std::string>> f;
  {
    engine e(shape{2});
    f = e.run([] { return engine::async([] { return std::string(100, 'x'); }); });
  }
  EXPECT_EQ(f->get(), std::string(100, 'x'));
}

TEST(future, of_another_runtime_can_be_waited_for) {
  engine a(shape{2});
  engine b(shape{2});
  for (int round = 0; round < reps(50); ++round) {
    std::atomic<engine::future<int>*> there{nullptr};
    std::atomic<bool> taken{false};
    std::thread of_b([&] {
      b.run([&] {
        engine::future<int>* f = nullptr;
        EXPECT_TRUE(leat_test::comes_true([&] { return (f = there) != nullptr; }));
        EXPECT_EQ(f->get(), 5);
        taken = true;
      });
    });
    a.run([&] {
      auto f = engine::async([] { return 5; });
      there = &f;
      EXPECT_TRUE(leat_test::comes_true([&] { return engine::poll(), taken.load(); }));
    });
    of_b.join();
  }
}

TEST(future, got_in_another_run_leaves_the_task_to_its_own) {
  for (const bool another_runtime : {false, true}) {
    engine a(shape{3});
    engine b(shape{1});
    for (int round = 0; round < reps(20); ++round) {
      engine::future<void> f;
      std::atomic<bool> there{false};
      std::atomic<bool> waiting{false};
      std::atomic<bool> finished{false};
      std::thread reader([&] {
        (another_runtime ? b : a).run([&] {
          EXPECT_TRUE(leat_test::comes_true([&] { return engine::poll(), there.load(); }));
          waiting = true;
          f.get();
        });
      });
      a.run([&] {
        f = engine::async([&] {
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
          finished = true;
        });
        there = true;
        EXPECT_TRUE(leat_test::comes_true([&] { return waiting.load(); }));
      });
      EXPECT_TRUE(finished) << "run returns when every task spawned from it is done";
      reader.join();
    }
  }
}

template <class E>
int fib(int n) {
  if (n < 2) return n;
  auto a = E::async([n] { return fib<E>(n - 1); });
  const int b = fib<E>(n - 2);
  return a.get() + b;
}

TEST(future, computes_fibonacci_numbers_in_every_shape) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    constexpr int n = leat_test::sanitized ? 10 : 15;
    EXPECT_EQ(e.run([] { return fib<engine>(n); }), n == 10 ? 55 : 610);
  });
}

TEST(future, computes_a_larger_fibonacci_number) {
  for (const std::uint32_t workers : {1u, 2u, 8u, 64u}) {
    engine e(shape{workers});
    constexpr int n = leat_test::sanitized ? 14 : 20;
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(e.run([] { return fib<engine>(n); }), n == 14 ? 377 : 6765);
    }
  }
}

TEST(future, runs_the_task_that_it_waits_for_and_no_other) {
  engine e(shape{1});
  std::vector<int> order;
  e.run([&] {
    auto f = engine::async([&] { return order.push_back(1), 1; });
    engine::spawn([&] { order.push_back(3); });
    EXPECT_EQ(f.get(), 1);
    order.push_back(2);
  });
  EXPECT_EQ(order, (std::vector{1, 2, 3}));
}

TEST(future, wait_any_runs_other_tasks_of_the_run) {
  engine e(shape{2});
  std::atomic<bool> begun{false};
  std::atomic<bool> other{false};
  std::atomic<bool> unseen{false};
  e.run([&] {
    auto f = engine::async([&] {
      begun = true;
      // Ends only when the waiter has run the other task, which nobody else can.
      while (!other) std::this_thread::yield();
      return 1;
    });
    while (!begun) {
      engine::poll();
      std::this_thread::yield();
    }
    engine::spawn([&] { other = true; });
    EXPECT_EQ(f.get(leat::task::wait::any), 1);
    unseen = true;
  });
  EXPECT_TRUE(unseen);
}

// Another worker has begun the task and goes on until `until`.
template <class E>
auto begun_elsewhere(std::function<bool()> until) {
  auto begun = std::make_shared<std::atomic<bool>>(false);
  auto f = E::async([begun, until = std::move(until)] {
    *begun = true;
    return leat_test::comes_true([&] { return E::poll(), until(); });
  });
  EXPECT_TRUE(leat_test::comes_true([&] { return E::poll(), begun->load(); }));
  return f;
}

TEST(future, runs_nothing_while_another_worker_runs_its_task) {
  engine e(shape{2});
  for (int round = 0; round < reps(50); ++round) {
    e.run([] {
      std::atomic<bool> waiting{false};
      std::atomic<std::thread::id> stranger{};
      int looks = 0;
      auto f = begun_elsewhere<engine>([&] { return waiting && ++looks > 1000; });
      engine::spawn([&] { stranger = std::this_thread::get_id(); });
      waiting = true;
      EXPECT_TRUE(f.get());
      EXPECT_NE(stranger.load(), std::this_thread::get_id()) << "the other worker may have taken it by now, but not we";
      engine::barrier();
    });
  }
}

TEST(future, leaves_the_tasks_of_a_waiting_worker_to_thieves) {
  on_each_shape<engine>(shapes({3, 8}), [](engine& e, const shape&) {
    for (int round = 0; round < reps(20); ++round) {
      e.run([] {
        std::atomic<int> others{0};
        auto f = begun_elsewhere<engine>([&] { return others == 3; });
        for (int i = 0; i < 3; ++i) engine::spawn([&] { ++others; });
        ASSERT_TRUE(f.get());
      });
    }
  });
}

TEST(future, can_be_got_by_the_next_one_in_a_long_chain) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    for (int round = 0; round < reps(20); ++round) {
      const int got = e.run([] {
        auto f = engine::async([] { return 1; });
        for (int i = 0; i < 20; ++i) {
          f = engine::async([before = std::move(f)]() mutable { return before.get() + 1; });
        }
        return f.get();
      });
      ASSERT_EQ(got, 21);
    }
  });
}

TEST(future, a_task_that_throws_during_a_wait_fails_the_run_and_not_the_wait) {
  engine e(shape{1});
  bool went_on = false;
  EXPECT_THROW(e.run([&] {
    auto f = engine::async([] { return 1; });
    engine::spawn([] { throw 4; });
    EXPECT_EQ(f.get(), 1);
    went_on = true;
  }),
               int);
  EXPECT_TRUE(went_on);
}

}  // namespace
