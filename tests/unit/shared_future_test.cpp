// Shared futures: one result for several that want it, and who frees it.
#include <gtest/gtest.h>

#include <atomic>
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

static_assert(std::is_copy_constructible_v<leat::shared_future<int>> &&
              std::is_copy_assignable_v<leat::shared_future<int>>);
static_assert(std::is_nothrow_move_constructible_v<leat::shared_future<std::string>>);
static_assert(std::is_convertible_v<leat::future<int>, leat::shared_future<int>>);
static_assert(!std::is_convertible_v<leat::shared_future<int>, leat::future<int>>);
static_assert(!std::is_copy_constructible_v<leat::future<int>>);

TEST(shared_future, gives_the_same_result_to_each_and_again) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    e.run([] {
      auto f = engine::async([] { return std::string(100, 'x'); });
      auto a = f.share();
      EXPECT_FALSE(f.valid());
      const auto b = a;
      static_assert(std::is_same_v<decltype(b.get()), const std::string&>);
      EXPECT_EQ(a.get(), std::string(100, 'x'));
      EXPECT_EQ(&a.get(), &b.get());
      EXPECT_TRUE(b.is_ready());
      EXPECT_TRUE(a.valid());
      a = engine::async([] { return std::string("other"); });
      EXPECT_EQ(a.get(), "other");
      EXPECT_EQ(b.get(), std::string(100, 'x'));
    });
  });
}

TEST(shared_future, shares_references_nothings_and_exceptions) {
  on_each_shape<engine>(shapes({1, 2}), [](engine& e, const shape&) {
    e.run([] {
      int object = 0;
      auto reference = engine::async([&]() -> int& { return object; }).share();
      static_assert(std::is_same_v<decltype(reference.get()), int&>);
      EXPECT_EQ(&reference.get(), &object);
      auto nothing = engine::async([&] { ++object; }).share();
      static_assert(std::is_void_v<decltype(nothing.get())>);
      nothing.get();
      nothing.get();
      EXPECT_EQ(object, 1);
      auto failed = engine::async([]() -> std::unique_ptr<int> { throw std::runtime_error("one"); }).share();
      auto copy = failed;
      EXPECT_THROW(failed.get(), std::runtime_error);
      EXPECT_THROW(copy.get(), std::runtime_error);
      EXPECT_THROW(copy.get(), std::runtime_error);
    });
  });
}

TEST(shared_future, says_when_it_has_no_result) {
  engine e(shape{1});
  e.run([] {
    engine::shared_future<int> none;
    EXPECT_FALSE(none.valid());
    EXPECT_THROW(none.get(), std::logic_error);
    EXPECT_THROW(none.wait(), std::logic_error);
    EXPECT_THROW((void)none.is_ready(), std::logic_error);
    auto some = engine::async([] { return 1; }).share();
    none = some;
    auto moved = std::move(some);
    EXPECT_FALSE(some.valid());
    auto& same = none;
    none = same;
    EXPECT_EQ(none.get() + moved.get(), 2);
    some = none;
    EXPECT_EQ(some.get(), 1);
  });
}

TEST(shared_future, is_waited_for_by_several_tasks) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    for (int round = 0; round < reps(10); ++round) {
      std::atomic<int> ran{0};
      std::atomic<int> sum{0};
      e.run([&] {
        for (int i = 0; i < 10; ++i) {
          auto first = engine::async([&] { return ++ran, 1; }).share();
          for (int k = 0; k < 6; ++k) {
            if (k % 2 == 0) engine::spawn([&sum, first] { sum += first.get(); });
            else engine::spawn([&sum, first] { sum += first.get(leat::task::wait::any); });
          }
          if (i % 2 == 0) sum += first.get() - 1;
        }
      });
      ASSERT_EQ(ran, 10);
      ASSERT_EQ(sum, 60);
    }
  });
}

// The task goes on until all have said that they want its result: they wait for it at the same time, and all are told.
TEST(shared_future, tells_all_who_wait) {
  for (const std::uint32_t workers : {2u, 4u, 8u}) {
    engine e(shape{workers});
    const int waiters = static_cast<int>(workers) - 1;
    for (int round = 0; round < reps(100); ++round) {
      std::atomic<int> waiting{0};
      std::atomic<int> told{0};
      e.run([&] {
        std::atomic<bool> begun{false};
        auto f = engine::async([&] {
                   begun = true;
                   EXPECT_TRUE(leat_test::comes_true([&] { return engine::poll(), waiting == waiters; }));
                   if (round % 2 == 0) std::this_thread::yield();
                   return 1;
                 }).share();
        ASSERT_TRUE(leat_test::comes_true([&] { return engine::poll(), begun.load(); }));
        for (int i = 1; i < waiters; ++i) engine::spawn([&, f] { ++waiting, told += f.get(); });
        // They have to begin before we wait, as nobody else might take them.
        ASSERT_TRUE(leat_test::comes_true([&] { return engine::poll(), waiting == waiters - 1; }));
        ++waiting;
        told += f.get();
        f = {};
      });
      ASSERT_EQ(told, waiters);
    }
  }
}

TEST(shared_future, runs_the_task_in_one_holder_while_the_other_waits) {
  engine e(shape{2});
  for (int round = 0; round < reps(50); ++round) {
    e.run([] {
      engine::shared_future<int> f;
      std::atomic<bool> begun{false};
      std::atomic<bool> there{false};
      std::atomic<int> waiting{0};
      engine::spawn([&] {
        begun = true;
        ASSERT_TRUE(leat_test::comes_true([&] { return engine::poll(), there.load(); }));
        const auto mine = f;
        ++waiting;
        EXPECT_EQ(mine.get(), 8);
      });
      ASSERT_TRUE(leat_test::comes_true([&] { return engine::poll(), begun.load(); }));
      // Both workers are busy, so one of the two who want the result runs the task.
      f = engine::async([&] {
        EXPECT_TRUE(leat_test::comes_true([&] { return engine::poll(), waiting == 2; }));
        return 8;
      });
      there = true;
      ++waiting;
      EXPECT_EQ(f.get(), 8);
      engine::barrier();
    });
  }
}

TEST(shared_future, may_be_dropped_unread_and_its_task_runs_all_the_same) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    const auto payload = std::make_shared<int>(0);
    std::vector<int> ran(60);
    e.run([&] {
      for (std::size_t i = 0; i < ran.size(); ++i) {
        auto f = engine::async([&ran, i, payload] { return ++ran[i], payload; }).share();
        std::vector<engine::shared_future<std::shared_ptr<int>>> copies(i % 4, f);
        if (i % 3 == 0) f = {};
        if (i % 5 == 0) engine::spawn([copies] {});
        if (i % 7 == 0 && f.valid()) f.wait();
      }
    });
    EXPECT_EQ(ran, std::vector<int>(60, 1));
    EXPECT_EQ(payload.use_count(), 1) << "every result was destroyed";
  });
}

// A task may hand on copies of the very future whose holder runs it; who gets them must be told as well.
TEST(shared_future, may_be_copied_by_the_task_that_it_waits_for) {
  engine e(shape{3});
  for (int round = 0; round < reps(100); ++round) {
    std::atomic<int> sum{0};
    e.run([&] {
      engine::shared_future<int> f;
      std::atomic<bool> there{false};
      std::atomic<bool> waits{false};
      f = engine::async([&] {
        EXPECT_TRUE(leat_test::comes_true([&] { return engine::poll(), there.load(); }));
        engine::spawn([&, f] { waits = true, sum += f.get(); });
        EXPECT_TRUE(leat_test::comes_true([&] { return engine::poll(), waits.load(); }));
        for (int i = 0; i < round; ++i) engine::platform::relax();
        return 1;
      });
      there = true;
      sum += f.get();
    });
    ASSERT_EQ(sum, 2);
  }
}

TEST(shared_future, outlives_its_run_and_its_runtime) {
  std::optional<engine::shared_future<std::string>> kept;
  {
    engine e(shape{2});
    engine other(shape{1});
    const auto f = e.run([] { return engine::async([] { return std::string(100, 'y'); }).share(); });
    EXPECT_TRUE(f.is_ready());
    kept = f;
    EXPECT_EQ(other.run([f] { return f.get(); }), std::string(100, 'y'));
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([f] {
        auto copy = f;
        EXPECT_EQ(copy.get(), std::string(100, 'y'));
      });
    }
    for (auto& t : threads) t.join();
  }
  EXPECT_EQ(kept->get(), std::string(100, 'y'));
}

TEST(shared_future, can_be_waited_for_in_other_runs_and_runtimes) {
  engine a(shape{3});
  engine b(shape{2});
  for (int round = 0; round < reps(20); ++round) {
    engine::shared_future<int> f;
    std::atomic<bool> there{false};
    std::atomic<int> waiting{0};
    std::atomic<int> sum{0};
    const auto read = [&](engine& in) {
      in.run([&] {
        EXPECT_TRUE(leat_test::comes_true([&] { return engine::poll(), there.load(); }));
        const auto mine = f;
        ++waiting;
        sum += mine.get();
      });
    };
    std::thread of_a([&] { read(a); });
    std::thread of_b([&] { read(b); });
    a.run([&] {
      f = engine::async([] { return 3; });
      there = true;
      EXPECT_TRUE(leat_test::comes_true([&] { return waiting == 2; }));
    });
    of_a.join();
    of_b.join();
    EXPECT_EQ(sum, 6);
    f = {};
  }
}

}  // namespace
