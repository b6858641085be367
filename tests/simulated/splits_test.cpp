// How spawned loops are cut for thieves that ask (thesis, 5.3; LOOP-8, LOOP-10), in worlds where all ask at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engines.hpp"
#include "leat/platform/simulated.hpp"

namespace {

using leat::splitting;
using leat::platform::simulated;
using leat::platform::simulation;
using engine = leat_test::engine_on<simulated>;

constexpr int indices = 1000;
constexpr std::uint32_t workers_there = 4;

/// Where the part begins that each worker executes first, the highest first.
std::vector<int> first_parts(splitting split,
                             leat::protocol::published how_published = leat::protocol::published::prell) {
  std::vector<int> begins(workers_there, -1);  // its memory lies outside
  std::vector<int> executed(indices, 0);
  leat::counters counted;
  leat::platform::by_time who;
  const auto end = simulation(simulation::settings{}, who).run([&] {
    leat_test::shape s{workers_there};
    s.published = how_published;
    engine e(s);
    e.run([&] {
      leat::loop::options<simulated> how;
      how.split = split;
      const auto body = [&](int i) {
        simulated::work_ns(100'000);
        ++executed[static_cast<std::size_t>(i)];
        int& begin = begins[leat::scheduler::worker<simulated>::current()->id()];
        if (begin < 0) begin = i;
      };
      simulated::work_ns(100'000);  // until all others ask
      engine::task_group group;
      engine::spawn_for(group, 0, indices, body, how);
      group.wait();
    });
    counted = e.counters();
  });
  EXPECT_TRUE(end.ok()) << end.failure;
  // A stolen whole loop is no split, as nothing was cut from it.
  EXPECT_GE(counted[leat::event::splits], workers_there - 1);
  EXPECT_LE(counted[leat::event::splits],
            counted[leat::event::tasks_stolen] - (how_published == leat::protocol::published::prell ? 1 : 0));
  EXPECT_TRUE(std::ranges::all_of(executed, [](int n) { return n == 1; }));
  std::ranges::sort(begins, std::greater<>());
  return begins;
}

// The first thief gets the whole spawned loop, as that is a task like any other. The others ask while it executes index 0.

TEST(splits, adaptive_gives_equal_shares_to_thieves_that_ask_at_once) {
  EXPECT_EQ(first_parts(splitting::adaptive), (std::vector{751, 501, 251, 0}));
}

TEST(splits, half_gives_halves_of_what_is_left) {
  EXPECT_EQ(first_parts(splitting::half), (std::vector{501, 251, 126, 0}));
}

TEST(splits, guided_keeps_the_share_of_one_worker) {
  EXPECT_EQ(first_parts(splitting::guided), (std::vector{250, 125, 63, 0}));
}

// LOOP-10: a thief of LCWS comes by itself for the piece that was shown to it. If the worker cut that anew, no other worker would get any
// piece under lcws-user.
TEST(splits, thieves_of_lcws_get_the_pieces_that_were_shown_to_them) {
  for (const auto which : {leat::protocol::published::lcws_user, leat::protocol::published::lcws_signal}) {
    EXPECT_EQ(first_parts(splitting::adaptive, which), (std::vector{750, 500, 250, 0}));
  }
}

}  // namespace
