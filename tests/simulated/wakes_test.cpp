// How soon a worker that sleeps is at work: it takes the machine's time for a wake and little more.
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

shape shape_with(std::uint32_t workers) {
  shape s{workers};
  s.spin_ns = 100'000;
  return s;
}

constexpr double longer_than_anybody_spins_ns = 20e6;
constexpr std::uint64_t soon_ns = 100'000;  // the model's wake takes 22

class wakes : public testing::TestWithParam<std::uint32_t> {};

INSTANTIATE_TEST_SUITE_P(workers, wakes, testing::Values(2, 64), testing::PrintToStringParamName());

// Not the run, but the task that it spawns: somebody else has to wake up for that.
TEST_P(wakes, a_spawned_task_starts_soon_on_a_sleeping_worker) {
  by_time who;
  const auto end = simulation(simulation::settings(), who).run([&] {
    engine e(shape_with(GetParam()));
    e.run([&] {
      for (int i = 0; i < 5; ++i) {
        simulated::work_ns(longer_than_anybody_spins_ns);
        simulated::atomic<std::uint64_t> started{0};
        const std::uint64_t spawned = simulated::now_ns();
        engine::spawn([&] { started.store(simulated::now_ns(), relaxed); });
        while (started.load(relaxed) == 0) {
          simulated::work_ns(200);
          engine::poll();
        }
        EXPECT_LT(started.load(relaxed) - spawned, soon_ns);
      }
    });
    EXPECT_GE(e.counters()[event::parks], 5u) << "nobody slept";
  });
  ASSERT_TRUE(end.ok()) << end.failure;
}

TEST_P(wakes, a_run_starts_soon_on_sleeping_workers) {
  by_time who;
  const auto end = simulation(simulation::settings(), who).run([&] {
    engine e(shape_with(GetParam()));
    for (int i = 0; i < 5; ++i) {
      simulated::work_ns(longer_than_anybody_spins_ns);
      const std::uint64_t submitted = simulated::now_ns();
      std::uint64_t started = 0;
      e.run([&] { started = simulated::now_ns(); });
      EXPECT_LT(started - submitted, soon_ns);
    }
    EXPECT_GE(e.counters()[event::parks], 5u) << "nobody slept";
  });
  ASSERT_TRUE(end.ok()) << end.failure;
}

}  // namespace
