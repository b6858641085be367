// Work from threads that are no workers. Rules SUBMIT: docs/internals/submit.md.
#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "child_threads.hpp"
#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

using leat_test::comes_true;
using leat_test::reps;

// leat's own scheduler with one and with several workers, idle ones that sleep at once, and schedulers of papers.
std::vector<leat::options> each_kind() {
  return {{.workers = 1},
          {.workers = 4},
          {.workers = 2, .spin_us = 0},
          {.workers = 2, .scheduler = "prell"},
          {.workers = 2, .scheduler = "lcws-user"},
          {.workers = 1, .scheduler = "work-stealing"}};
}

TEST(submit, gives_the_result_of_a_task) {
  for (const leat::options& o : each_kind()) {
    leat::runtime rt(o);
    EXPECT_EQ(rt.submit([] { return 42; }).get(), 42);
    EXPECT_EQ(rt.submit([](int a, const std::string& b) { return b + std::to_string(a); }, 7, std::string("a")).get(),
              "a7");
    int x = 0;
    EXPECT_EQ(&rt.submit([&]() -> int& { return x; }).get(), &x);
    rt.submit([p = std::make_unique<int>(3), &x] { x = *p; }).get();
    EXPECT_EQ(x, 3);
    EXPECT_EQ(*rt.submit([] { return std::make_unique<int>(5); }).get(), 5);
    std::array<long, 90> many{};
    many[89] = 9;
    EXPECT_EQ(rt.submit([many] { return many; }).get()[89], 9) << "a block of the heap's";
    auto shared = rt.submit([] { return 6; }).share();
    EXPECT_EQ(shared.get() + shared.get(), 12);
  }
}

TEST(submit, gives_exceptions_to_the_future_alone) {
  for (const leat::options& o : each_kind()) {
    leat::runtime rt(o);
    EXPECT_THROW(rt.submit([]() -> int { throw std::runtime_error("mine"); }).get(), std::runtime_error);
    static_cast<void>(rt.submit([] { throw 1; }));  // dropped
    EXPECT_EQ(rt.run([] { return 1; }), 1);
  }
  leat::runtime rt({.workers = 1});
  struct bad {
    bad() = default;
    bad(const bad&) { throw std::logic_error("no copy"); }
    void operator()() const {}
  };
  const bad b;
  EXPECT_THROW(static_cast<void>(rt.submit(b)), std::logic_error);
  EXPECT_EQ(rt.submit([] { return 2; }).get(), 2) << "the thread's shelf is free";
}

TEST(submit, executes_all_that_many_threads_submit) {
  for (const leat::options& o : each_kind()) {
    leat::runtime rt(o);
    constexpr int threads = 4;
    const int each = reps(2'000);
    std::atomic<int> done{0};
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) {
      all.emplace_back([&] {
        std::vector<leat::future<int>> mine;
        for (int i = 0; i < each; ++i) mine.push_back(rt.submit([&done, i] { return done.fetch_add(1), i; }));
        for (int i = 0; i < each; ++i) EXPECT_EQ(mine[static_cast<std::size_t>(i)].get(), i);
      });
    }
    for (auto& t : all) t.join();
    EXPECT_EQ(done, threads * each);
  }
}

TEST(submit, is_done_before_the_runtime_ends) {
  for (const leat::options& o : each_kind()) {
    for (int round = 0; round < reps(40); ++round) {
      std::atomic<int> done{0};
      std::vector<leat::future<int>> kept;
      {
        leat::runtime rt(o);
        for (int i = 0; i < 100; ++i) {
          auto f = rt.submit([&done, i] { return done.fetch_add(1), i; });
          if (i % 2 == 0) kept.push_back(std::move(f));
        }
      }
      EXPECT_EQ(done, 100);
      for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i].get(), 2 * static_cast<int>(i));
    }
  }
}

// A task keeps the runtime until its submitters have been refused.
TEST(submit, is_refused_by_a_runtime_that_is_being_destroyed) {
  for (const leat::options& o : each_kind()) {
    std::atomic<int> accepted{0}, executed{0}, refused{0};
    constexpr int threads = 3;
    std::vector<std::thread> all;
    {
      leat::runtime rt(o);
      static_cast<void>(rt.submit([&] { EXPECT_TRUE(comes_true([&] { return refused == threads; })); }));
      for (int t = 0; t < threads; ++t) {
        all.emplace_back([&] {
          try {
            for (;;) {
              static_cast<void>(rt.submit([&] { ++executed; }));
              ++accepted;
            }
          } catch (const leat::closed_runtime& e) {
            EXPECT_STREQ(e.what(), "leat::runtime::submit: this runtime is being destroyed");
            ++refused;
          }
        });
      }
      EXPECT_TRUE(comes_true([&] { return accepted > 100; }));
    }
    for (auto& t : all) t.join();
    EXPECT_EQ(refused, threads);
    EXPECT_EQ(executed, accepted);
  }
}

TEST(submit, is_async_for_a_worker_of_the_runtime) {
  for (const leat::options& o : each_kind()) {
    leat::runtime rt(o);
    std::atomic<bool> done{false};
    const int got = rt.run([&] {
      static_cast<void>(rt.submit([&] { done = true; }));
      return rt.submit([] { return 4; }).get();
    });
    EXPECT_EQ(got, 4);
    EXPECT_TRUE(done) << "part of the run";
  }
}

TEST(submit, is_executed_by_the_only_worker_that_waits_for_it) {
  leat::runtime rt({.workers = 1});
  std::atomic<bool> begun{false}, go{false};
  auto busy = rt.submit([&] {
    begun = true;
    EXPECT_TRUE(comes_true([&] { return go.load(); }));
  });
  ASSERT_TRUE(comes_true([&] { return begun.load(); }));
  // In the order in which they begin, the first of these waits for the second, which lies behind it.
  std::optional<leat::future<int>> second;
  std::atomic<bool> there{false};
  auto first = rt.submit([&] {
    EXPECT_TRUE(comes_true([&] { return there.load(); }));
    return second->get() + 1;
  });
  second = rt.submit([] { return 1; });
  there = true;
  go = true;
  EXPECT_EQ(first.get(), 2);
  busy.get();
}

TEST(submit, does_not_wait_behind_a_long_task) {
  leat::runtime rt({.workers = 3});
  std::atomic<bool> go{false};
  std::atomic<int> begun{0};
  auto wait_for_go = [&] {
    ++begun;
    EXPECT_TRUE(comes_true([&] { return go.load(); }));
  };
  auto a = rt.submit(wait_for_go);
  ASSERT_TRUE(comes_true([&] { return begun == 1; }));
  auto b = rt.submit(wait_for_go);
  ASSERT_TRUE(comes_true([&] { return begun == 2; }));
  EXPECT_EQ(rt.submit([] { return 3; }).get(), 3);
  go = true;
  a.get(), b.get();
}

TEST(submit, lets_its_tasks_fork_spawn_and_loop) {
  for (const leat::options& o : each_kind()) {
    leat::runtime rt(o);
    std::atomic<int> spawned{0};
    auto f = rt.submit([&] {
      for (int i = 0; i < 50; ++i) leat::spawn([&] { ++spawned; });
      const auto [a, b] = leat::fork_join([] { return 1; }, [] { return 2; });
      return a + b + leat::parallel_reduce(0, 1000, 0, [](int) { return 1; }, std::plus<>());
    });
    EXPECT_EQ(f.get(), 1003);
    EXPECT_TRUE(comes_true([&] { return spawned == 50; }));
  }
}

TEST(submit, is_possible_beside_runs_and_from_other_runtimes) {
  leat::runtime a({.workers = 2}), b({.workers = 2});
  for (int round = 0; round < reps(50); ++round) {
    auto f = a.submit([&] { return b.submit([] { return 5; }).get() + 1; });
    EXPECT_EQ(a.run([&] { return b.submit([] { return 7; }).get(); }), 7);
    EXPECT_EQ(a.run([&] { return leat::blocking([&] { return a.submit([] { return 1; }); }).get(); }), 1);
    EXPECT_EQ(f.get(), 6);
  }
}

TEST(submit, hands_a_shared_result_to_tasks_and_other_threads) {
  leat::runtime rt({.workers = 2});
  for (int round = 0; round < reps(200); ++round) {
    auto shared = rt.submit([] { return std::string(50, 'y'); }).share();
    std::thread other([shared] { EXPECT_EQ(shared.get().size(), 50u); });
    EXPECT_EQ(rt.run([&] { return shared.get().size(); }), 50u);
    EXPECT_EQ(shared.get(), std::string(50, 'y'));
    other.join();
  }
}

TEST(submit_default, is_what_async_does_outside_of_a_run) {
  EXPECT_EQ(leat::submit([](int i) { return i + 1; }, 4).get(), 5);
  EXPECT_EQ(leat::async([] { return 6; }).get(), 6);
  auto f = leat::async([] { return leat::async([] { return 8; }).get(); });
  EXPECT_TRUE(comes_true([&] { return f.is_ready(); }));
  EXPECT_EQ(f.get(), 8);
  leat::parallel_for(0, 100, [](int i) { EXPECT_EQ(leat::submit([i] { return i; }).get(), i); });
}

// The exit status of a process of its own with these settings: 0 if all is well.
int submits_in_a_process(const char* workers, const char* scheduler) {
  setenv("LEAT_NUM_WORKERS", workers, 1);
  setenv("LEAT_SCHEDULER", scheduler, 1);
  std::vector<std::thread> all;
  std::atomic<int> sum{0};
  for (int t = 0; t < 3; ++t) {
    all.emplace_back([&] {
      for (int i = 0; i < 200; ++i) sum += leat::submit([] { return 1; }).get();
      std::atomic<int> by_loop{0};
      leat::parallel_for(0, 100, [&](int) { ++by_loop; });
      sum += by_loop;
    });
  }
  for (auto& t : all) t.join();
  return sum == 900 ? 0 : 1;
}

TEST(submit_default, has_a_thread_with_any_number_of_workers_and_any_scheduler) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  for (const char* workers : {"1", "2"}) {
    for (const char* scheduler : {"channel", "prell", "lcws-user"})
      EXPECT_EXIT(std::_Exit(submits_in_a_process(workers, scheduler)), ::testing::ExitedWithCode(0), "");
  }
}

TEST(submit_default, says_in_a_forked_child_what_is_wrong) {
  if (const char* why = leat_test::no_threads_in_a_child()) GTEST_SKIP() << why;
  leat::runtime rt({.workers = 1});
  rt.submit([] {}).get();
  const auto in_child = [&] {
    if (leat::submit([] { return 3; }).get() != 3) return 1;
    try {
      static_cast<void>(rt.submit([] {}));
    } catch (const leat::forked_process&) {
      return 0;
    }
    return 2;
  };
  EXPECT_EXIT(
      {
        alarm(60);
        std::_Exit(in_child());
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(submit_default, leaves_a_static_runtime_alone_when_a_task_exits) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        static leat::runtime rt({.workers = 2});
        static_cast<void>(rt.submit([] { std::exit(3); }));
        for (;;) pause();
      },
      ::testing::ExitedWithCode(3), "");
}

}  // namespace
