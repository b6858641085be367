// How parallel algorithms are called: from which threads, inside of what, and what becomes of exceptions.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <execution>
#include <limits>
#include <new>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <leat/leat.hpp>

#include "child_threads.hpp"
#include "rows.hpp"

namespace {

using leat_test::row;

// More workers than the machine may have: thieves come in between everywhere.
const bool environment_is_set = setenv("LEAT_NUM_WORKERS", "4", 1) == 0;

long long sum_of(const std::vector<int>& v) { return std::reduce(std::execution::par, v.begin(), v.end(), 0LL); }

TEST(pstl_calling, bodies_run_on_leats_workers) {
  std::vector<int> v(1000, 1);
  std::atomic<int> on_workers{0};
  std::for_each(std::execution::par, v.begin(), v.end(), [&](int) {
    leat::spawn([] {});  // throws not_a_worker elsewhere
    ++on_workers;
  });
  EXPECT_EQ(on_workers, 1000);
  EXPECT_THROW(leat::spawn([] {}), leat::not_a_worker);
}

TEST(pstl_calling, threads_call_at_once) {
  const std::vector<int> numbers = row<int>(20'000, 100);
  const long long expected = std::accumulate(numbers.begin(), numbers.end(), 0LL);
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i) {
        std::vector<int> v = row<int>(20'000, 100);
        std::stable_sort(std::execution::par, v.begin(), v.end());
        const auto end = std::remove_if(std::execution::par, v.begin(), v.end(), [t](int e) { return e % 4 == t; });
        if (std::is_sorted(v.begin(), end) && sum_of(numbers) == expected) ++right;
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(right, 40);
}

// The runtime that serves threads inside leat::blocking has no workers in a child.
TEST(pstl_calling, inside_blocking_works_in_a_child_too) {
  if (const char* why = leat_test::no_threads_in_a_child()) GTEST_SKIP() << why;
  const std::vector<int> numbers(1000, 1);
  const auto sum_inside_blocking = [&] {
    long long sum = 0;
    leat::parallel_for(0, 1, [&](int) { leat::blocking([&] { sum = sum_of(numbers); }); });
    return sum;
  };
  EXPECT_EQ(sum_inside_blocking(), 1000);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(sum_inside_blocking() == 1000 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(sum_inside_blocking(), 1000);
}

TEST(pstl_calling, algorithms_call_algorithms) {
  std::vector<std::vector<int>> rows(40);
  std::for_each(std::execution::par, rows.begin(), rows.end(), [](std::vector<int>& v) {
    v = row<int>(5000, 1000);
    std::sort(std::execution::par, v.begin(), v.end());
    // The search of the inner loop is cancelled, and not the loop around it.
    if (!std::any_of(std::execution::par, v.begin(), v.end(), [](int i) { return i >= 0; })) v.clear();
  });
  std::vector<int> expected = row<int>(5000, 1000);
  std::sort(expected.begin(), expected.end());
  for (const auto& v : rows) EXPECT_EQ(v, expected);
}

TEST(pstl_calling, a_run_of_the_program_is_used) {
  leat::runtime rt({.workers = 1});
  rt.run([] {
    std::vector<int> v = row<int>(30'000, 1000);
    const std::thread::id here = std::this_thread::get_id();
    std::atomic<int> elsewhere{0};
    const auto less = [&](int a, int b) {
      if (std::this_thread::get_id() != here) ++elsewhere;
      return a < b;
    };
    std::sort(std::execution::par, v.begin(), v.end(), less);
    std::for_each(std::execution::par, v.begin(), v.end(), [&](int i) { less(i, i); });
    EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
    EXPECT_EQ(sum_of(v), std::accumulate(v.begin(), v.end(), 0LL));
    EXPECT_EQ(elsewhere, 0);
  });
}

TEST(pstl_calling, in_a_cancelled_group_all_work_is_done) {
  leat::runtime rt({.workers = 4});
  rt.run([] {
    leat::task_group g;
    g.spawn([&g] {
      g.cancel();
      const std::vector<int> numbers = row<int>(20'000, 100);
      std::vector<int> copied(numbers.size());
      std::copy(std::execution::par, numbers.begin(), numbers.end(), copied.begin());
      EXPECT_EQ(copied, numbers);
      EXPECT_EQ(sum_of(numbers), std::accumulate(numbers.begin(), numbers.end(), 0LL));
      std::sort(std::execution::par, copied.begin(), copied.end());
      EXPECT_TRUE(std::is_sorted(copied.begin(), copied.end()));
    });
    g.wait();
  });
}

// The worker that finds the place cancels the loop. Parts that have not begun by then must not lose it.
TEST(pstl_calling, what_cancels_a_reduction_is_its_result) {
  leat::runtime rt({.workers = 8});
  rt.run([] {
    std::vector<int> v(4000);
    std::iota(v.begin(), v.end(), 0);
    for (std::size_t i = 0; i < 4000; ++i) {
      const std::size_t at = 1 + (i * 2654435761u) % (v.size() - 1);
      const int was = std::exchange(v[at], -1);
      ASSERT_FALSE(std::is_sorted(std::execution::par, v.begin(), v.end())) << at;
      v[at] = was;
    }
  });
}

// Each scheduler has waits of its own: some run anybody's task meanwhile.
TEST(pstl_calling, under_every_scheduler) {
  for (const char* scheduler : {"channel", "prell", "work-stealing", "lcws-user", "lcws-signal"}) {
    leat::options o;
    o.workers = 4;
    o.scheduler = scheduler;
    leat::runtime rt(o);
    rt.run([] {
      const std::vector<int> numbers = row<int>(50'000, 100);
      std::vector<int> expected(numbers.size()), got(numbers.size());
      std::inclusive_scan(numbers.begin(), numbers.end(), expected.begin());
      for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(sum_of(numbers), std::accumulate(numbers.begin(), numbers.end(), 0LL));
        std::inclusive_scan(std::execution::par, numbers.begin(), numbers.end(), got.begin());
        EXPECT_EQ(got, expected);
        std::vector<int> v = numbers;
        std::stable_partition(std::execution::par, v.begin(), v.end(), [](int e) { return e < 50; });
        std::vector<int> partitioned = numbers;
        std::stable_partition(partitioned.begin(), partitioned.end(), [](int e) { return e < 50; });
        EXPECT_EQ(v, partitioned);
      }
    });
  }
}

TEST(pstl_calling, each_element_is_visited_once) {
  for (const std::size_t n : {1, 2, 3, 1000, 100'000}) {
    std::vector<std::atomic<int>> visits(n);
    std::for_each(std::execution::par, visits.begin(), visits.end(), [](std::atomic<int>& i) { ++i; });
    EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](const std::atomic<int>& i) { return i == 1; }));
  }
}

TEST(pstl_calling, a_search_that_succeeds_early_leaves_the_rest_out) {
  std::vector<int> v(1'000'000, 1);
  std::atomic<int> looked_at{0};
  EXPECT_TRUE(std::any_of(std::execution::par, v.begin(), v.end(), [&](int i) { return ++looked_at, i == 1; }));
  EXPECT_LT(looked_at, 1000);
}

// What is kept has the mark of its last user; new memory of this size comes from the system.
TEST(pstl_room, keeps_what_was_used_last_and_no_longer_what_is_not_wanted) {
  namespace pstl = leat::adapters::pstl;
  constexpr std::size_t small = std::size_t{1} << 20, large = std::size_t{40} << 20;
  std::vector<void*> all;
  for (int i = 0; i < 8; ++i) all.push_back(pstl::take_room(small));
  for (void* room : all) pstl::give_room(room);
  auto* const first = static_cast<volatile char*>(pstl::take_room(large));
  *first = 77;
  pstl::give_room(const_cast<char*>(first));
  auto* const second = static_cast<volatile char*>(pstl::take_room(large));
  EXPECT_EQ(*second, 77);
  pstl::give_room(const_cast<char*>(second));
}

using pstl_exceptions_DeathTest = testing::Test;

template <class F>
void dies(F f) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(f(), "terminate called");  // "after throwing", or "recursively" where two threads do so at once
}

[[noreturn]] bool thrown() { throw std::runtime_error("from a user's function"); }

TEST(pstl_exceptions_DeathTest, terminate_from_loops) {
  dies([] {
    std::vector<int> v(10'000, 1);
    std::for_each(std::execution::par, v.begin(), v.end(), [](int) { thrown(); });
  });
}

TEST(pstl_exceptions_DeathTest, terminate_from_reversals_and_merges) {
  dies([] {
    std::vector<int> v(10'000, 1), out(20'000);
    std::merge(std::execution::par, v.begin(), v.end(), v.begin(), v.end(), out.begin(),
               [](int, int) { return thrown(); });
  });
}

TEST(pstl_exceptions_DeathTest, terminate_from_sorts) {
  dies([] {
    std::vector<int> v = row<int>(10'000);
    std::sort(std::execution::par, v.begin(), v.end(), [](int, int) { return thrown(); });
  });
}

TEST(pstl_exceptions_DeathTest, terminate_from_reductions_also_when_memory_is_short) {
  dies([] {
    std::vector<int> v(10'000, 1);
    static_cast<void>(std::transform_reduce(std::execution::par, v.begin(), v.end(), 0, std::plus<>(),
                                            [](int) -> int { throw std::bad_alloc(); }));
  });
}

// A range so long that there is no memory for a buffer of its size, of elements that are never touched.
TEST(pstl_exceptions, bad_alloc_comes_out_if_there_is_no_memory_to_work_with) {
  struct large {
    char bytes[std::size_t{1} << 30];
  };
  static std::max_align_t somewhere;
  void* volatile begin = &somewhere;  // volatile, so that the compiler does not see how small it is
  auto* const first = static_cast<large*>(begin);
  const auto n = std::numeric_limits<std::ptrdiff_t>::max() / 4 * 3 / static_cast<std::ptrdiff_t>(sizeof(large));
  EXPECT_THROW(std::inplace_merge(std::execution::par, first, first + n / 2, first + n,
                                  [](const large&, const large&) { return false; }),
               std::bad_alloc);
}

}  // namespace
