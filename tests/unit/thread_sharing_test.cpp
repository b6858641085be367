// User-level threads that share mutexes with tasks, loops and other threads, and know their worker when they spawn.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "carried.hpp"

namespace {

using leat_test::engine;
using leat_test::machine_of;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;

TEST(threads_sharing, have_mutexes_in_common_with_tasks_and_strangers) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(leat_test::worker_shapes({2, 3}), [](engine& e, const shape& s) {
    typename on::mutex mutex;
    int sum = 0;
    const auto add = [&] {
      for (int i = 0; i < reps(50); ++i) {
        const std::lock_guard lock(mutex);
        ++sum;
      }
    };
    std::thread stranger(add);
    on::run(e, machine_of(s.workers), [&] {
      engine::spawn(add);
      typename on::thread t(add);
      add();
      t.join();
    });
    stranger.join();
    EXPECT_EQ(sum, 4 * reps(50));
  });
}

// THREAD-9: all workers and spares come to block for what a thread on a list would hold, if it were handed to that.
TEST(threads_sharing, have_mutexes_in_common_with_their_own_loops) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(leat_test::worker_shapes({2, 3}), [](engine& e, const shape& s) {
    typename on::mutex mutex;
    int sum = 0;
    const auto add = [&] {
      const std::lock_guard lock(mutex);
      engine::platform::sleep_ns(2'000);
      ++sum;
    };
    constexpr int threads_of = 8;
    const int rounds = reps(20);
    on::run(e, machine_of(s.workers), [&] {
      std::vector<typename on::thread> all;
      for (int i = 0; i < threads_of; ++i) {
        all.emplace_back([&] {
          for (int k = 0; k < rounds; ++k) {
            add();
            engine::parallel_for(0, 4, [&](int) { add(); });
          }
        });
      }
      for (auto& t : all) t.join();
    });
    EXPECT_EQ(sum, threads_of * rounds * 5);
  });
}

// THREAD-9: who was woken for it is passed by others a few times at most.
TEST(threads_sharing, get_a_mutex_that_another_always_holds_when_it_yields) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(leat_test::worker_shapes({1, 2}), [](engine& e, const shape& s) {
    typename on::mutex mutex;
    std::atomic<int> had{0};
    constexpr int threads_of = 3;
    on::run(e, machine_of(s.workers), [&] {
      std::vector<typename on::thread> all;
      for (int i = 0; i < threads_of; ++i) {
        all.emplace_back([&] {
          const std::lock_guard lock(mutex);
          ++had;
        });
      }
      constexpr int rounds_max = 1000;
      int rounds = 0;
      for (; had != threads_of && rounds != rounds_max; ++rounds) {
        const std::lock_guard lock(mutex);
        on::thread::yield();
      }
      if (s.workers == 1) {
        EXPECT_LT(rounds, rounds_max);
      }
      for (auto& t : all) t.join();
    });
    EXPECT_EQ(had, threads_of);
  });
}

// THREAD-6: copying is the program's code, and may leave the worker.
template <class On, class Mutex>
struct leaves_when_copied {
  leaves_when_copied(Mutex& m, std::atomic<int>& r) : mutex(m), ran(r) {}
  leaves_when_copied(const leaves_when_copied& other) : mutex(other.mutex), ran(other.ran) {
    const std::lock_guard lock(mutex);
    On::thread::yield();
  }
  leaves_when_copied(leaves_when_copied&&) = default;
  void operator()() const { ++ran; }

  Mutex& mutex;
  std::atomic<int>& ran;
  std::array<char, 100> does_not_fit_a_record{};
};

TEST(threads_sharing, know_their_worker_when_what_they_spawn_has_been_copied) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(leat_test::worker_shapes({2, 3}), [](engine& e, const shape& s) {
    std::atomic<int> ran{0};
    typename on::mutex mutex;
    constexpr int threads_of = 6;
    const int rounds = reps(300);
    on::run(e, machine_of(s.workers), [&] {
      std::vector<typename on::thread> all;
      for (int i = 0; i < threads_of; ++i) {
        all.emplace_back([&] {
          for (int k = 0; k < rounds; ++k) {
            const leaves_when_copied<on, typename on::mutex> job(mutex, ran);
            engine::spawn(job);
            engine::async(job).get();
          }
        });
      }
      for (auto& t : all) t.join();
    });
    EXPECT_EQ(ran, 2 * threads_of * rounds);
  });
}

// THREAD-6: a result that nobody wants is destroyed where another worker has left it: in the slot of a fork that is
// over.
thread_local std::atomic<int> forks_here;

template <class On>
struct leaves_when_destroyed {
  explicit leaves_when_destroyed(std::atomic<int>& l) : left(&l) {}
  leaves_when_destroyed(leaves_when_destroyed&& other) noexcept : left(std::exchange(other.left, nullptr)) {}
  ~leaves_when_destroyed() {
    if (left == nullptr) return;
    const std::atomic<int>& forks = forks_here;
    const int before = forks;
    On::thread::yield();
    if (forks != before) ++*left;
  }
  std::atomic<int>* left;
};

TEST(threads_sharing, destroy_results_before_others_fork) {
  using on = leat_test::carried<engine>;
  using result = leaves_when_destroyed<on>;
  on_each_shape<engine>(leat_test::worker_shapes({2, 3}), [](engine& e, const shape& s) {
    std::atomic<int> left{0};
    const int rounds = reps(100);
    on::run(e, machine_of(s.workers), [&] {
      typename on::mutex mutex;
      typename on::condition next_round;
      int round = 0;
      std::vector<typename on::thread> others;  // ready when the result is destroyed, and not before
      for (int i = 0; i < 3; ++i) {
        others.emplace_back([&] {
          const std::lock_guard lock(mutex);
          for (int seen = 0; seen < rounds; seen = round, ++forks_here)
            next_round.wait(mutex, [&] { return round != seen; });
        });
      }
      for (int k = 0; k != rounds; ++k) {
        std::atomic<bool> given{false};
        const auto gives = [&] {
          const std::lock_guard lock(mutex);
          ++round;
          next_round.notify_all();
          given = true;
          return result(left);
        };
        const auto throws = [&] {
          constexpr int polls_max = 100'000;
          for (int polls = 0; polls != polls_max && !given; ++polls) engine::poll();
          if (!given) (void)gives();
          throw std::runtime_error("nobody wants the other's result");
        };
        EXPECT_THROW(engine::fork_join(throws, gives), std::runtime_error);
      }
      for (auto& t : others) t.join();
    });
    EXPECT_EQ(left, 0);
  });
}

// THREAD-6: so may destroying what a future was made of, once its worker has called it.
template <class On>
struct leaves_with_its_end {
  void operator()() const {}
  leaves_with_its_end() = default;
  leaves_with_its_end(const leaves_with_its_end&) : in_future(true) {}
  ~leaves_with_its_end() {
    if (in_future) On::thread::yield();
  }
  bool in_future = false;
  std::array<char, 64> large{};
};

TEST(threads_sharing, free_futures_where_they_are_when_these_have_ended) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(leat_test::worker_shapes({2, 3}), [](engine& e, const shape& s) {
    constexpr int threads_of = 8;
    const int rounds = reps(300);
    on::run(e, machine_of(s.workers), [&] {
      std::vector<typename on::thread> all;
      for (int i = 0; i < threads_of; ++i) {
        all.emplace_back([&] {
          const leaves_with_its_end<on> job;
          for (int k = 0; k < rounds; ++k) engine::async(job).get();
        });
      }
      for (auto& t : all) t.join();
    });
  });
}

}  // namespace
