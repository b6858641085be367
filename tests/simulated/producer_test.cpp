// A producer gives its tasks away by the batch, not one at each push (W6).
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
    s.exposed = leat::protocol::exposure::none;
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

}  // namespace
