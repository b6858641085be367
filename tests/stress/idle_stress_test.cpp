// What an idle runtime costs, and how soon it is at work. The bounds are generous: they are not a race.
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

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

TEST(idle_stress, a_task_starts_within_a_millisecond) {
  for (const std::uint64_t workers : {2u, 64u}) {
    leat::runtime rt(with_workers(workers));
    std::vector<std::chrono::nanoseconds> delays;
    for (int i = 0; i < 21; ++i) {
      std::this_thread::sleep_for(20ms);
      const auto submitted = clock_type::now();
      const auto started = rt.run([] {
        auto f = leat::async([] { return clock_type::now(); });
        return f.get();
      });
      delays.push_back(started - submitted);
    }
    std::nth_element(delays.begin(), delays.begin() + 10, delays.end());
    EXPECT_LT(delays[10], leat_test::sanitized ? 10ms : 1ms) << "the median; " << workers << " workers";
  }
}

// The spawner goes on polling; what it spawned starts on a sleeping worker.
TEST(idle_stress, a_spawned_task_starts_within_a_millisecond_on_a_sleeping_worker) {
  leat::runtime rt(with_workers(2));
  std::vector<std::chrono::nanoseconds> delays;
  for (int i = 0; i < 21; ++i) {
    rt.run([&] {
      std::this_thread::sleep_for(20ms);  // the other one sleeps
      std::atomic<clock_type::rep> started{0};
      const auto spawned = clock_type::now();
      leat::spawn([&] { started = clock_type::now().time_since_epoch().count(); });
      EXPECT_TRUE(leat_test::comes_true([&] { return leat::poll(), started != 0; }));
      delays.push_back(clock_type::duration(started.load()) - spawned.time_since_epoch());
    });
  }
  std::nth_element(delays.begin(), delays.begin() + 10, delays.end());
  EXPECT_LT(delays[10], leat_test::sanitized ? 10ms : 1ms);
}

}  // namespace
