// run_options::workers_max: how many workers execute tasks of a run at once (rules CAP).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "leat/leat.hpp"
#include "meeting.hpp"

namespace {

struct by_leat {
  static void poll() { leat::poll(); }
};
using meeting = leat_test::meeting<by_leat>;

// How many threads are in tasks of a run, at most. A task inside another one, in a wait, is of the same thread.
class crowd {
 public:
  class member {
   public:
    explicit member(crowd& c) : crowd_(c) {
      if (depth++ != 0) return;
      const int now = ++crowd_.now_;
      for (int most = crowd_.most_; most < now && !crowd_.most_.compare_exchange_weak(most, now);) {
      }
    }
    member(const member&) = delete;
    member& operator=(const member&) = delete;
    ~member() {
      if (--depth == 0) --crowd_.now_;
    }

   private:
    static inline thread_local int depth = 0;
    crowd& crowd_;
  };

  int most() const { return most_; }

 private:
  std::atomic<int> now_{0};
  std::atomic<int> most_{0};
};

long fib(crowd& c, int n) {
  const crowd::member here(c);
  if (n < 2) return n;
  const auto [a, b] = leat::fork_join([&c, n] { return fib(c, n - 1); }, [&c, n] { return fib(c, n - 2); });
  return a + b;
}

void work_of_all_kinds(crowd& c) {
  const crowd::member root(c);
  EXPECT_EQ(fib(c, 16), 987);
  std::atomic<int> sum{0};
  leat::parallel_for(0, 300, [&](int i) {
    const crowd::member here(c);
    sum += i;
  });
  EXPECT_EQ(sum, 300 * 299 / 2);
  leat::task_group g;
  for (int i = 0; i < 50; ++i) {
    g.spawn([&c, &sum] {
      const crowd::member here(c);
      ++sum;
    });
  }
  auto f = leat::async([&c] { return fib(c, 8); });
  g.wait();
  EXPECT_EQ(f.get(), 21);
  for (int i = 0; i < 50; ++i) {
    leat::spawn([&c, &sum] {
      const crowd::member here(c);
      if (++sum % 8 == 0) std::this_thread::yield();
    });
  }
  leat::barrier();
  EXPECT_EQ(sum, 300 * 299 / 2 + 100);
}

// As many as may meet do: the cap is reached.
void meet(crowd& c, int workers) {
  const crowd::member root(c);
  meeting all(workers);
  for (int i = 1; i < workers; ++i) {
    leat::spawn([&c, &all] {
      const crowd::member here(c);
      all.attend();
    });
  }
  all.attend();
  leat::barrier();
}

TEST(run_cap, is_kept_and_reached) {
  leat::runtime rt({.workers = 4});
  for (int most = 1; most <= 4; ++most) {
    crowd c;
    for (int i = 0; i < 5; ++i) {
      rt.run({.workers_max = static_cast<std::uint64_t>(most)}, [&] { work_of_all_kinds(c); });
      rt.run({.workers_max = static_cast<std::uint64_t>(most)}, [&] { meet(c, most); });
    }
    EXPECT_EQ(c.most(), most);
  }
}

TEST(run_cap, is_each_run_s_own) {
  leat::runtime rt({.workers = 4});
  std::vector<std::thread> callers;
  for (std::uint64_t most : {1, 2, 3}) {
    callers.emplace_back([&rt, most] {
      for (int i = 0; i < 10; ++i) {
        crowd c;
        rt.run({.workers_max = most}, [&] { work_of_all_kinds(c); });
        EXPECT_LE(c.most(), static_cast<int>(most));
      }
    });
  }
  for (std::thread& t : callers) t.join();
  crowd c;
  rt.run([&] { meet(c, 4); });
  EXPECT_EQ(c.most(), 4);
}

TEST(run_cap, leaves_the_other_workers_to_other_runs) {
  leat::runtime rt({.workers = 3});
  crowd first, second;
  meeting all(3);  // of both runs
  std::thread other([&] {
    rt.run({.workers_max = 1}, [&] {
      const crowd::member here(first);
      for (int i = 0; i < 10; ++i) leat::spawn([&first] { const crowd::member in(first); });
      all.attend();
      leat::barrier();
    });
  });
  rt.run({.workers_max = 2}, [&] {
    const crowd::member here(second);
    leat::spawn([&] {
      const crowd::member in(second);
      all.attend();
    });
    all.attend();
  });
  other.join();
  EXPECT_EQ(first.most(), 1);
  EXPECT_EQ(second.most(), 2);
}

TEST(run_cap, of_a_run_inside_a_run_of_another_runtime) {
  leat::runtime outer({.workers = 2}), inner({.workers = 3});
  crowd c;
  outer.run({.workers_max = 1}, [&] { inner.run({.workers_max = 2}, [&] { work_of_all_kinds(c); }); });
  EXPECT_LE(c.most(), 2);
}

// A worker that blocks counts, and what takes its place may find no room.
TEST(run_cap, counts_workers_that_block) {
  leat::runtime rt({.workers = 3, .spares = 3});
  crowd c;
  std::atomic<int> ended{0};
  rt.run({.workers_max = 2}, [&] {
    for (int i = 0; i < 20; ++i) {
      leat::spawn([&] {
        const crowd::member here(c);
        leat::blocking([] { std::this_thread::yield(); });
        ++ended;
      });
    }
  });
  EXPECT_EQ(ended, 20);
  EXPECT_LE(c.most(), 2);
}

// With one worker at a time the tasks of a run need no atomics, whichever workers execute them.
TEST(run_cap, of_one_orders_all_tasks) {
  leat::runtime rt({.workers = 3});
  for (int i = 0; i < 20; ++i) {
    int plain = 0;
    rt.run({.workers_max = 1}, [&] {
      for (int k = 0; k < 100; ++k) leat::spawn([&plain] { ++plain; });
      leat::barrier();
      leat::parallel_for(0, 100, [&](int) { ++plain; });
    });
    EXPECT_EQ(plain, 200);
  }
}

TEST(run_cap, gives_results_and_exceptions_as_without) {
  leat::runtime rt({.workers = 2});
  EXPECT_EQ(rt.run({.workers_max = 1}, [] { return 7; }), 7);
  EXPECT_EQ(rt.run({}, [] { return 8; }), 8);
  int kept = 0;
  EXPECT_EQ(&rt.run({.workers_max = 1}, [&]() -> int& { return kept; }), &kept);
  EXPECT_THROW(rt.run({.workers_max = 1}, [] { throw std::out_of_range("cap"); }), std::out_of_range);
}

template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const std::logic_error& e) {
    return e.what();
  }
  return "nothing was refused";
}

TEST(run_cap, names_values_that_make_no_sense) {
  leat::runtime rt({.workers = 2});
  for (const std::uint64_t bad : {std::uint64_t{0}, std::uint64_t{leat::workers_max} + 1}) {
    EXPECT_THROW(rt.run({.workers_max = bad}, [] {}), std::invalid_argument);
    const std::string why = refusal([&] { rt.run({.workers_max = bad}, [] {}); });
    EXPECT_NE(why.find("workers_max = " + std::to_string(bad) + ":"), std::string::npos) << why;
  }
}

TEST(run_cap, of_a_call_inside_a_run_is_the_run_s) {
  leat::runtime rt({.workers = 2, .spares = 1});
  EXPECT_EQ(rt.run([&] { return rt.run({.workers_max = 3}, [] { return 1; }); }), 1);
  EXPECT_EQ(rt.run({.workers_max = 2}, [&] { return rt.run({.workers_max = 2}, [] { return 2; }); }), 2);
  const std::string why = refusal([&] { rt.run([&] { rt.run({.workers_max = 2}, [] {}); }); });
  EXPECT_NE(why.find("workers_max = 2"), std::string::npos) << why;
  EXPECT_NE(why.find("3 workers"), std::string::npos) << why;
}

TEST(run_cap, is_refused_by_published_schedulers) {
  for (const auto scheduler : leat::scheduler_names()) {
    if (scheduler == "channel") continue;
    leat::runtime rt({.workers = 2, .scheduler = std::string(scheduler), .spares = 0});
    EXPECT_EQ(rt.run({.workers_max = 2}, [] { return 3; }), 3) << scheduler;
    const std::string why = refusal([&] { rt.run({.workers_max = 1}, [] {}); });
    EXPECT_NE(why.find("workers_max = 1: the scheduler '" + std::string(scheduler)), std::string::npos) << why;
  }
}

}  // namespace
