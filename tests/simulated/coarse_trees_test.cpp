// Many workers, all busy with tasks that take long: a request that comes to rest is met by one of them, and is no more work for
// the manager than for few (A3, W6).
#include <gtest/gtest.h>

#include <cstdint>

#include "client_parts.hpp"
#include "leat/platform/simulated.hpp"

namespace {

using leat::platform::by_time;
using leat::platform::simulated;
using leat::platform::simulation;
using leat_test::shape;
using leat_test::client::engine;

constexpr double leaf_ns = 100'000;

std::uint64_t leaves(int n) {
  if (n < 2) return simulated::work_ns(leaf_ns), 1;
  const auto [a, b] = engine::fork_join([n] { return leaves(n - 1); }, [n] { return leaves(n - 2); });
  return a + b;
}

TEST(coarse_trees, keep_many_workers_busy) {
  constexpr std::uint32_t workers = 192;
  constexpr std::uint64_t expected = 4181;
  by_time who;
  double spent_ns = 0;
  std::uint64_t found = 0;
  simulation::settings settings;
  settings.on.levels = {{"board", 4, 700}, {"node", 4, 130}, {"core", 12, 60}};
  const auto end = simulation(settings, who).run([&] {
    shape s{workers};
    s.spin_ns = 100'000;
    s.exposed = leat::protocol::exposure::none;
    engine e(s);
    e.run([] {});
    const auto begun = simulated::now_ns();
    e.run([&] { found = leaves(18); });
    spent_ns = static_cast<double>(simulated::now_ns() - begun);
  });
  ASSERT_TRUE(end.ok()) << end.failure;
  EXPECT_EQ(found, expected);
  EXPECT_GT(static_cast<double>(expected) * leaf_ns / spent_ns, 80) << "speed-up on " << workers << " workers";
}

}  // namespace
