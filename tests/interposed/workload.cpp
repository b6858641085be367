#include "interposed/workload.hpp"

#include <leat/bubble.hpp>
#include <leat/cluster.hpp>
#include <leat/leat.hpp>
#include <leat/thread.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "leat/platform/native.hpp"
#include "leat/topology/cpus.hpp"

namespace leat_test::interposed {

namespace {

std::atomic<long> alive{0};

/// Lies in a task, and is counted.
class token {
 public:
  token() noexcept { ++alive; }
  token(const token&) noexcept { ++alive; }
  token& operator=(const token&) = delete;
  ~token() { --alive; }
};

void expect(bool right, const char* what) {
  if (!right) throw wrong{what};
}

leat::options two_workers() {
  leat::options o;
  o.workers = 2;
  return o;
}

int fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = leat::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

void forks() {
  expect(fib(12) == 144, "forks: a sum is wrong");
  leat::with_context([](auto c) {
    const auto [a, b] = leat::fork_join(c, [](auto) { return fib(8); }, [](auto) { return fib(9); });
    expect(a == 21 && b == 34, "forks with a context: a result is wrong");
  });
}

// What was spawned has run when the run is over, also one that has failed.
void tasks(leat::runtime& rt) {
  std::atomic<int> ran{0};
  int spawned = 0;
  const auto root = [&] {
    for (int i = 0; i < 60; ++i) {
      leat::spawn([&ran] { ++ran; });
      ++spawned;
      leat::spawn([&ran, t = token(), ballast = std::array<char, 100>{}] { ran += 1 + ballast[0]; });
      ++spawned;
    }
    leat::barrier();
    expect(ran == spawned, "tasks: a barrier is left too early");
    leat::spawn([&ran] { ++ran; });
    ++spawned;
  };
  try {
    rt.run(root);
  } catch (...) {
    expect(ran == spawned, "tasks: one was lost, or ran twice, in a run that failed");
    throw;
  }
  expect(ran == spawned, "tasks: one was lost, or ran twice");
}

void groups() {
  std::atomic<int> ran{0};
  int spawned = 0;
  {
    leat::task_group g;
    for (int i = 0; i < 40; ++i) {
      g.spawn([&ran, t = token()] { ++ran; });
      ++spawned;
    }
    g.wait();
    expect(ran == spawned, "groups: a wait is over too early");
  }
}

void futures() {
  std::vector<leat::future<int>> made;
  for (int i = 0; i < 20; ++i) made.push_back(leat::async([i, t = token()] { return i; }));
  int sum = 0;
  for (auto& f : made) sum += f.get();
  expect(sum == 190, "futures: a result is wrong");
  auto shared = leat::async([] { return std::string(100, 'x'); }).share();
  const auto lengths =
      leat::fork_join([shared] { return shared.get().size(); }, [shared] { return shared.get().size(); });
  expect(lengths.first == 100 && lengths.second == 100, "futures: a shared result is wrong");
}

void loops() {
  constexpr int n = 3000;
  std::vector<int> a(n);
  leat::parallel_for(0, n, [&](int i) { a[static_cast<std::size_t>(i)] = (i * 7919) % n; });
  const auto sum = leat::parallel_reduce(a, std::int64_t{0}, [](int x) { return std::int64_t{x}; }, std::plus<>{});
  expect(sum == std::int64_t{n} * (n - 1) / 2, "loops: a sum is wrong");
  std::vector<int> copy = a;
  leat::parallel_sort(a);
  for (int i = 0; i < n; ++i) expect(a[static_cast<std::size_t>(i)] == i, "loops: a sort has lost something");
  leat::parallel_stable_sort(copy);
  expect(copy == a, "loops: a stable sort has lost something");
  leat::parallel_inclusive_scan(a.begin(), a.end(), copy.begin());
  expect(copy.back() == n * (n - 1) / 2, "loops: a scan is wrong");
  std::atomic<int> ran{0};
  leat::task_group g;
  leat::spawn_for(g, 0, 500, [&](int) { ++ran; });
  g.wait();
  expect(ran == 500, "loops: a spawned one has lost something");
}

void blocking() {
  auto f = leat::async([] { return 5; });
  expect(leat::blocking([] { return 7; }) == 7 && f.get() == 5, "blocking: a result is wrong");
}

// A task that looks at nothing, and keeps others in its worker's deque: thieves have it interrupted, or wait for its end.
void interrupted_tasks() {
  constexpr int looks_max = 100'000;  // some milliseconds
  std::atomic<int> ran{0};
  leat::spawn([&ran] { ++ran; });
  for (int i = 0; ran == 0 && i < looks_max; ++i) leat::platform::native::relax();
  leat::barrier();
  expect(ran == 1, "a task that is interrupted: another was lost");
}

// Some are given away while others are executed.
void long_tasks() {
  std::atomic<int> ran{0};
  leat::task_group g;
  int spawned = 0;
  for (int i = 0; i < 20; ++i) {
    g.spawn([&ran] {
      volatile int work = 0;
      for (int k = 0; k < 20'000; ++k) work = work + 1;
      ++ran;
    });
    ++spawned;
  }
  g.wait();
  expect(ran == spawned, "long tasks: one was lost");
}

void exceptions(leat::runtime& rt) {
  try {
    rt.run([] { leat::spawn([t = token()] { throw 7; }); });
    throw wrong{"exceptions: one was lost"};
  } catch (int thrown) {
    expect(thrown == 7, "exceptions: another came");
  }
}

void other_runtimes(leat::runtime& rt) {
  rt.run([] {
    leat::options o = two_workers();
    o.deque_capacity = std::size_t{1} << 16;  // large pages are asked for
    leat::runtime inner(o);
    expect(inner.run([] { return fib(6); }) == 8, "a runtime in a run: a result is wrong");
  });
  leat::team t(two_workers());
  expect(t.call([] { return fib(7); }) == 13, "a team: a result is wrong");
}

void threads() {
  std::atomic<int> ran{0};
  const auto result = leat::run_threads(
      [&] {
        leat::mutex m;
        int counted = 0;
        const auto counts = [&, t = token()] {
          for (int i = 0; i < 5; ++i) {
            m.lock();
            ++counted;
            m.unlock();
            leat::thread::yield();
          }
          ++ran;
        };
        leat::bubble b;
        int spawned = 0;
        for (int i = 0; i < 4; ++i) {
          b.spawn(counts);
          ++spawned;
        }
        leat::thread beside(counts);
        try {
          b.wake();
          b.join();
        } catch (...) {
          beside.join();
          throw;
        }
        leat::blocking([] {});
        beside.join();
        expect(counted == 5 * (spawned + 1), "threads: a turn was lost");
        return spawned + 1;
      },
      {.machine = "pu:2"});
  expect(result == 5 && ran == 5, "threads: one was lost");
}

void ranks() {
  leat::cluster_options o;
  o.workers = 2;
  leat::cluster on(o);
  const auto expand = [](const int& levels, auto&& emit) {
    if (levels != 0) emit(levels - 1), emit(levels - 1);
    return std::uint64_t{1};
  };
  const auto nodes = on.run(std::vector{6}, std::uint64_t{0}, expand, std::plus<>{});
  expect(nodes == 127, "a cluster: a result is wrong");
}

void do_all(leat::runtime& rt) {
  tasks(rt);
  rt.run(forks);
  rt.run(groups);
  rt.run(futures);
  rt.run(loops);
  rt.run(blocking);
  rt.run(long_tasks);
  rt.run(interrupted_tasks);
  exceptions(rt);
  rt.run(threads);
  other_runtimes(rt);
}

}  // namespace

long objects_alive() noexcept { return alive; }

void do_everything() {
  leat::options o = two_workers();
  o.deque_capacity = 32;
  leat::runtime rt(o);
  do_all(rt);
  ranks();
}

void do_everything_of_the_machine() {
  const leat::topology::cpus found = leat::topology::read_cpus();
  expect(!found.allowed.empty() && found.usable() >= 1, "there are no CPUs");
  for (const std::string& note : found.notes) expect(!note.empty(), "a note is empty");
  const auto m = leat::this_machine();
  expect(m.units() >= 1, "there are no units");
  leat::topology::domain_memory memory(m, 0);
  void* const piece = memory.allocate(10'000);
  static_cast<char*>(piece)[9'999] = 1;
  memory.deallocate(piece, 10'000);
  leat::options o;
  o.bind = true;
  leat::runtime bound(o);
  expect(bound.run([] { return fib(8); }) == 21, "a bound runtime: a result is wrong");
}

void do_everything_with_files() {
  // In memory, where a system has such files: each is written to the disk otherwise.
  static const std::string folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  static const std::string file = folder + "/leat_interposed." + std::to_string(getpid());
  const auto expand = [](const int& levels, auto&& emit) {
    if (levels != 0) emit(levels - 1), emit(levels - 1);
    return std::uint64_t{1};
  };
  leat::cluster on;
  struct removed {
    ~removed() { unlink(file.c_str()); }
  } const after;
  leat::snapshots keep{.file = file, .every_us = 1, .name = "faults"};
  const auto nodes = on.run(std::vector{5}, std::uint64_t{0}, expand, std::plus<>{}, keep);
  expect(nodes == 63, "a run with snapshots: a result is wrong");
  keep.every_us = 0;
  keep.resume = true;
  const auto again = on.run(std::vector{5}, std::uint64_t{0}, expand, std::plus<>{}, keep);
  expect(again == 63, "a run that goes on: a result is wrong");
}

}  // namespace leat_test::interposed
