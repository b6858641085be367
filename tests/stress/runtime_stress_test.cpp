// Starting and stopping runtimes, over and over, and many short runs.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

using leat_test::engine;
using leat_test::reps;

using leat_test::with_workers;

void start_and_stop(std::uint64_t workers, int cycles) {
  const leat::options o = with_workers(workers);
  for (int i = 0; i < cycles; ++i) {
    leat::runtime rt(o);
    if (i % 2 == 0) continue;
    int ran = 0;
    rt.run([&] { leat::spawn([&ran] { ++ran; }); });
    ASSERT_EQ(ran, 1);
  }
}

TEST(runtime_stress, starts_and_stops_ten_thousand_times_with_one_worker) { start_and_stop(1, reps(10'000)); }
TEST(runtime_stress, starts_and_stops_ten_thousand_times_with_two_workers) { start_and_stop(2, reps(10'000)); }
TEST(runtime_stress, starts_and_stops_a_thousand_times_with_sixteen_workers) { start_and_stop(16, reps(1000)); }
TEST(runtime_stress_long, starts_and_stops_ten_thousand_times_with_sixteen_workers) {
  start_and_stop(16, reps(10'000));
}

// Stopped right after a run has ended, while its workers are still on their way to sleep.
TEST(runtime_stress, stops_when_its_workers_have_just_finished) {
  for (int i = 0; i < reps(1000); ++i) {
    leat::runtime rt(with_workers(4));
    std::atomic<int> ran{0};
    rt.run([&] {
      for (int k = 0; k < 16; ++k) leat::spawn([&ran] { ++ran; });
    });
    ASSERT_EQ(ran, 16);
  }
}

TEST(runtime_stress, many_threads_start_and_stop_runtimes_of_their_own) {
  std::vector<std::thread> owners;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    owners.emplace_back([&] {
      for (int i = 0; i < reps(500); ++i) {
        leat::runtime rt(with_workers(2));
        const int got = rt.run([] {
          auto f = leat::async([] { return 5; });
          return f.get();
        });
        wrong += got != 5;
      }
    });
  }
  for (auto& t : owners) t.join();
  EXPECT_EQ(wrong, 0);
}

// A lost wake-up, or a run that nobody finds finished, hangs here.
TEST(run_stress, thousands_of_short_runs_one_after_the_other) {
  for (const std::uint32_t workers : {1u, 2u, 3u, 8u, 64u}) {
    engine e(leat_test::shape{workers});
    for (int i = 0; i < reps(3000); ++i) {
      int ran = 0;
      e.run([&] {
        for (int k = 0; k < i % 4; ++k) engine::spawn([] {});
        engine::spawn([&] { ++ran; });
      });
      ASSERT_EQ(ran, 1);
    }
  }
}

TEST(run_stress, short_runs_of_many_threads) {
  for (const std::uint32_t workers : {1u, 2u, 8u, 64u}) {
    engine e(leat_test::shape{workers});
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int c = 0; c < 8; ++c) {
      callers.emplace_back([&] {
        for (int i = 0; i < reps(500); ++i) {
          int ran = 0;
          e.run([&] { engine::spawn([&] { ++ran; }); });
          wrong += ran != 1;
        }
      });
    }
    for (auto& t : callers) t.join();
    EXPECT_EQ(wrong, 0);
  }
}

}  // namespace
