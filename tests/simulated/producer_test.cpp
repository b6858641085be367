// How producers give their tasks away: by the batch, not one at each push (WORKER-17); and by themselves, where tasks
// are long (EXPOSURE-3).
#include <gtest/gtest.h>

#include <cstdint>

#include "client_parts.hpp"
#include "leat/platform/simulated.hpp"

namespace {

using leat::event;
using leat::platform::by_time;
using leat::platform::relaxed;
using leat::platform::simulated;
using leat::platform::simulation;
using leat_test::shape;
using leat_test::client::engine;

TEST(producer, gives_by_the_batch_while_thieves_wait) {
  constexpr std::uint32_t tasks = 2'000;
  constexpr double task_ns = 2'000;
  by_time who;
  std::uint32_t ran = 0;
  std::uint64_t steals = 0;
  const auto end = simulation(simulation::settings(), who).run([&] {
    shape s{16};
    s.spin_ns = 100'000;
    s.published = leat::protocol::published::none;
    engine e(s, leat::protocol::strategy::steal_half);
    simulated::atomic<std::uint32_t> counted{0};
    e.run([&] {
      for (std::uint32_t i = 0; i < tasks; ++i) {
        engine::spawn([&counted] {
          simulated::work_ns(task_ns);
          counted.fetch_add(1, relaxed);
        });
      }
    });
    ran = counted.load(relaxed);
    steals = e.counters()[event::steals];
  });
  ASSERT_TRUE(end.ok()) << end.failure;
  EXPECT_EQ(ran, tasks);
  EXPECT_LT(steals, tasks / 2);
}

// Each producer makes the next one, and then its consumers, all of one group, or of none.
class bouncing {
 public:
  static constexpr int consumers = 9;
  static constexpr int producers = 200;

  explicit bouncing(double consumer_ns) : consumer_ns_(consumer_ns) {}

  template <class Make>
  void produce(int left, Make make) {
    if (left > 1) make([this, left, make] { produce(left - 1, make); });
    for (int i = 0; i < consumers; ++i) make([this] { simulated::work_ns(consumer_ns_); });
  }

  /// How many times as fast as one worker; and what two workers did.
  double speedup(bool grouped, leat::counters& did) {
    double spent_ns = 0;
    by_time who;
    const auto end = simulation(simulation::settings(), who).run([&] {
      shape s{2};
      s.spin_ns = 100'000;
      s.published = leat::protocol::published::none;
      engine e(s);
      const auto begun = simulated::now_ns();
      e.run([&] {
        if (!grouped) return engine::spawn([this] { produce(producers, [](auto f) { engine::spawn(f); }); });
        typename engine::task_group all;
        all.spawn([this, &all] { produce(producers, [&all](auto f) { all.spawn(f); }); });
        all.wait();
      });
      spent_ns = static_cast<double>(simulated::now_ns() - begun);
      did = e.counters();
    });
    EXPECT_TRUE(end.ok()) << end.failure;
    return consumer_ns_ * consumers * producers / spent_ns;
  }

 private:
  double consumer_ns_;
};

TEST(producer, waits_for_no_long_consumer_to_end) {
  for (const bool grouped : {false, true}) {
    for (const double consumer_ns : {5'000., 10'000., 100'000.}) {
      leat::counters did;
      EXPECT_GT(bouncing(consumer_ns).speedup(grouped, did), 1.9) << consumer_ns << " ns, grouped " << grouped;
      EXPECT_GT(did[event::taken], did[event::steals] / 2);
    }
  }
}

// Phases of a hundred tasks between barriers. In the first, thieves find out that tasks are long.
TEST(producer, keeps_nobody_waiting_from_phase_to_phase) {
  constexpr int phases = 4, tasks = 100;
  for (const double task_ns : {20'000., 250'000.}) {
    double spent_ns = 0;
    by_time who;
    const auto end = simulation(simulation::settings(), who).run([&] {
      shape s{2};
      s.spin_ns = 100'000;
      s.published = leat::protocol::published::none;
      engine e(s);
      e.run([&] {
        std::uint64_t begun = 0;
        for (int phase = 0; phase <= phases; ++phase) {
          if (phase == 1) begun = simulated::now_ns();
          for (int i = 0; i < tasks; ++i) engine::spawn([task_ns] { simulated::work_ns(task_ns); });
          engine::barrier();
        }
        spent_ns = static_cast<double>(simulated::now_ns() - begun);
      });
    });
    ASSERT_TRUE(end.ok()) << end.failure;
    EXPECT_LT(spent_ns, 1.015 * phases * tasks * task_ns / 2) << task_ns << " ns";
  }
}

TEST(producer, gives_away_nothing_unasked_where_tasks_are_short) {
  leat::counters did;
  bouncing(100.).speedup(true, did);
  EXPECT_EQ(did[event::attempts] + did[event::taken] + did[event::exposed] + did[event::unstolen], 0u);
}

}  // namespace
