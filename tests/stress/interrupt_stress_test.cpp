// Workers that are interrupted thousands of times a second, wherever they are: nothing is lost, and nobody notices.
#include <gtest/gtest.h>

#include <dirent.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "engines.hpp"
#include "leat/task/fork_join.hpp"

namespace {

using leat::event;
using leat_test::engine;
using leat_test::reps;
using leat_test::shape;

// While it lives, a thread of its own interrupts every other thread of the process as the platform does, over and over.
class hail {
 public:
  explicit hail(std::chrono::microseconds pause = std::chrono::microseconds(20))
      : pause_(pause), thread_([this] { fall(); }) {}
  hail(const hail&) = delete;
  hail& operator=(const hail&) = delete;
  ~hail() {
    stop_ = true;
    thread_.join();
    EXPECT_GT(sent_, 0u);
  }

  std::uint64_t sent() const noexcept { return sent_; }

 private:
  void fall() {
    const auto me = syscall(SYS_gettid);
    while (!stop_) {
      DIR* threads = opendir("/proc/self/task");
      while (const dirent* entry = readdir(threads)) {
        const long id = std::atol(entry->d_name);
        // One that has ended is not found, which is fine.
        if (id > 0 && id != me && syscall(SYS_tgkill, getpid(), id, SIGURG) == 0) ++sent_;
      }
      closedir(threads);
      if (pause_.count() != 0) std::this_thread::sleep_for(pause_);
    }
  }

  const std::chrono::microseconds pause_;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> sent_{0};
  std::thread thread_;
};

std::vector<shape> hard_shapes() {
  std::vector<shape> all;
  for (const std::uint32_t workers : {1u, 2u, 3u, 8u, 64u}) {
    for (const std::size_t capacity : {std::size_t{1}, std::size_t{1} << 13}) {
      for (const std::uint64_t spin : {std::uint64_t{0}, std::uint64_t{20'000}}) {
        all.push_back({workers, capacity, spin, std::nullopt, 1'000});
      }
    }
  }
  return all;
}

template <class E>
void tree(int depth, std::atomic<std::uint64_t>& ran) {
  ++ran;
  if (depth == 0) return;
  for (int i = 0; i < 3; ++i) E::spawn([depth, &ran] { tree<E>(depth - 1, ran); });
}

template <class E>
int fib(int n, leat::task::wait how) {
  if (n < 2) return n;
  auto f = E::async([n, how] { return fib<E>(n - 1, how); });
  const int other = fib<E>(n - 2, how);
  return f.get(how) + other;
}

template <class E>
int forked_fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = leat::task::fork_join<typename E::platform>([n] { return forked_fib<E>(n - 1); },
                                                                  [n] { return forked_fib<E>(n - 2); });
  return a + b;
}

template <class P>
int context_fib(leat::task::context<P> c, int n) {
  if (n < 2) return n;
  const auto [a, b] = leat::task::fork_join<P>(
      c, [n](leat::task::context<P> d) { return context_fib<P>(d, n - 1); },
      [n](leat::task::context<P> d) { return context_fib<P>(d, n - 2); });
  return a + b;
}

TEST(interrupt_stress, forks_are_joined_once) {
  const hail falls;
  using P = engine::platform;
  leat_test::on_each_shape<engine>(hard_shapes(), [](engine& e, const shape&) {
    for (int round = 0; round < reps(10); ++round) {
      ASSERT_EQ(e.run([] { return forked_fib<engine>(18); }), 2584);
      const auto in_context = [](leat::task::context<P> c) { return context_fib<P>(c, 18); };
      ASSERT_EQ(e.run([&] { return leat::task::with_context<P>(in_context); }), 2584);
    }
  });
}

TEST(interrupt_stress, groups_are_waited_for) {
  const hail falls;
  leat_test::on_each_shape<engine>(hard_shapes(), [](engine& e, const shape&) {
    for (int round = 0; round < reps(10); ++round) {
      std::atomic<int> ran{0};
      e.run([&] {
        engine::task_group outer;
        for (int i = 0; i < 20; ++i) {
          outer.spawn([&ran] {
            engine::task_group inner;
            for (int k = 0; k < 20; ++k) inner.spawn([&ran] { ++ran; });
            inner.wait();
            engine::spawn([&ran] { ++ran; });
          });
        }
        outer.wait();
        EXPECT_GE(ran, 400);
      });
      ASSERT_EQ(ran, 420);
    }
  });
}

// Threads that block are no workers meanwhile, and others poll for them.
TEST(interrupt_stress, workers_leave_and_come_back) {
  const hail rain;
  leat_test::on_each_shape<engine>(hard_shapes(), [](engine& e, const shape&) {
    std::atomic<int> ran{0};
    constexpr int blocked = leat_test::sanitized ? 10 : 60;
    e.run([&] {
      for (int i = 0; i < blocked; ++i) {
        engine::spawn([&, i] {
          for (int k = 0; k < 3; ++k) engine::spawn([&ran] { ++ran; });
          const auto [a, b] = engine::fork_join(
              [&] {
                return engine::blocking([&] {
                  if (i % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
                  return i;
                });
              },
              [] { return forked_fib<engine>(8); });
          EXPECT_EQ(a, i);
          EXPECT_EQ(b, 21);
        });
      }
    });
    EXPECT_EQ(ran, 3 * blocked);
  });
}

TEST(interrupt_stress, every_task_runs_once) {
  const hail falls;
  leat_test::on_each_shape<engine>(hard_shapes(), [](engine& e, const shape&) {
    for (int round = 0; round < reps(10); ++round) {
      std::atomic<std::uint64_t> ran{0};
      e.run([&] {
        tree<engine>(6, ran);
        engine::barrier();
        EXPECT_EQ(ran, (2187u - 1) / 2);
        tree<engine>(6, ran);
      });
      ASSERT_EQ(ran, 2187u - 1);
      EXPECT_EQ(e.run([] { return fib<engine>(14, leat::task::wait::own); }), 377);
      EXPECT_EQ(e.run([] { return fib<engine>(11, leat::task::wait::any); }), 89);
    }
    const auto c = e.counters();
    EXPECT_EQ(c[event::tasks], static_cast<std::uint64_t>(reps(10)) * (2 * 1092 + 609 + 143)) << "counts, too";
  });
}

// Several runs at a time, from several threads.
TEST(interrupt_stress, runs_end_independently) {
  const hail falls;
  for (const std::uint32_t workers : {2u, 8u}) {
    engine e(shape{workers, 4, 0, std::nullopt, 1'000});
    std::vector<std::thread> callers;
    for (int i = 0; i < 3; ++i) {
      callers.emplace_back([&] {
        for (int round = 0; round < reps(100); ++round) {
          std::atomic<std::uint64_t> ran{0};
          e.run([&] { tree<engine>(4, ran); });
          ASSERT_EQ(ran, (243u - 1) / 2);
        }
      });
    }
    for (auto& t : callers) t.join();
  }
}

// What a task may be in the middle of: the allocator, an exception, floating point and vector registers, a system call.
TEST(interrupt_stress, tasks_notice_nothing) {
  const hail falls;
  for (const std::uint32_t workers : {2u, 8u, 64u}) {
    engine e(shape{workers, 1u << 13, 0, std::nullopt, 1'000});
    std::atomic<int> wrong{0};
    const auto expect = [&](bool right) { wrong += right ? 0 : 1; };
    const int rounds = reps(1000);
    e.run([&] {
      for (int task = 0; task < 16; ++task) {
        engine::spawn([&] {
          for (int i = 0; i < rounds; ++i) {
            std::vector<std::unique_ptr<int>> memory;
            for (int k = 0; k < 20; ++k) memory.push_back(std::make_unique<int>(k));
            int sum = 0;
            for (const auto& m : memory) sum += *m;
            expect(sum == 190);
          }
        });
        engine::spawn([&] {
          for (int i = 0; i < rounds; ++i) {
            std::vector<double> x(100);
            std::iota(x.begin(), x.end(), 1.0);
            const double sum = std::accumulate(x.begin(), x.end(), 0.0);
            const double squares = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
            long double odd = 1;
            for (int k = 1; k <= 20; ++k) odd *= k;
            expect(sum == 5050 && squares == 338'350 && odd == 2'432'902'008'176'640'000.0L);
          }
        });
        engine::spawn([&] {
          for (int i = 0; i < rounds; ++i) {
            try {
              throw std::runtime_error(std::to_string(i));
            } catch (const std::exception& thrown) {
              expect(thrown.what() == std::to_string(i));
            }
          }
        });
        engine::spawn([&] {
          std::array<int, 2> ends{};
          if (pipe(ends.data()) != 0) return expect(false);
          for (int i = 0; i < rounds; ++i) {
            int got = -1;
            expect(write(ends[1], &i, sizeof i) == sizeof i);
            expect(read(ends[0], &got, sizeof got) == sizeof got && got == i);
          }
          close(ends[0]);
          close(ends[1]);
        });
        engine::spawn([&] { engine::async([] {}).get(); });
      }
    });
    EXPECT_EQ(wrong, 0);
  }
}

// Three tasks that keep a state in registers and in errno, and call the system, until so many signals have been sent; and
// forks beneath them, to be taken.
TEST(interrupt_stress, a_million_signals_change_nothing_long) {
  const auto signals = static_cast<std::uint64_t>(reps(1'000'000));
  const hail falls(std::chrono::microseconds(0));
  engine e(shape{2, 1u << 13, 20'000, std::nullopt, 1'000});
  std::atomic<std::uint64_t> wrong{0};
  const auto expect = [&](bool right) { wrong += right ? 0 : 1; };
  const auto until_all_are_sent = [&](auto step) {
    while (falls.sent() < signals) {
      for (int i = 0; i < 100; ++i) step();
    }
  };
  e.run([&] {
    engine::spawn([&] {
      until_all_are_sent([&] {
        std::array<float, 64> x{};
        std::array<float, 64> y{};
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i), y[i] = 2;
        for (int k = 0; k < 4; ++k) {
          for (std::size_t i = 0; i < x.size(); ++i) y[i] = y[i] * 0.5f + x[i];
        }
        expect(y[63] == 118.25f && y[0] == 0.125f);
      });
    });
    engine::spawn([&] {
      int number = 1;
      until_all_are_sent([&] {
        errno = number;
        expect(getpid() > 0 && close(-1) == -1 && errno == EBADF);
        errno = number;
        for (int spin = 0; spin < 100; ++spin) std::atomic_signal_fence(std::memory_order_seq_cst);
        expect(errno == number);
        number = number % 100 + 1;
      });
    });
    until_all_are_sent([&] { expect(forked_fib<engine>(8) == 21); });
  });
  EXPECT_EQ(wrong, 0u);
}

// A thread that is leaving, or not there yet, is interrupted like any other.
TEST(interrupt_stress, runtimes_come_and_go) {
  const hail falls;
  for (int round = 0; round < reps(100); ++round) {
    const auto workers = static_cast<std::uint32_t>(1 + round % 9);
    engine first(shape{workers, 1, 0, std::nullopt, 1'000});
    if (round % 3 == 0) continue;
    engine second(shape{2, 1u << 13, 20'000, std::nullopt, 50'000});
    std::atomic<std::uint64_t> ran{0};
    first.run([&] {
      tree<engine>(3, ran);
      // A worker of one is a guest of the other.
      second.run([&] { tree<engine>(3, ran); });
    });
    ASSERT_EQ(ran, 80u);
  }
}

// The watchdog's own interrupts, as many as there can be: all tasks are too long.
TEST(interrupt_stress, long_tasks_hand_over_what_they_have) {
  for (const std::uint32_t workers : {2u, 8u, 64u}) {
    for (int round = 0; round < reps(20); ++round) {
      engine e(shape{workers, 1u << 13, 0, std::nullopt, 1'000});
      std::atomic<std::uint64_t> ran{0};
      struct task {
        static void run(int depth, std::atomic<std::uint64_t>& count) {
          ++count;
          if (depth > 0) {
            for (int i = 0; i < 2; ++i) engine::spawn([depth, &count] { run(depth - 1, count); });
          }
          const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
          while (std::chrono::steady_clock::now() < end) {
#if defined(LEAT_UNDER_TSAN)
            usleep(0);
#endif
          }
        }
      };
      e.run([&] { task::run(6, ran); });
      ASSERT_EQ(ran, 127u);
    }
  }
}

}  // namespace
