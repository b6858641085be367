// Tasks that keep their worker: long ones, and calls that block.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "operations.hpp"

namespace soak {

namespace {

using clock = std::chrono::steady_clock;

/// Executes for so long without a look at anything of leat's.
void be_busy(std::chrono::microseconds time) {
  const auto end = clock::now() + time;
  while (clock::now() < end) continue;
}

}  // namespace

void long_tasks(scene& s) {
  constexpr std::uint64_t tasks = 8;
  std::atomic<std::uint64_t> ran{0};
  leat::task_group group;
  for (std::uint64_t i = 0; i < tasks; ++i) {
    group.spawn([&ran, mine = s.numbers.between(10, 200)] {
      be_busy(std::chrono::microseconds(mine));
      ran.fetch_add(1, std::memory_order_relaxed);
    });
  }
  be_busy(std::chrono::microseconds(s.numbers.between(10, 500)));
  leat::poll();
  group.wait();
  expect(ran.load(), tasks, "long tasks");
  s.book.parts(kind::long_task, tasks);
}

void blocking_calls(scene& s) {
  const std::uint64_t calls = s.numbers.between(1, 4);
  leat::task_group group;
  std::atomic<std::uint64_t> sum{0};
  for (std::uint64_t i = 0; i < calls; ++i) {
    const auto time = std::chrono::microseconds(s.numbers.below(300));
    group.spawn([&sum, i, time] {
      sum += leat::blocking([i, time] {
        if (time.count() % 4 == 0) std::this_thread::yield();
        else std::this_thread::sleep_for(time);
        return i + 1;
      });
    });
  }
  perform_inside(s.inner());
  group.wait();
  expect(sum.load(), calls * (calls + 1) / 2, "the results of blocking calls");
  s.book.parts(kind::blocking, calls);
}

// One at a time: with the spares at work in other calls, each one takes a worker away until its task has found another.
void handovers(scene& s) {
  static std::atomic_flag taken;
  if (s.local->workers() < 2 || taken.test_and_set()) return;
  std::mutex gate;
  std::condition_variable came;
  bool there = false;
  leat::task_group group;
  group.spawn([&] {
    const std::lock_guard lock(gate);
    there = true;
    came.notify_one();
  });
  leat::blocking([&] {
    std::unique_lock lock(gate);
    came.wait(lock, [&] { return there; });
  });
  group.wait();
  taken.clear();
  s.book.parts(kind::handover, 1);
}

}  // namespace soak
