// Short loops that a thread calls from outside again and again: the idle worker waits at the calling worker's channel between them
// (PRIMARY-2, LOOP-18), but not where others need it.
#include <gtest/gtest.h>

#include <cstdint>

#include "engines.hpp"
#include "leat/platform/simulated.hpp"

namespace {

using leat::event;
using leat::platform::simulated;
using leat::platform::simulation;
using engine = leat_test::engine_on<simulated>;

class calls : public ::testing::Test {
 protected:
  static constexpr std::uint64_t spin_ns = 20'000;
  static constexpr int iterations = 20;
  static constexpr std::uint64_t iteration_ns = 1'000;

  static void loop() {
    engine::parallel_for(0, iterations, [](int) { simulated::work_ns(iteration_ns); });
  }

  template <class F>
  static void in_world(F f) {
    leat::platform::by_time who;
    const auto end = simulation(simulation::settings{}, who).run([&] {
      leat_test::shape s{2};
      s.spin_ns = spin_ns;
      engine::places all(s);
      f(all);
    });
    EXPECT_TRUE(end.ok()) << end.failure;
  }

  /// Calls loops, with a pause after each. Returns the nanoseconds of a call, in the mean.
  static std::uint64_t call(engine::places& all, int calls, std::uint64_t pause_ns) {
    std::uint64_t took_ns = 0;
    for (int i = 0; i < calls; ++i) {
      const std::uint64_t begun_ns = simulated::now_ns();
      all.call(0, loop);
      took_ns += simulated::now_ns() - begun_ns;
      simulated::work_ns(pause_ns);
    }
    return took_ns / static_cast<std::uint64_t>(calls);
  }

  /// Calls loops of so many iterations of 100 ns, with a pause after each. A body of its own: loops of one type of body share
  /// what they remember (LOOP-14).
  static void call_fine(engine::places& all, int calls, int of, std::uint64_t pause_ns) {
    for (int i = 0; i < calls; ++i) {
      all.call(0, [of] { engine::parallel_for(0, of, [](int) { simulated::work_ns(100); }); });
      simulated::work_ns(pause_ns);
    }
  }
};

TEST_F(calls, one_after_the_other_find_the_thief_of_the_last_one) {
  in_world([](engine::places& all) {
    call(all, 10, 2'000);
    const leat::counters before = all.counters();
    const std::uint64_t took_ns = call(all, 100, 2'000);
    const leat::counters after = all.counters();
    EXPECT_LE(took_ns, iterations * iteration_ns * 3 / 5);
    EXPECT_GE(after[event::steals] - before[event::steals], 100u);
    EXPECT_LE(after[event::requests_pooled] - before[event::requests_pooled], 5u);
    EXPECT_EQ(after[event::parks], before[event::parks]);
  });
}

TEST_F(calls, of_6_us_are_divided_while_the_thief_is_there) {
  in_world([](engine::places& all) {
    call_fine(all, 1, 60, 2'000);  // what an iteration takes is known from here on
    call(all, 10, 2'000);
    const leat::counters before = all.counters();
    call_fine(all, 100, 60, 2'000);
    EXPECT_GE(all.counters()[event::steals] - before[event::steals], 90u);
  });
}

// LOOP-19: without a pause, too, the thief has asked again before the next loop is over.
TEST_F(calls, of_5_us_without_a_pause_are_divided) {
  in_world([](engine::places& all) {
    call(all, 10, 0);
    call_fine(all, 10, 50, 0);
    const leat::counters before = all.counters();
    call_fine(all, 100, 50, 0);
    EXPECT_GE(all.counters()[event::steals] - before[event::steals], 90u);
  });
}

// LOOP-19: the caller asks the thief for nothing, as both end at nearly the same time. So each call has one request, the thief's.
TEST_F(calls, have_one_request_each) {
  in_world([](engine::places& all) {
    call_fine(all, 10, 100, 2'000);
    const leat::counters before = all.counters();
    call_fine(all, 100, 100, 2'000);
    const leat::counters after = all.counters();
    EXPECT_GE(after[event::steals] - before[event::steals], 95u);
    EXPECT_LE(after[event::requests_sent] - before[event::requests_sent], 110u);
  });
}

TEST_F(calls, that_come_rarely_leave_thieves_at_the_pool) {
  in_world([](engine::places& all) {
    call(all, 10, 2'000);
    const leat::counters before = all.counters();
    call(all, 10, 10 * spin_ns);
    const leat::counters after = all.counters();
    EXPECT_GE(after[event::requests_pooled] - before[event::requests_pooled], 10u);
    EXPECT_GE(after[event::parks] - before[event::parks], 9u);
    // Place 0 has closed its channel: else the thief would still wait there after so short a pause.
    call(all, 1, spin_ns / 4);
    EXPECT_GT(all.counters()[event::requests_pooled], after[event::requests_pooled]);
  });
}

// The thread of place 0 has left for good, and a thief still waits there while place 1 has work. When its patience ends, it finds that.
TEST_F(calls, of_another_thread_get_the_thief_when_its_patience_ends) {
  in_world([](engine::places& all) {
    call(all, 10, 2'000);
    const auto on_place_1 = [&] {
      constexpr int longer = 100;
      const std::uint64_t begun_ns = simulated::now_ns();
      all.call(1, [] { engine::parallel_for(0, longer, [](int) { simulated::work_ns(iteration_ns); }); });
      return static_cast<double>(simulated::now_ns() - begun_ns) / (longer * iteration_ns);
    };
    double first = 0;
    double second = 0;
    simulated::thread other([&] {
      first = on_place_1();
      second = on_place_1();
    });
    other.join();
    EXPECT_LE(first, 0.9);
    EXPECT_LE(second, 0.65);
  });
}

}  // namespace
