// What an idle runtime costs: no CPU; and that it wakes up. The bounds are generous: they are not a race.
#include <gtest/gtest.h>

#include <sys/types.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <thread>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

using namespace std::chrono_literals;

using leat_test::with_workers;

std::set<pid_t> threads_of_process() {
  std::set<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    found.insert(static_cast<pid_t>(std::stol(entry.path().filename().string())));
  return found;
}

std::set<pid_t> new_threads(const std::set<pid_t>& others) {
  std::set<pid_t> found = threads_of_process();
  for (const pid_t other : others) found.erase(other);
  return found;
}

// CPU time of the threads that this process has beside `others`. A sanitizer has a thread of its own, whose work grows with the
// memory that earlier tests have used.
std::chrono::nanoseconds cpu_time_but_of(const std::set<pid_t>& others) {
  std::chrono::nanoseconds all{0};
  for (const pid_t thread : new_threads(others)) {
    const clockid_t clock = ~thread << 3 | 6;  // the system's number for the CPU time of a thread
    timespec t{};
    EXPECT_EQ(clock_gettime(clock, &t), 0) << "thread " << thread;
    all += std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
  }
  return all;
}

// Whether the workers come to rest: they start, look for work and fall asleep one after the other, which takes as long as other
// programs and a sanitizer let it take.
bool come_to_rest(const std::set<pid_t>& others) {
  return leat_test::comes_true([&] {
    const auto before = cpu_time_but_of(others);
    std::this_thread::sleep_for(200ms);
    return cpu_time_but_of(others) - before < 1ms;
  });
}

void expect_idle(std::uint64_t workers, bool after_a_run) {
  std::thread([] {}).join();  // a sanitizer begins its own thread with the program's first
  const auto others = threads_of_process();
  leat::runtime rt(with_workers(workers));
  if (after_a_run) {
    rt.run([] {
      for (int i = 0; i < 1000; ++i) leat::spawn([] {});
    });
  }
  ASSERT_TRUE(come_to_rest(others)) << workers << " workers";
  EXPECT_GE(new_threads(others).size(), workers) << "each worker is one of the threads that are measured";
  const auto parks_before = rt.counters()[leat::event::parks];
  const auto before = cpu_time_but_of(others);
  std::this_thread::sleep_for(2s);
  const auto used = cpu_time_but_of(others) - before;
  EXPECT_LT(used, 20ms) << "one percent of one CPU; " << workers << " workers";
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
