// Many workers that wait for futures, most of them asleep and without anything to offer: a request that comes to rest wakes none of those.
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

constexpr double leaf_ns = 10'000;

std::uint64_t leaves(int n) {
  if (n < 2) return simulated::work_ns(leaf_ns), 1;
  auto f = engine::async([n] { return leaves(n - 1); });
  const std::uint64_t b = leaves(n - 2);
  return f.get() + b;
}

TEST(many_waits, do_not_keep_the_manager_from_handing_out) {
  constexpr std::uint64_t expected = 987;
  for (const std::uint32_t workers : {184u, 188u}) {
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
      e.run([&] { found = leaves(15); });
      spent_ns = static_cast<double>(simulated::now_ns() - begun);
    });
    ASSERT_TRUE(end.ok()) << end.failure;
    EXPECT_EQ(found, expected);
    EXPECT_LT(spent_ns, static_cast<double>(expected) * leaf_ns) << "slower than one worker, " << workers << " workers";
  }
}

}  // namespace
