// Long recordings: of small subtrees they have only the sums, and these are exact.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "profiled/measuring.hpp"
#include "profiled/read_recording.hpp"

using leat_test::fib;
using leat_test::measure;
using leat_test::measured;
using leat_test::recording;
using leat_test::recording_reader;
using leat_test::take;
using leat_test::temporary_file;

namespace {

constexpr std::uint64_t limit = 400'000;

// What is recorded of f in about `most` bytes. It has all the work that is measured.
template <class F>
recording record(std::uint32_t workers, F f, std::uint64_t& bytes, std::uint64_t most = limit) {
  const temporary_file to;
  const measured m = measure(workers, f, to.name().c_str(), &leat_test::read_thread_ns, most);
  bytes = to.size();
  const recording r = recording_reader(to.name()).read();
  EXPECT_EQ(r.work_ns, m.whole.work);
  return r;
}

std::uint64_t grain(const recording& r) { return std::stoull(r.head.at("sampled")); }

}  // namespace

TEST(sampled, keeps_the_sums_of_small_forks) {
  std::uint64_t bytes = 0;
  const recording r = record(1, [] { fib(27); }, bytes);
  EXPECT_LT(bytes, limit);
  EXPECT_GT(bytes, limit / 4);
  EXPECT_GT(grain(r), 1u);
  EXPECT_GT(r.operations.at(20), 100u);
  EXPECT_GT(r.operations.at(1), 100u) << "large subtrees are recorded";
  EXPECT_EQ(r.strands, 635'621u) << "a strand of each call has a time";
}

TEST(sampled, keeps_forks_that_another_worker_executes) {
  std::uint64_t bytes = 0;
  const recording r = record(4, [] { fib(27); }, bytes);
  EXPECT_LT(bytes, 2 * limit);
  EXPECT_GT(r.operations.at(20), 20u) << "how many depends on what is stolen";
}

// Subtrees one after the other are not kept one by one. The longest chains of some of them are one behind the other.
TEST(sampled, adds_sums_in_a_row) {
  std::uint64_t bytes = 0;
  const auto forks_in_a_row = [] {
    for (int i = 0; i < 50'000; ++i) take(10), fib(6);
  };
  const recording r = record(1, forks_in_a_row, bytes);
  EXPECT_LT(bytes, limit);
  std::uint64_t checked = 0;
  constexpr std::uint64_t forks_each = 12, between_ns = 110;
  for (const auto& s : r.sums) {
    const std::uint64_t many = s.forks / forks_each;
    if (many < 2 || s.forks % forks_each != 0) continue;
    ++checked;
    EXPECT_EQ(s.work_ns, many * 2400 + (many - 1) * between_ns);
    EXPECT_EQ(s.span_ns, many * 500 + (many - 1) * between_ns);
    EXPECT_EQ(s.strands, many * 24 + many - 1);
  }
  EXPECT_GT(checked, 50u);
}

TEST(sampled, keeps_the_sums_of_small_loops) {
  std::uint64_t bytes = 0;
  const auto loops = [] {
    for (int i = 0; i < 30'000; ++i) leat::parallel_for(0, 10, [](int) { take(2000); });
  };
  const recording r = record(1, loops, bytes);
  EXPECT_LT(bytes, limit);
  EXPECT_GT(r.operations.at(20), 100u);
  record(2, loops, bytes);  // those that both workers execute stay
}

TEST(sampled, adds_blocks_in_a_row) {
  const auto loops = [] {
    leat::parallel_for(0, 50'000, [](int) { leat::parallel_for(0, 10, [](int) { take(2000); }); });
  };
  for (const std::uint32_t workers : {1u, 4u}) {
    std::uint64_t bytes = 0;
    const recording r = record(workers, loops, bytes);
    EXPECT_LT(bytes, 2 * limit);
    EXPECT_GT(r.operations.at(20), 20u);
    EXPECT_GT(r.operations.at(12), 100u) << "the outer loop is recorded";
    for (const auto& sums : r.sums)
      EXPECT_LE(sums.span_ns, 10 * 2000u) << "no iteration of the outer loop waits for another";
  }
}

// The blocks of such a loop lie in two streams, and name it. The iterations take long enough for the other worker to come.
TEST(sampled, keeps_loops_that_two_workers_execute) {
  std::uint64_t bytes = 0;
  const auto shared_loops = [] {
    fib(25);
    for (int i = 0; i < 5; ++i) {
      const auto sleep = [](int) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); };
      leat::parallel_for(0, 1, [&](int) { leat::parallel_for(0, 64, sleep); });
    }
  };
  const recording r = record(2, shared_loops, bytes);
  EXPECT_GT(grain(r), 1u);
  EXPECT_GT(r.operations.at(10), 5u) << "not only the outer loops";
}

// A subtree that others refer to stays.
TEST(sampled, keeps_futures) {
  std::uint64_t bytes = 0;
  const auto futures = [] {
    for (int i = 0; i < 20'000; ++i) {
      leat::fork_join([] { leat::async([] { take(30); }).get(); }, [] { fib(2); });
      leat::blocking([] { take(60); });
    }
  };
  const recording r = record(2, futures, bytes);
  EXPECT_EQ(r.operations.at(14), 20'000u);
  EXPECT_EQ(r.operations.at(15), 20'000u);
  EXPECT_EQ(r.operations.at(16), 20'000u);
}

TEST(sampled, says_if_all_is_recorded) {
  std::uint64_t bytes = 0;
  const recording r = record(1, [] { fib(10); }, bytes);
  EXPECT_EQ(grain(r), 1u);
  EXPECT_EQ(r.operations.count(20), 0u);
}

namespace {

unsigned spawned_fib(unsigned n) {
  take(100);
  if (n < 2) return n;
  unsigned a = 0;
  leat::task_group g;
  g.spawn([&a, n] { a = spawned_fib(n - 1); });
  const unsigned b = spawned_fib(n - 2);
  g.wait();
  return a + b;
}

void tree(int levels) {
  take(100);
  if (levels == 0) return;
  for (int i = 0; i < 2; ++i) leat::spawn([levels] { tree(levels - 1); });
}

// Of everything a little, in a task that is not recorded by itself.
void everything() {
  fib(5);
  leat::parallel_for(0, 10, [](int) { fib(3); });
  leat::task_group g;
  g.spawn([] { fib(4); });
  leat::spawn_for(g, 0, 50, [](int) { take(70); });
  const auto before = g.spawn_after({}, [] { take(10); });
  g.spawn_after({before}, [] { take(20); });
  g.wait();
  leat::async([] { return take(40), 1; }).then([](int n) { return take(30), n + 1; }).get();
  leat::graph nodes;
  auto one = nodes.add([] { take(100); }), two = nodes.add([] { take(200); });
  one.precede(two);
  nodes.run();
  leat::blocking([] { take(60); });
  leat::spawn([] { take(80); });
}

}  // namespace

TEST(sampled, keeps_the_sums_of_tasks_with_groups) {
  for (const std::uint32_t workers : {1u, 4u}) {
    std::uint64_t bytes = 0;
    const recording r = record(workers, [] { spawned_fib(26); }, bytes);
    EXPECT_LT(bytes, 2 * limit);
    EXPECT_GT(r.operations.at(20), 20u);
    EXPECT_GT(r.operations.at(7), 100u) << "large tasks are recorded";
    EXPECT_EQ(r.executed.size(), r.operations.at(7) + r.elsewhere.size());
    EXPECT_GE(r.strands, 392'835u);
  }
}

TEST(sampled, keeps_the_sums_of_tasks_in_no_group) {
  for (const std::uint32_t workers : {1u, 4u}) {
    std::uint64_t bytes = 0;
    const auto whole = [] {
      tree(16);
      leat::barrier();
    };
    const recording r = record(workers, whole, bytes);
    EXPECT_LT(bytes, 2 * limit);
    EXPECT_GT(r.operations.at(7), 100u) << "large tasks are recorded";
    EXPECT_EQ(r.executed.size(), r.operations.at(7));
  }
}

// One task makes them all.
TEST(sampled, adds_tasks_in_a_row) {
  std::uint64_t bytes = 0;
  const auto flat = [] {
    leat::task_group g;
    for (int i = 0; i < 100'000; ++i) g.spawn([] { take(100); });
    g.wait();
  };
  const recording r = record(1, flat, bytes);
  EXPECT_LT(bytes, 3 * limit / 2) << "those that were made before are executed behind the limit";
  for (const auto& sums : r.sums) EXPECT_EQ(sums.work_ns, sums.strands * 100);
  for (const auto& sums : r.sums) EXPECT_EQ(sums.span_ns, 100u) << "all of a row begin at once";
  EXPECT_EQ(r.executed.size(), r.operations.at(7));
}

// Each task makes the next one, and so all that are left: none is small. The first half of the limit has about 20,000.
TEST(sampled, keeps_long_chains_of_tasks) {
  constexpr int tasks = 60'000;
  struct chain {
    static void link(int left) {
      take(100);
      if (left != 0) leat::spawn([left] { link(left - 1); });
    }
  };
  std::uint64_t bytes = 0;
  const recording r = record(1, [] { chain::link(tasks), leat::barrier(); }, bytes);
  EXPECT_GT(grain(r), 1u);
  EXPECT_GT(r.operations.at(7), 22'000u);
}

TEST(sampled, keeps_tasks_with_many_forks) {
  std::uint64_t bytes = 0;
  const auto tasks = [] {
    for (int i = 0; i < 4'000; ++i) {
      leat::task_group g;
      for (int k = 0; k < 3; ++k) g.spawn([] { fib(12); });
      g.wait();
    }
  };
  const recording r = record(1, tasks, bytes, 20 * limit);
  EXPECT_GT(r.operations.at(20), 100u);
  EXPECT_EQ(r.operations.at(7), 12'000u);
}

TEST(sampled, has_all_that_such_tasks_make) {
  for (const std::uint32_t workers : {1u, 4u}) {
    std::uint64_t bytes = 0;
    const auto tasks = [] {
      for (int i = 0; i < 3'000; ++i) {
        leat::task_group g;
        for (int k = 0; k < 3; ++k) g.spawn(everything);
        g.wait();
      }
      leat::barrier();
    };
    const recording r = record(workers, tasks, bytes);
    EXPECT_GT(r.operations.at(20), 100u);
    EXPECT_LT(r.operations.at(14), 18'000u) << "some futures belong to tasks that are not recorded";
  }
}

// As where std::exit is called after a wait: the frame that made the tasks lives on.
TEST(sampled, has_the_tasks_that_have_been_waited_for) {
  constexpr std::uint64_t tasks = 100'000, each_ns = 10;
  const temporary_file to;
  const auto f = [] {
    leat::task_group g;
    for (std::uint64_t i = 0; i < tasks; ++i) g.spawn([] { take(each_ns); });
    g.wait();
    EXPECT_TRUE(leat_test::session::end());
  };
  measure(1, f, to.name().c_str(), &leat_test::read_thread_ns, limit);
  const recording r = recording_reader(to.name(), true).read();
  EXPECT_GT(grain(r), 1u);
  EXPECT_EQ(r.work_ns, tasks * each_ns);
}
