// The default runtime: constructs on threads that work for no runtime.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "child_threads.hpp"
#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

std::uint64_t sum_by_loop(std::uint64_t n) {
  return leat::parallel_reduce(std::uint64_t{0}, n, std::uint64_t{0}, [](std::uint64_t i) { return i; }, std::plus<>());
}

long fib(long n) {
  if (n < 2) return n;
  const auto [a, b] = leat::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

// What f returns, as the exit status of a process in which nothing has been made before.
class default_runtime_of_a_process : public ::testing::Test {
  void SetUp() override { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST(default_runtime, is_what_loops_and_forks_use_outside_of_a_run) {
  EXPECT_EQ(sum_by_loop(100'000), 100'000ull * 99'999 / 2);
  EXPECT_EQ(fib(20), 6765);
  std::vector<int> v(10'000);
  leat::parallel_for(0, 10'000, [&](int i) { v[static_cast<std::size_t>(i)] = 10'000 - i; });
  leat::parallel_sort(v.begin(), v.end());
  EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
  leat::parallel_inclusive_scan(v.begin(), v.end(), v.begin());
  EXPECT_EQ(v.back(), 10'000 * 10'001 / 2);
  int x = 0, y = 0, z = 0;
  leat::parallel_invoke([&] { x = 1; }, [&] { y = 2; }, [&] { z = 3; });
  EXPECT_EQ(x + y + z, 6);
  const int in_context = leat::with_context([](leat::context c) {
    const auto [a, b] = leat::fork_join(c, [] { return 1; }, [] { return 2; });
    return a + b;
  });
  EXPECT_EQ(in_context, 3);
  EXPECT_GE(leat::default_runtime().workers(), 1u);
}

TEST(default_runtime, has_callables_that_only_move_and_large_ones) {
  auto p = std::make_unique<int>(4);
  std::array<long, 9> many{};
  many.fill(2);
  const auto [a, b] = leat::fork_join([q = std::move(p)] { return *q; }, [many] { return many[8]; });
  EXPECT_EQ(a + b, 6);
}

TEST(default_runtime, lets_exceptions_out) {
  EXPECT_THROW(leat::parallel_for(0, 100,
                                  [](int i) {
                                    if (i == 50) throw std::out_of_range("fifty");
                                  }),
               std::out_of_range);
  EXPECT_THROW(leat::fork_join([] { throw std::out_of_range("one"); }, [] {}), std::out_of_range);
  EXPECT_EQ(sum_by_loop(10), 45u);
}

TEST(default_runtime, has_groups_on_any_thread_whose_ends_come_in_any_order) {
  auto first = std::make_unique<leat::task_group>();
  auto second = std::make_unique<leat::task_group>();
  std::atomic<int> done{0};
  for (int i = 0; i < 100; ++i) {
    first->spawn([&] { ++done; });
    second->spawn([&] { ++done; });
  }
  first->wait();
  first.reset();
  EXPECT_EQ(sum_by_loop(100), 4950u);
  second->spawn([&] { ++done; });
  second->wait();
  EXPECT_EQ(done, 201);
  second.reset();
  EXPECT_EQ(sum_by_loop(100), 4950u);
}

// More threads than there are places, each of which ends soon after it has been inside.
TEST(default_runtime, is_shared_by_threads_that_come_and_go) {
  std::atomic<std::uint64_t> sum{0};
  for (int round = 0; round < 10; ++round) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 20; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 20; ++i) sum += sum_by_loop(1000) + static_cast<std::uint64_t>(fib(10));
      });
    }
    for (std::thread& t : threads) t.join();
  }
  EXPECT_EQ(sum, 10ull * 20 * 20 * (499'500 + 55));
}

TEST(default_runtime, does_not_wait_for_threads_that_wait_for_each_other) {
  std::atomic<bool> told{false};
  std::thread other([&] {
    EXPECT_EQ(sum_by_loop(1000), 499'500u);
    told = true;
  });
  leat::parallel_for(0, 1, [&](int) {
    while (!told) std::this_thread::yield();
  });
  other.join();
}

TEST(default_runtime, is_not_for_threads_inside_blocking) {
  leat::runtime rt({.workers = 1});
  rt.run([] {
    leat::blocking([] {
      EXPECT_THROW(leat::parallel_for(0, 1, [](int) {}), leat::not_a_worker);
      EXPECT_THROW(leat::fork_join([] {}, [] {}), leat::not_a_worker);
      EXPECT_THROW(leat::task_group(), leat::not_a_worker);
    });
  });
}

TEST(default_runtime, does_not_take_the_place_of_the_runtime_that_a_thread_works_for) {
  leat::runtime rt({.workers = 2});
  leat::worker_local<int> here(rt);
  rt.run([&] { leat::parallel_for(0, 1000, [&](int) { ++here.local(); }); });
  EXPECT_EQ(here.combine(0, std::plus<>()), 1000);
  leat::worker_local<int> there(leat::default_runtime());
  leat::parallel_for(0, 1000, [&](int) { ++there.local(); });
  EXPECT_EQ(there.combine(0, std::plus<>()), 1000);
}

TEST(default_runtime, cannot_be_configured_when_it_exists) {
  static_cast<void>(leat::default_runtime());
  EXPECT_THROW(leat::configure_default({.workers = 2}), std::logic_error);
  EXPECT_THROW(leat::configure_default({.workers = 0}), std::invalid_argument);
}

TEST(default_runtime, is_made_anew_in_a_child) {
  if (const char* why = leat_test::no_threads_in_a_child()) GTEST_SKIP() << why;
  static_cast<void>(sum_by_loop(1000));
  const pid_t child = fork();
  if (child == 0) _exit(sum_by_loop(1000) == 499'500 && fib(15) == 610 ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(sum_by_loop(1000), 499'500u);
}

TEST_F(default_runtime_of_a_process, takes_its_last_options) {
  const auto body = [] {
    leat::configure_default({.workers = 1});
    leat::configure_default({.workers = 3});
    std::_Exit(static_cast<int>(leat::default_runtime().workers()) + (sum_by_loop(1000) == 499'500 ? 0 : 50));
  };
  EXPECT_EXIT(body(), ::testing::ExitedWithCode(3), "");
}

TEST_F(default_runtime_of_a_process, runs_each_published_scheduler) {
  for (const char* name : {"prell", "work-stealing", "lcws-user", "lcws-signal", "lcws-half"}) {
    const auto body = [name] {
      leat::configure_default({.workers = 2, .scheduler = name});
      std::vector<std::thread> threads;
      std::atomic<int> right{0};
      for (int i = 0; i < 3; ++i)
        threads.emplace_back([&] { right += sum_by_loop(1000) == 499'500 && fib(15) == 610; });
      for (std::thread& t : threads) t.join();
      std::_Exit(right);
    };
    EXPECT_EXIT(body(), ::testing::ExitedWithCode(3), "") << name;
  }
}

TEST_F(default_runtime_of_a_process, lets_it_end_while_it_works) {
  const auto body = [] {
    leat::parallel_for(0, 1000, [](int i) {
      if (i == 500) std::exit(7);
    });
  };
  EXPECT_EXIT(body(), ::testing::ExitedWithCode(7), "");
}

}  // namespace
