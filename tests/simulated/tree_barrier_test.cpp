// A barrier at which threads meet within their domain first, in worlds drawn from seeds: it opens for all, and not before all have come.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "carried_worlds.hpp"
#include "leat/thread/tree_barrier.hpp"

namespace {

using leat::platform::relaxed;
using leat_test::carrying::expect;
using leat_test::carrying::in_world;
using leat_test::carrying::on;
using leat_test::carrying::simulated;
using leat_test::carrying::word;
using tree_barrier = leat::threads::tree_barrier<simulated>;

TEST(tree_barriers_in_worlds, open_when_all_have_come) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    in_world(seed, 1 + seed % 4, seed % 2 == 0 ? "numa:2 core:2 pu:1" : "numa:2 l3:1 core:3 pu:2", [&] {
      const std::uint32_t all = 1 + seed % 7;
      constexpr std::uint32_t rounds = 3;
      // The last one to leave it destroys it: the others have been told by then, and touch it no more.
      auto barrier = std::make_unique<tree_barrier>(all);
      word came{0}, lasts{0}, gone{0};
      std::vector<on::thread> threads;
      for (std::uint32_t i = 0; i < all; ++i) {
        threads.emplace_back([&, i] {
          for (std::uint32_t k = 1; k <= rounds; ++k) {
            came.fetch_add(1, relaxed);
            if (barrier->arrive_and_wait(i)) lasts.fetch_add(1, relaxed);
            expect(came.load(relaxed) >= all * k, "a barrier opened too early");
          }
          if (gone.fetch_add(1, leat::platform::acq_rel) + 1 == all) barrier.reset();
        });
      }
      for (auto& t : threads) t.join();
      expect(lasts.load(relaxed) == rounds, "one thread of each round is the last");
    });
  }
}

}  // namespace
