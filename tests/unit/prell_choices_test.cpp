// The way of prell's steal requests, and which worker its manager is.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <set>

#include "leat/protocol/prell.hpp"

namespace {

using namespace leat::protocol;

TEST(itinerary, distinct_tries_visit_each_other_worker_once) {
  for (const std::uint32_t workers : {2u, 3u, 4u, 7u, 8u, 48u, 240u}) {
    for (worker_id thief = 0; thief < workers; thief += 1 + workers / 5) {
      itinerary way(tries::distinct, thief, workers, 17 * thief + workers);
      for (int round = 0; round < 3; ++round) {
        std::set<worker_id> visited;
        worker_id holder = thief;
        while (const auto victim = way.next(holder, std::nullopt)) {
          ASSERT_LT(*victim, workers);
          ASSERT_NE(*victim, thief);
          ASSERT_TRUE(visited.insert(*victim).second) << "twice in a round";
          holder = *victim;
        }
        ASSERT_EQ(visited.size(), workers - 1);
        way.restart();
      }
    }
  }
}

TEST(itinerary, rounds_of_distinct_tries_differ) {
  itinerary way(tries::distinct, 0, 48, 5);
  std::set<worker_id> first;
  for (int round = 0; round < 40; ++round) {
    first.insert(way.next(0, std::nullopt).value());
    way.restart();
  }
  EXPECT_GT(first.size(), 10u);
}

TEST(itinerary, repeated_tries_draw_from_all_but_three) {
  itinerary way(tries::repeated, 3, 8, 1);
  std::set<worker_id> drawn;
  for (int i = 0; i < 1000; ++i) drawn.insert(way.next(5, 1).value());
  EXPECT_EQ(drawn, (std::set<worker_id>{0, 2, 4, 6, 7}));
  drawn.clear();
  for (int i = 0; i < 1000; ++i) drawn.insert(way.next(3, std::nullopt).value());
  EXPECT_EQ(drawn, (std::set<worker_id>{0, 1, 2, 4, 5, 6, 7}));
}

TEST(itinerary, there_may_be_no_other_worker) {
  for (const tries how : {tries::repeated, tries::distinct}) {
    EXPECT_EQ(itinerary(how, 0, 2, 1).next(1, std::nullopt), std::nullopt);
    EXPECT_EQ(itinerary(how, 0, 3, 1).next(2, 1), std::nullopt);
    EXPECT_EQ(itinerary(how, 1, 2, 1).next(1, std::nullopt), 0u);
  }
}

TEST(manager_of_prell, is_worker_1_where_there_are_enough_workers) {
  const auto with = [](termination t) {
    prell_choices c;
    c.termination = t;
    return c;
  };
  for (const termination t : {termination::root, termination::worker, termination::dedicated, termination::counter}) {
    EXPECT_EQ(manager_of(with(t), 1), 0u);
    EXPECT_FALSE(is_dedicated(with(t), 2));
  }
  EXPECT_EQ(manager_of(with(termination::root), 8), 0u);
  EXPECT_EQ(manager_of(with(termination::worker), 8), 1u);
  EXPECT_EQ(manager_of(with(termination::dedicated), 8), 1u);
  EXPECT_EQ(manager_of(with(termination::counter), 8), std::nullopt);
  EXPECT_TRUE(is_dedicated(with(termination::dedicated), 3));
  EXPECT_FALSE(is_dedicated(with(termination::worker), 3));
}

}  // namespace
