// Many workers on thin, deep trees of small nodes, where steals bring little: who has something is asked by many at once, and is to
// answer them rather than to wait for the manager (WORKER-15).
#include <gtest/gtest.h>

#include <cstdint>

#include "client_parts.hpp"
#include "leat/platform/simulated.hpp"
#include "leat/protocol/random.hpp"

namespace {

using leat::platform::by_time;
using leat::platform::simulated;
using leat::platform::simulation;
using leat_test::shape;
using leat_test::client::engine;

constexpr double node_ns = 43;
constexpr std::uint64_t trees = 1000;
constexpr std::uint64_t children = 8;
constexpr double share_with_children = 0.1245;  // so a node has 0.996 children in the mean

// A node of a binomial tree.
void grow(std::uint64_t state) {
  simulated::work_ns(node_ns);
  leat::protocol::random random(state);
  if (random.below(1'000'000) >= share_with_children * 1e6) return;
  for (std::uint64_t c = 0; c < children; ++c) engine::spawn([next = random()] { grow(next); });
}

TEST(thin_trees, are_had_by_many_workers) {
  constexpr std::uint32_t workers = 48;
  for (const std::uint64_t seed : {1u, 2u}) {
    by_time who;
    double spent_ns = 0;
    double nodes = 0;
    simulation::settings settings;
    settings.on.levels = {{"node", 4, 130}, {"core", 12, 60}};
    const auto end = simulation(settings, who).run([&] {
      shape s{workers};
      s.spin_ns = 100'000;
      s.published = leat::protocol::published::none;
      engine e(s);
      e.run([] {});
      const auto before = e.counters()[leat::event::tasks];
      const auto begun = simulated::now_ns();
      e.run([&] {
        for (std::uint64_t t = 0; t < trees; ++t) engine::spawn([state = seed * trees + t] { grow(state); });
      });
      spent_ns = static_cast<double>(simulated::now_ns() - begun);
      nodes = static_cast<double>(e.counters()[leat::event::tasks] - before);
    });
    ASSERT_TRUE(end.ok()) << end.failure;
    EXPECT_GT(nodes * node_ns / spent_ns, 4) << "speed-up on " << workers << " workers, seed " << seed;
  }
}

}  // namespace
