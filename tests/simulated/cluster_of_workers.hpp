// A cluster in one world: every rank a thread with workers of its own.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "leat/cluster.hpp"
#include "leat/cluster/local_world.hpp"
#include "leat/platform/simulated.hpp"
#include "leat/protocol/random.hpp"

namespace leat_test {

using leat::platform::at_random;
using leat::platform::simulated;
using leat::platform::simulation;
using leat::ranks::rank_id;

struct shape_of_cluster {
  rank_id ranks;
  leat::cluster_options options;
  bool any_thread = true;  ///< of a rank may talk to others
};

inline shape_of_cluster drawn(std::uint64_t seed) {
  leat::protocol::random draw(seed);
  shape_of_cluster s{1 + draw.below(3), {}};
  s.options.engine = leat::engine_names()[draw.below(3)];
  s.options.poll_us = draw.below(3);
  s.options.workers = 2 + draw.below(3);
  return s;
}

inline std::string text(const shape_of_cluster& s) {
  return std::to_string(s.ranks) + " ranks of " + std::to_string(s.options.workers) + " workers, " + s.options.engine;
}

// Calls body(cluster) on every rank, in a world of that schedule.
template <class Body>
void on_ranks(const shape_of_cluster& s, std::uint64_t seed, leat::platform::schedule& who, Body body) {
  simulation::settings settings;
  settings.steps_max = 50'000'000;  // far more than any takes
  const auto end = simulation(settings, who).run([&] {
    leat::ranks::local_world world(s.ranks, {seed, static_cast<std::uint32_t>(seed % 20), 1, s.any_thread});
    const auto on_rank = [&](rank_id r) {
      leat::cluster on(world.end_of(r), s.options);
      body(on);
    };
    std::vector<simulated::thread> others;
    for (rank_id r = 1; r < s.ranks; ++r) others.emplace_back([&on_rank, r] { on_rank(r); });
    on_rank(0);
    for (auto& t : others) t.join();
  });
  EXPECT_TRUE(end.ok()) << end.failure << "\nseed " << seed << ", " << text(s);
}

// The same, of that seed.
template <class Body>
void on_ranks(const shape_of_cluster& s, std::uint64_t seed, Body body) {
  at_random who(seed, 1 + static_cast<std::uint32_t>(seed % 8));
  on_ranks(s, seed, who, body);
}

}  // namespace leat_test
