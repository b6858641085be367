// Places of prell: which workers each has, where a request goes, and how the managers find the end.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "leat/protocol/census.hpp"
#include "leat/protocol/places.hpp"

namespace {

using namespace leat::protocol;
using step = census::step;

prell_choices ending(termination t) {
  prell_choices c;
  c.termination = t;
  return c;
}

place_map map_of(const std::vector<std::uint32_t>& domains, termination t = termination::worker) {
  return place_map(domains, ending(t));
}

TEST(place_map, of_all_workers_has_the_manager_that_the_choices_say) {
  const std::vector<std::uint32_t> eight(8, 5);
  for (const termination t : {termination::root, termination::worker, termination::dedicated, termination::counter}) {
    const place_map map = map_of(eight, t);
    EXPECT_EQ(map.places(), 1);
    EXPECT_EQ(map.workers(0), 8u);
    EXPECT_EQ(map.manager(0), manager_of(ending(t), 8));
    EXPECT_EQ(map.head(), map.manager(0));
    EXPECT_EQ(map.dedicated(0), t == termination::dedicated ? std::optional<worker_id>(1) : std::nullopt);
    for (worker_id w = 0; w < 8; ++w) EXPECT_EQ(map.rank(w), w);
  }
}

TEST(place_map, counts_places_from_that_of_worker_0) {
  const place_map map = map_of({7, 3, 3, 7, 9}, termination::dedicated);
  EXPECT_EQ(map.places(), 3);
  for (worker_id w = 0; w < 5; ++w) EXPECT_EQ(map.of(w), (std::vector<place_id>{0, 1, 1, 0, 2}[w])) << w;
  EXPECT_EQ(map.rank(3), 1u);
  EXPECT_EQ(map.head(), 3u);
  EXPECT_EQ(map.manager(1), 2u);
  EXPECT_EQ(map.manager(2), 4u);
  for (place_id p = 0; p < 3; ++p) EXPECT_EQ(map.dedicated(p), std::nullopt) << "of two workers the manager works";
  EXPECT_EQ(map_of({0, 0, 0, 1}, termination::dedicated).dedicated(0), 1u);
}

TEST(place_map, leaves_worker_0_not_alone) {
  const place_map map = map_of({4, 5, 6, 5});
  EXPECT_EQ(map.places(), 2);
  EXPECT_EQ(map.workers(0), 3u);
  EXPECT_EQ(map.of(2), 1);
  EXPECT_EQ(map.head(), 1u);
  EXPECT_EQ(map_of({4, 5}).places(), 1);
  EXPECT_EQ(map_of({4}).head(), 0u);
}

TEST(place_map, draws_victims_of_one_place) {
  const place_map map = map_of({0, 1, 0, 1, 0, 1, 1}, termination::dedicated);  // the managers are 2 and 3
  for (const tries how : {tries::repeated, tries::distinct}) {
    itinerary home(how, map.rank(4), map.workers(0), 1);
    EXPECT_EQ(map.next(home, 0, 4), 0u);
    itinerary away(how, std::nullopt, map.workers(1), 1);
    std::set<worker_id> drawn;
    for (int i = 0; i < 100; ++i) {
      if (const auto w = map.next(away, 1, 2)) drawn.insert(*w);
    }
    EXPECT_EQ(drawn, (std::set<worker_id>{1, 5, 6}));
    itinerary further(how, std::nullopt, map.workers(1), 1);
    for (int i = 0; i < 100; ++i) EXPECT_NE(map.next(further, 1, 5), 5u);
  }
}

TEST(place_map, sends_a_request_to_each_other_place_once) {
  const place_map map = map_of({0, 0, 1, 2, 3, 4});
  for (place_id home = 0; home < map.places(); ++home) {
    for (std::uint32_t drawn = 0; drawn < 9; ++drawn) {
      std::set<place_id> visited;
      place_id at = home;
      for (int i = 1; i < map.places(); ++i) {
        at = map.after(at, home, drawn);
        ASSERT_NE(at, home);
        ASSERT_LT(at, map.places());
        ASSERT_TRUE(visited.insert(at).second);
      }
    }
  }
}

TEST(census, of_the_only_place_ends_when_all_are_registered) {
  census c(3, 3, 0);
  EXPECT_EQ(c.registers(0, 0), step::none);
  EXPECT_EQ(c.registers(2, 0), step::none);
  c.unregisters(0, false);
  EXPECT_EQ(c.registers(1, 0), step::none);
  EXPECT_EQ(c.registers(0, 0), step::over);
}

TEST(census, of_a_place_tells_its_sums_when_it_is_idle) {
  census c(2, 2, std::nullopt);
  EXPECT_EQ(c.registers(0, 0), step::none);
  EXPECT_EQ(c.asked(), step::none);
  EXPECT_EQ(c.registers(1, 4), step::tell);
  EXPECT_EQ(c.sums().answered, 4u);
  EXPECT_EQ(c.asked(), step::tell) << "it is idle";
  c.unregisters(1, true);
  EXPECT_EQ(c.sums().updates, 1u);
  EXPECT_EQ(c.asked(), step::none);
  c.unregisters(0, false);
  EXPECT_EQ(c.sums().updates, 1u) << "an update from the place itself";
  EXPECT_EQ(c.registers(0, 2), step::none);
  EXPECT_EQ(c.registers(1, 5), step::tell);
  EXPECT_EQ(c.sums().answered, 7u) << "each worker says how many there were in all";
}

TEST(census, of_the_head_asks_twice) {
  census head(2, 2, 2);
  EXPECT_EQ(head.registers(0, 0), step::none);
  EXPECT_EQ(head.registers(1, 1), step::ask);
  EXPECT_EQ(head.told({0, 1}), step::none);
  EXPECT_EQ(head.told({0, 0}), step::ask) << "one answered, one received: but perhaps not at one time";
  EXPECT_EQ(head.told({0, 1}), step::none);
  EXPECT_EQ(head.told({0, 0}), step::over);
  // And after the next phase again.
  head.unregisters(0, false);
  EXPECT_EQ(head.registers(0, 1), step::ask);
  EXPECT_EQ(head.told({0, 1}), step::none);
  EXPECT_EQ(head.told({0, 0}), step::ask) << "what was received before a barrier proves nothing";
}

TEST(census, of_the_head_asks_on_while_an_update_is_on_its_way) {
  census head(1, 1, 1);
  EXPECT_EQ(head.registers(0, 0), step::ask);
  EXPECT_EQ(head.told({1, 0}), step::ask);
  EXPECT_EQ(head.told({1, 0}), step::ask) << "the head's place has an update to come";
  head.unregisters(0, true);
  EXPECT_EQ(head.told({1, 0}), step::ask);
  EXPECT_EQ(head.told({1, 0}), step::none) << "it has come, and the place is not idle";
  EXPECT_EQ(head.registers(0, 0), step::ask);
  EXPECT_EQ(head.told({1, 0}), step::over);
}

}  // namespace
