// Many tasks that block, from many workers, for long and for short: each is executed once, and the run ends.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

using leat_test::engine;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;
using leat_test::shapes;

/// A tree of tasks, each of which marks its place and blocks or not, before or after it spawns.
template <class E>
struct tree {
  static constexpr unsigned nodes = 1 + 3 + 9 + 27 + 81 + 243;
  std::array<std::atomic<int>, nodes> marks{};

  void grow(unsigned node) {
    marks[node].fetch_add(1);
    if (node % 3 == 0) pause(node);
    for (unsigned child = 3 * node + 1; child <= 3 * node + 3; ++child) {
      if (child < nodes) E::spawn([this, child] { grow(child); });
    }
    if (node % 3 == 1) pause(node);
  }
  static void pause(unsigned node) {
    E::blocking([node] {
      if (node % 4 == 0) std::this_thread::yield();  // another thread's turn
    });
  }
  bool all_once() const {
    return std::all_of(marks.begin(), marks.end(), [](const auto& m) { return m == 1; });
  }
};

TEST(blocking_stress, executes_every_task_once) {
  using E = engine;
  for (shape s : shapes()) {
    for (const std::uint32_t spares : {0u, 1u, s.workers}) {
      if (leat_test::sanitized && s.workers > 8 && spares == 1) continue;
      s.spares = spares;
      SCOPED_TRACE(s.name() + ", spares " + std::to_string(spares));
      E e(s);
      for (int i = 0; i < reps(s.workers > 8 ? 2 : 5); ++i) {
        tree<E> t;
        e.run([&] { t.grow(0); });
        ASSERT_TRUE(t.all_once());
      }
      EXPECT_LE(e.workers_started(), s.workers + spares);
    }
  }
}

// Pairs of tasks that meet over a pipe: the reader blocks until the writer, spawned by it, has run.
TEST(blocking_stress, readers_meet_writers) {
  using E = engine;
  on_each_shape<E>(shapes({1, 2, 3, 8}), [](E& e, const shape&) {
    for (int round = 0; round < reps(10); ++round) {
      std::atomic<int> met{0};
      constexpr int pairs = 40;
      e.run([&] {
        // One blocks after the other, on whatever worker, so that one thread more than blocks is there.
        struct chain {
          std::atomic<int>& met;
          int left;
          void operator()() const {
            int ends[2];
            if (pipe(ends) != 0) throw std::runtime_error("pipe");
            E::spawn([to = ends[1]] { EXPECT_EQ(write(to, "x", 1), 1); });
            for (int i = 0; i < 3; ++i) E::spawn([] {});
            char byte = 0;
            EXPECT_EQ(E::blocking([&] { return read(ends[0], &byte, 1); }), 1);
            ::close(ends[0]);
            ::close(ends[1]);
            ++met;
            if (left > 1) E::spawn(chain{met, left - 1});
          }
        };
        E::spawn(chain{met, pairs});
      });
      EXPECT_EQ(met, pairs);
    }
  });
}

// A lock that is held across a wait, which no other task of its worker may stumble over.
TEST(blocking_stress, a_lock_held_across_a_wait) {
  using E = engine;
  for (const std::uint32_t workers : {1u, 2u, 8u}) {
    E e(shape{workers});
    for (int i = 0; i < reps(10); ++i) {
      std::mutex m;
      int inside = 0;
      const int tasks = 100;
      e.run([&] {
        for (int k = 0; k < tasks; ++k) {
          E::spawn([&] {
            const auto held = E::blocking([&] { return std::unique_lock(m); });
            auto f = E::async([] { return 1; });
            inside += f.get();
          });
        }
      });
      EXPECT_EQ(inside, tasks);
    }
  }
}

TEST(blocking_stress, barriers_and_failures_beside_it) {
  using E = engine;
  on_each_shape<E>(shapes({1, 2, 8}), [](E& e, const shape&) {
    for (int round = 0; round < reps(10); ++round) {
      std::atomic<int> ran{0};
      const auto burst = [&] {
        for (int i = 0; i < 20; ++i) {
          E::spawn([&ran, i] {
            E::blocking([i] {
              if (i == 7) throw std::out_of_range("f");
            });
            ++ran;
          });
        }
      };
      e.run([&] {
        burst();
        E::blocking([] {});
        EXPECT_THROW(E::barrier(), std::out_of_range);
        EXPECT_EQ(ran, 19);
        burst();
        EXPECT_THROW(E::barrier(), std::out_of_range);
        EXPECT_EQ(ran, 38);
      });
    }
  });
}

// Runs of several threads, runtimes that come and go.
TEST(blocking_stress, runtimes_come_and_go) {
  using E = engine;
  for (int round = 0; round < reps(40); ++round) {
    // A spare for each call that waits for its own run, or they would wait for each other.
    E e(shape{static_cast<std::uint32_t>(1 + round % 4), 4, 0, 40});
    std::vector<std::thread> callers;
    std::atomic<int> ran{0};
    for (int c = 0; c < 3; ++c) {
      callers.emplace_back([&] {
        e.run([&] {
          for (int i = 0; i < 10; ++i) {
            E::spawn([&] { E::blocking([&] { e.run([&] { ++ran; }); }); });
            E::blocking([] {});
          }
        });
      });
    }
    for (auto& c : callers) c.join();
    EXPECT_EQ(ran, 30);
  }
}

std::chrono::microseconds cpu_time() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto us = [](const timeval& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
  };
  return us(used.ru_utime) + us(used.ru_stime);
}

// While workers block, and when spares have come and are not needed any more: nobody uses the CPU.
TEST(blocking_stress_idle, uses_no_cpu) {
  using namespace std::chrono_literals;
  // An emulator translates what the threads execute, which is the CPU time of the process as well.
  const auto most = leat_test::sanitized || leat_test::emulated ? 400ms : 20ms;
  for (const std::uint64_t workers : {2u, 64u}) {
    leat::options o;
    o.workers = workers;
    leat::runtime rt(o);
    std::chrono::microseconds blocked{};
    std::atomic<std::uint64_t> left{workers};
    rt.run([&] {
      for (std::uint64_t i = 0; i < workers; ++i) {
        leat::spawn([&] {
          leat::blocking([&] {
            std::this_thread::sleep_for(leat_test::sanitized ? 1s : 300ms);  // all have come
            const auto before = cpu_time();
            std::this_thread::sleep_for(1s);
            if (--left == 0) blocked = cpu_time() - before;
            std::this_thread::sleep_for(leat_test::sanitized ? 1s : 300ms);
          });
        });
      }
    });
    EXPECT_LT(blocked, most) << workers << " workers that block";
    std::this_thread::sleep_for(leat_test::sanitized ? 1s : 100ms);
    const auto parks_before = rt.counters()[leat::event::parks];
    const auto before = cpu_time();
    std::this_thread::sleep_for(1s);
    EXPECT_LT(cpu_time() - before, most) << workers << " workers, idle";
    EXPECT_EQ(rt.counters()[leat::event::parks], parks_before) << "nobody wakes up for nothing";
  }
}

}  // namespace
