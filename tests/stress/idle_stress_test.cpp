// What an idle runtime costs: no CPU; and that it wakes up. The bounds are generous: they are not a race.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

using namespace std::chrono_literals;

using leat_test::with_workers;

// CPU time of this process.
std::chrono::microseconds cpu_time() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto us = [](const timeval& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
  };
  return us(used.ru_utime) + us(used.ru_stime);
}

void expect_idle(std::uint64_t workers, bool after_a_run) {
  leat::runtime rt(with_workers(workers));
  if (after_a_run) {
    rt.run([] {
      for (int i = 0; i < 1000; ++i) leat::spawn([] {});
    });
  }
  std::this_thread::sleep_for(leat_test::sanitized ? 1s : 100ms);
  const auto parks_before = rt.counters()[leat::event::parks];
  const auto before = cpu_time();
  std::this_thread::sleep_for(2s);
  const auto used = cpu_time() - before;
  // A sanitizer has a thread of its own.
  EXPECT_LT(used, leat_test::sanitized ? 400ms : 20ms) << "one percent of one CPU; " << workers << " workers";
  EXPECT_EQ(rt.counters()[leat::event::parks], parks_before) << "nobody wakes up for nothing";
}

TEST(idle_stress, two_workers_use_no_cpu) { expect_idle(2, true); }
TEST(idle_stress, sixty_four_workers_use_no_cpu) { expect_idle(64, true); }
TEST(idle_stress, two_workers_that_never_had_work_use_no_cpu) { expect_idle(2, false); }

// The spawner goes on polling; what it spawned starts on a sleeping worker. How soon: tests/simulated/wakes_test.cpp, and
// `leat_micro --benchmark_filter=latency`.
TEST(idle_stress, a_spawned_task_wakes_a_worker) {
  leat::runtime rt(with_workers(2));
  for (int i = 0; i < 21; ++i) {
    rt.run([&] {
      std::this_thread::sleep_for(20ms);  // the other one sleeps
      std::atomic<bool> started{false};
      leat::spawn([&] { started = true; });
      EXPECT_TRUE(leat_test::comes_true([&] { return leat::poll(), started.load(); }));
    });
  }
}

}  // namespace
