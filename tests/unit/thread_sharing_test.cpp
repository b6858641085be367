// User-level threads that share mutexes with tasks, loops and other threads, and know their worker when they spawn.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "carried.hpp"

namespace {

using leat_test::machine_of;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;

template <class E>
class threads_sharing : public ::testing::Test {};
TYPED_TEST_SUITE(threads_sharing, leat_test::engines);

TYPED_TEST(threads_sharing, have_mutexes_in_common_with_tasks_and_strangers) {
  using on = leat_test::carried<TypeParam>;
  on_each_shape<TypeParam>(leat_test::crews({2, 3}), [](TypeParam& e, const shape& s) {
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
      TypeParam::spawn(add);
      typename on::thread t(add);
      add();
      t.join();
    });
    stranger.join();
    EXPECT_EQ(sum, 4 * reps(50));
  });
}

// T9: all workers and spares come to block for what a thread on a list would hold, if it were handed to that.
TYPED_TEST(threads_sharing, have_mutexes_in_common_with_their_own_loops) {
  using on = leat_test::carried<TypeParam>;
  on_each_shape<TypeParam>(leat_test::crews({2, 3}), [](TypeParam& e, const shape& s) {
    typename on::mutex mutex;
    int sum = 0;
    const auto add = [&] {
      const std::lock_guard lock(mutex);
      TypeParam::platform::sleep_ns(2'000);
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
            TypeParam::parallel_for(0, 4, [&](int) { add(); });
          }
        });
      }
      for (auto& t : all) t.join();
    });
    EXPECT_EQ(sum, threads_of * rounds * 5);
  });
}

// T6: copying is the program's code, and may leave the worker.
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

TYPED_TEST(threads_sharing, know_their_worker_when_what_they_spawn_has_been_copied) {
  using on = leat_test::carried<TypeParam>;
  on_each_shape<TypeParam>(leat_test::crews({2, 3}), [](TypeParam& e, const shape& s) {
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
            TypeParam::spawn(job);
            TypeParam::async(job).get();
          }
        });
      }
      for (auto& t : all) t.join();
    });
    EXPECT_EQ(ran, 2 * threads_of * rounds);
  });
}

}  // namespace
