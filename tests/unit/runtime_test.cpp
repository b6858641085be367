// leat::runtime and the functions beside it, as a user has them. What runs do in every shape: run_test.cpp.
#include <gtest/gtest.h>

#include <dirent.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"
#include "leat/topology/cpus.hpp"

namespace {

using leat_test::comes_true;

using leat_test::with_workers;

int threads_of_this_process() {
  int count = 0;
  DIR* tasks = opendir("/proc/self/task");
  while (const dirent* entry = readdir(tasks)) count += entry->d_name[0] != '.';
  closedir(tasks);
  return count;
}

TEST(runtime, has_one_worker_per_usable_cpu_unless_told_otherwise) {
  const leat::runtime rt;
  EXPECT_EQ(rt.workers(), leat::topology::available_cpus());
  EXPECT_EQ(rt.scheduler(), leat::options().resolved().scheduler);
}

TEST(runtime, says_what_is_in_force) {
  leat::options o = with_workers(3);
  o.spin_us = 7;
  o.seed = 99;
  o.strategy = "steal-half";
  o.deque_capacity = 5;
  const leat::runtime rt(o);
  EXPECT_EQ(rt.workers(), 3u);
  EXPECT_EQ(rt.options().workers, 3u);
  EXPECT_EQ(rt.options().scheduler, leat::options().resolved().scheduler);
  EXPECT_EQ(rt.options().spin_us, 7u);
  EXPECT_EQ(rt.options().seed, 99u);
  EXPECT_EQ(rt.options().strategy, "steal-half");
  EXPECT_EQ(rt.options().deque_capacity, 5u);
}

TEST(runtime, has_exactly_its_workers_as_threads_and_leaves_none_behind) {
  // ThreadSanitizer starts a thread of its own along with the first one. A joined thread leaves /proc a moment later.
  std::thread([] {}).join();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const int before = threads_of_this_process();
  {
    leat::runtime rt(with_workers(5));
    EXPECT_EQ(threads_of_this_process(), before + 5);
    rt.run([] {
      for (int i = 0; i < 100; ++i) leat::spawn([] {});
    });
    EXPECT_EQ(threads_of_this_process(), before + 5);
  }
  EXPECT_TRUE(comes_true([&] { return threads_of_this_process() == before; }));
}

TEST(runtime, runs_the_example_of_the_front_page) {
  leat::runtime rt(with_workers(2));
  leat::worker_local<long> sum(rt);
  rt.run([&] {
    for (int i = 1; i <= 1000; ++i) leat::spawn([&sum, i] { sum.local() += i; });
    leat::barrier();
    EXPECT_EQ(sum.combine(0L, std::plus<>()), 500'500);
    leat::future<int> f = leat::async([] { return 42; });
    EXPECT_EQ(f.get(), 42);
  });
}

TEST(runtime, binds_its_workers_to_cpus_if_asked) {
  const auto allowed = leat::topology::read_cpus().allowed;
  leat::options o = with_workers(2 * allowed.size());
  o.bind = true;
  leat::runtime rt(o);
  // Each worker runs one of as many tasks as there are workers, since each waits for all the others.
  std::atomic<std::uint64_t> begun{0};
  std::atomic<int> wrong{0};
  rt.run([&] {
    const auto meet = [&] {
      if (leat::topology::read_cpus().allowed.size() != 1) ++wrong;
      ++begun;
      if (!comes_true([&] { return leat::poll(), begun == 2 * allowed.size(); })) ++wrong;
    };
    for (std::size_t i = 1; i < 2 * allowed.size(); ++i) leat::spawn(meet);
    meet();
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(leat::topology::read_cpus().allowed, allowed) << "the caller stays free";
}

TEST(runtime, several_live_side_by_side) {
  std::vector<std::unique_ptr<leat::runtime>> all;
  for (std::uint64_t w = 1; w <= 4; ++w) all.push_back(std::make_unique<leat::runtime>(with_workers(w)));
  std::atomic<int> tasks{0};
  std::vector<std::thread> callers;
  for (auto& rt : all) {
    callers.emplace_back([&] {
      for (int round = 0; round < leat_test::reps(100); ++round) {
        rt->run([&] {
          for (int i = 0; i < 10; ++i) leat::spawn([&] { ++tasks; });
          leat::barrier();
        });
      }
    });
  }
  for (auto& t : callers) t.join();
  EXPECT_EQ(tasks, 4 * leat_test::reps(100) * 10);
  all.erase(all.begin() + 1);  // the others do not mind
  EXPECT_EQ(all[0]->run([] { return 1; }), 1);
  EXPECT_EQ(all[2]->run([] { return 2; }), 2);
}

// a calls b, whose task calls a, whose task calls b ... on enough workers for every caller to wait on one.
TEST(runtime, runs_may_go_to_and_fro_between_runtimes) {
  leat::runtime a(with_workers(4));
  leat::runtime b(with_workers(4));
  struct pair {
    leat::runtime& here;
    leat::runtime& there;
    int descend(int depth) const {
      if (depth == 0) return 0;
      const pair turned{there, here};
      return 1 + here.run([&] { return there.run([&] { return turned.here.run([&] { return 0; }); }); }) +
             turned.descend(depth - 1);
    }
  };
  EXPECT_EQ((pair{a, b}.descend(20)), 20);
}

TEST(runtime, a_runtime_may_live_inside_a_task_of_another) {
  leat::runtime outer(with_workers(2));
  const int got = outer.run([] {
    std::vector<leat::future<int>> all;
    for (int i = 0; i < 4; ++i) {
      all.push_back(leat::async([i] {
        leat::runtime inner(with_workers(2));
        return inner.run([i] {
          auto f = leat::async([i] { return i; });
          return f.get();
        });
      }));
    }
    int sum = 0;
    for (auto& f : all) sum += f.get();
    return sum;
  });
  EXPECT_EQ(got, 6);
}

TEST(runtime, is_fine_after_every_kind_of_exception) {
  leat::runtime rt(with_workers(2));
  struct odd {};
  for (int i = 0; i < 20; ++i) {
    EXPECT_THROW(rt.run([] { throw odd(); }), odd);
    EXPECT_THROW(rt.run([] { leat::spawn([] { throw 1; }); }), int);
    EXPECT_THROW(rt.run([] { leat::spawn([] { throw "text"; }); }), const char*);
    EXPECT_THROW(rt.run([]() -> std::string { throw nullptr; }), std::nullptr_t);
    EXPECT_EQ(rt.run([] { return 1; }), 1);
  }
}

TEST(runtime, has_a_version) { EXPECT_STREQ(leat::version(), "0.1.0"); }

}  // namespace
