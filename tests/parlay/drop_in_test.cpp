// Programs over Parlay's scheduler interface, on leat: once for each shape that the interface has had (parallel.h).
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "parallel.h"

#include <leat/leat.hpp>

#include "engines.hpp"

namespace {

using leat_test::comes_true;
using leat_test::reps;
using leat_test::with_scheduler;

constexpr std::array<std::size_t, 5> thread_counts{1, 2, 3, 8, 64};
constexpr std::size_t threads_by_default = 3;

// Before anything asks for it.
const bool environment_is_set = setenv("PARLAY_NUM_THREADS", std::to_string(threads_by_default).c_str(), 1) == 0;

long fib(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
  parlay::par_do([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

/// Nobody else has the number of the calling thread's worker while it lives.
class holding_id {
 public:
  template <class Scheduler>
  holding_id(std::vector<std::atomic<bool>>& held, Scheduler& s) : mine_(held.at(s.worker_id())) {
    EXPECT_FALSE(mine_.exchange(true)) << "two threads have the worker id " << s.worker_id();
  }
  ~holding_id() { mine_ = false; }

 private:
  std::atomic<bool>& mine_;
};

TEST(drop_in, forks_on_the_calling_thread) {
  ASSERT_TRUE(environment_is_set);
  for (const std::size_t threads : thread_counts) {
    with_scheduler(threads, [&](auto& s) {
      EXPECT_EQ(s.num_workers(), threads);
      const auto here = std::this_thread::get_id();
      for (int i = 0; i < reps(100); ++i) {
        int calls = 0;
        std::atomic<int> others{0};
        EXPECT_EQ(s.worker_id(), 0u);
        s.pardo(
            [&] {
              EXPECT_EQ(std::this_thread::get_id(), here);
              EXPECT_EQ(s.worker_id(), 0u);
              ++calls;
            },
            [&] { ++others; });
        EXPECT_EQ(std::this_thread::get_id(), here);
        EXPECT_EQ(calls, 1);
        EXPECT_EQ(others, 1);
      }
    });
  }
}

TEST(drop_in, executes_both_at_once) {
  for (const std::size_t threads : {2u, 8u}) {
    with_scheduler(threads, [&](auto& s) {
      for (int i = 0; i < reps(20) && !::testing::Test::HasFailure(); ++i) {
        std::atomic<bool> left{false}, right{false};
        const auto meet = [](std::atomic<bool>& mine, const std::atomic<bool>& other) {
          mine = true;
          EXPECT_TRUE(comes_true([&] { return other.load(); }));
        };
        s.pardo([&] { meet(left, right); }, [&] { meet(right, left); });
      }
    });
  }
}

TEST(drop_in, calls_each_index_once) {
  for (const std::size_t threads : thread_counts) {
    with_scheduler(threads, [&](auto& s) {
      for (const std::size_t n : {0u, 1u, 2u, 3u, 100u, 5000u}) {
        for (const std::size_t granularity : {0u, 1u, 3u, 1000u, 1'000'000u}) {
          constexpr std::size_t start = 17;
          std::vector<std::atomic<int>> calls(n);
          const auto count = [&](std::size_t i) { ++calls.at(i - start); };
          s.parfor(start, start + n, count, granularity, granularity == 3);
          for (const auto& c : calls) ASSERT_EQ(c, 1);
        }
      }
      s.parfor(5, 3, [](std::size_t) { FAIL() << "the loop is empty"; });
    });
  }
}

TEST(drop_in, gives_each_thread_an_id_of_its_own) {
  for (const std::size_t threads : thread_counts) {
    with_scheduler(threads, [&](auto& s) {
      std::vector<std::atomic<bool>> held(threads);
      std::mutex lock;
      std::set<std::thread::id> seen;
      s.parfor(
          0, static_cast<std::size_t>(reps(1000)),
          [&](std::size_t) {
            const holding_id mine(held, s);
            for (int i = 0; i < 100; ++i) std::this_thread::yield();
            const std::lock_guard locked(lock);
            seen.insert(std::this_thread::get_id());
          },
          1);
      // The calling thread is one of them: no more exist.
      EXPECT_TRUE(seen.contains(std::this_thread::get_id()));
      EXPECT_LE(seen.size(), threads);
    });
  }
}

TEST(drop_in, nests) {
  EXPECT_EQ(parlay::num_workers(), threads_by_default);
  EXPECT_EQ(fib(sizeof(void*) == 8 && !leat_test::sanitized ? 24 : 16), leat_test::sanitized ? 987 : 46368);
  constexpr std::size_t n = 40;
  std::vector<std::atomic<int>> calls(n * n * 2);
  parlay::parallel_for(
      0, n,
      [&](std::size_t i) {
        parlay::parallel_for(
            0, n,
            [&](std::size_t k) {
              std::atomic<int>* const both = &calls[2 * (i * n + k)];
              parlay::par_do([=] { ++both[0]; }, [=] { ++both[1]; });
            },
            1);
      },
      1, true);
  for (const auto& c : calls) ASSERT_EQ(c, 1);
}

// Parlay has room for 1000 jobs of a worker.
TEST(drop_in, forks_deeply) {
  std::atomic<int> calls{0};
  const auto fork_in = [&](const auto& self, int depth) -> void {
    if (depth == 0) return;
    parlay::par_do([&] { self(self, depth - 1); }, [&] { ++calls; });
  };
  fork_in(fork_in, 3000);
  EXPECT_EQ(calls, 3000);
}

TEST(drop_in, lets_exceptions_out) {
  for (const std::size_t threads : thread_counts) {
    with_scheduler(threads, [&](auto& s) {
      for (int i = 0; i < reps(20); ++i) {
        EXPECT_THROW(s.pardo([] { throw std::range_error("left"); }, [] {}), std::range_error);
        EXPECT_THROW(s.pardo([] {}, [] { throw std::out_of_range("right"); }), std::out_of_range);
        EXPECT_THROW(s.pardo([] { throw std::range_error("left"); }, [] { throw std::out_of_range("right"); }),
                     std::range_error);
        std::atomic<bool> begun{threads == 1};
        const auto wait = [&] { EXPECT_TRUE(comes_true([&] { return begun.load(); })); };
        const auto thief = [&] {
          begun = true;
          throw std::out_of_range("thief");
        };
        EXPECT_THROW(s.pardo(wait, thief), std::out_of_range);
        for (const std::size_t granularity : {0u, 1u, 1000u}) {
          const auto one_fails = [](std::size_t k) {
            if (k == 77) throw std::length_error("77");
          };
          EXPECT_THROW(s.parfor(0, 100, one_fails, granularity), std::length_error);
        }
      }
      std::atomic<int> calls{0};
      s.parfor(0, 100, [&](std::size_t) { ++calls; }, 1);
      EXPECT_EQ(calls, 100);
    });
  }
}

TEST(drop_in, serves_threads_outside) {
  std::array<std::thread, 4> outside;
  for (auto& t : outside) {
    t = std::thread([] {
      EXPECT_EQ(parlay::worker_id(), 0u);
      for (int i = 0; i < reps(20); ++i) {
        std::vector<std::atomic<bool>> held(parlay::num_workers());
        struct {
          static std::size_t worker_id() { return parlay::worker_id(); }
        } current;
        parlay::parallel_for(
            0, 50,
            [&](std::size_t) {
              const holding_id mine(held, current);
              std::this_thread::yield();
            },
            1);
        ASSERT_EQ(fib(10), 55);
      }
    });
  }
  for (auto& t : outside) t.join();
}

TEST(drop_in, serves_several_schedulers_in_turn_and_inside_each_other) {
  for (int i = 0; i < reps(5); ++i) {
    with_scheduler(2, [&](auto& two) {
      with_scheduler(3, [&](auto& three) {
        std::atomic<int> calls{0};
        const auto inner = [&] {
          EXPECT_EQ(three.num_workers(), 3u);
          three.parfor(
              0, 20,
              [&](std::size_t) {
                EXPECT_LT(three.worker_id(), 3u);
                ++calls;
              },
              1);
        };
        three.pardo(inner, inner);
        two.pardo(inner, inner);
        three.pardo(inner, inner);
        EXPECT_EQ(calls, 120);
      });
    });
  }
}

// Once for each thread outside, whatever it calls.
TEST(drop_in, starts_its_threads_once) {
  std::mutex lock;
  std::set<pid_t> seen;
  std::thread([&] {
    for (int i = 0; i < reps(20); ++i) {
      std::atomic<bool> begun{false};
      const auto note = [&] {
        begun = true;
        const std::lock_guard locked(lock);
        seen.insert(gettid());
      };
      const auto wait = [&] { EXPECT_TRUE(comes_true([&] { return begun.load(); })); };
      parlay::par_do(wait, note);
      begun = false;
      parlay::parallel_for(0, 2, [&](std::size_t k) { k == 0 ? wait() : note(); }, 1);
    }
  }).join();
  EXPECT_LT(seen.size(), threads_by_default);
}

TEST(drop_in, serves_workers_of_leat) {
  leat::options o;
  o.workers = 2;
  leat::runtime rt(o);
  const auto sum = rt.run([] {
    const auto [a, b] = leat::fork_join([] { return fib(12); }, [] { return leat::blocking([] { return fib(12); }); });
    return a + b;
  });
  EXPECT_EQ(sum, 288);
}

TEST(drop_in, serves_a_forked_child) {
  EXPECT_EQ(fib(12), 144);
  const auto child_computes = [] {
    const pid_t child = fork();
    if (child == 0) _exit(fib(10) == 55 ? 0 : 1);
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  };
  child_computes();
  parlay::par_do(child_computes, [] {});
}

TEST(drop_in, moves_nothing_that_cannot_be_copied) {
  int left = 0, right = 0;
  with_scheduler(2, [&](auto& s) {
    s.pardo([&left, p = std::make_unique<int>(7)] { left = *p; },
            [&right, p = std::make_unique<int>(8)] { right = *p; });
  });
  EXPECT_EQ(left + right, 15);
}

// As static objects are that use Parlay when they are destroyed: later than what the thread had.
TEST(drop_in, serves_a_thread_to_its_end) {
  static std::atomic<long> last{0};
  struct late {
    ~late() { last = fib(10); }
  };
  std::thread([] {
    static thread_local late object;
    static_cast<void>(&object);
    EXPECT_EQ(fib(5), 5);
  }).join();
  EXPECT_EQ(last, 55);
}

TEST(drop_in, refuses_numbers_of_threads_that_make_no_sense) {
  for (const std::size_t threads : {std::size_t{0}, std::size_t{4097}, std::size_t{4'294'967'295}}) {
    try {
      with_scheduler(threads, [](auto&) {});
      ADD_FAILURE() << threads;
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find(std::to_string(threads)), std::string::npos) << e.what();
    }
  }
}

}  // namespace
