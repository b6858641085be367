// Whom a request asks, and in which order (docs/internals/protocol.md, WORKER-1 and WORKER-3; thesis 3.4).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "leat/protocol/random.hpp"
#include "leat/protocol/victims.hpp"

namespace {

using leat::protocol::victims;
using leat::protocol::worker_id;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// All victims that a request tries if each passes it on to the next.
std::vector<worker_id> tried(victims& v, worker_id thief, std::optional<worker_id> first = std::nullopt) {
  v.restart(first);
  std::vector<worker_id> all;
  for (auto to = v.next(thief); to; to = v.next(*to)) all.push_back(*to);
  return all;
}

TEST(victims, are_all_others_without_repetition) {
  victims v = victims::flat(2, 5, 7, 100);
  for (int request = 0; request < 100; ++request) EXPECT_THAT(tried(v, 2), UnorderedElementsAre(0, 1, 3, 4));
}

TEST(victims, are_none_without_other_workers) {
  victims v = victims::flat(0, 1, 7, 100);
  EXPECT_THAT(tried(v, 0), IsEmpty());
}

TEST(victims, are_at_most_as_many_as_attempts) {
  for (const std::uint32_t attempts : {0u, 1u, 2u, 3u}) {
    victims v = victims::flat(0, 8, 7, attempts);
    EXPECT_EQ(tried(v, 0).size(), attempts);
    EXPECT_EQ(tried(v, 0, 5).size(), attempts) << "the last victim counts";
  }
}

// Who has nothing is no attempt, be it the last victim.
TEST(victims, are_only_those_who_may_have_something) {
  victims v = victims::flat(0, 64, 7, 2);
  const auto may = [](worker_id w) { return w == 9 || w == 33 || w == 62; };
  for (const std::optional<worker_id> first : {std::optional<worker_id>(), {5}, {33}}) {
    v.restart(first);
    const auto one = v.next(0, may);
    ASSERT_TRUE(one && may(*one));
    EXPECT_TRUE(first != 33u || one == first);
    const auto other = v.next(*one, may);
    ASSERT_TRUE(other && may(*other));
    EXPECT_NE(one, other);
    EXPECT_FALSE(v.next(*other, may)) << "the attempts are used up";
  }
  v.restart(std::nullopt);
  EXPECT_FALSE(v.next(0, [](worker_id) { return false; }));
}

TEST(victims, are_tried_near_first) {
  // Workers 1 and 2 are near, 3, 4 and 5 farther, 6 far; a level in between is empty.
  victims v({1, 2, 3, 4, 5, 6}, {2, 2, 5, 6}, 7, 100);
  bool near_swapped = false;
  for (int request = 0; request < 100; ++request) {
    const auto all = tried(v, 0);
    ASSERT_EQ(all.size(), 6u);
    EXPECT_THAT(std::vector(all.begin(), all.begin() + 2), UnorderedElementsAre(1, 2));
    EXPECT_THAT(std::vector(all.begin() + 2, all.begin() + 5), UnorderedElementsAre(3, 4, 5));
    EXPECT_EQ(all[5], 6u);
    near_swapped |= all[0] == 2;
  }
  EXPECT_TRUE(near_swapped);
}

TEST(victims, of_one_distance_are_as_without) {
  victims a = victims::flat(3, 9, 7, 100);
  victims b = victims::near(3, 9, [](worker_id, worker_id) { return 0u; }, 7, 100);
  EXPECT_EQ(a, b);
}

TEST(victims, are_tried_in_the_order_of_their_distance) {
  const auto apart = [](worker_id a, worker_id b) { return a < b ? b - a : a - b; };
  victims v = victims::near(2, 6, apart, 7, 100);
  for (int request = 0; request < 20; ++request) {
    const auto all = tried(v, 2);
    ASSERT_EQ(all.size(), 5u);
    EXPECT_THAT(std::vector(all.begin(), all.begin() + 2), UnorderedElementsAre(1, 3));
    EXPECT_THAT(std::vector(all.begin() + 2, all.begin() + 4), UnorderedElementsAre(0, 4));
    EXPECT_EQ(all[4], 5u);
  }
}

TEST(victims, begin_with_the_last_one_even_if_it_is_far) {
  victims v({1, 2, 3, 4}, {2, 4}, 7, 100);
  for (int request = 0; request < 100; ++request) {
    const auto all = tried(v, 0, 4);
    EXPECT_EQ(all.front(), 4u);
    EXPECT_THAT(all, UnorderedElementsAre(1, 2, 3, 4));
  }
  EXPECT_THAT(tried(v, 0), UnorderedElementsAre(1, 2, 3, 4)) << "the next request may forget it";
}

TEST(victims, do_not_include_the_holder) {
  victims v = victims::flat(0, 4, 7, 100);
  for (int request = 0; request < 50; ++request) {
    v.restart(std::nullopt);
    // Worker 3 got the request from the manager, without having been drawn.
    std::vector<worker_id> all;
    for (auto to = v.next(3); to; to = v.next(3)) all.push_back(*to);
    EXPECT_THAT(all, UnorderedElementsAre(1, 2));
  }
}

TEST(victims, do_not_include_the_holder_that_is_the_last_victim) {
  victims v = victims::flat(0, 4, 7, 100);
  v.restart(3);
  std::vector<worker_id> all;
  for (auto to = v.next(3); to; to = v.next(*to)) all.push_back(*to);
  EXPECT_THAT(all, UnorderedElementsAre(1, 2));
}

TEST(victims, are_drawn_about_equally_often) {
  constexpr int requests = 30'000;
  victims v = victims::flat(0, 4, 7, 100);
  std::map<std::vector<worker_id>, int> orders;
  for (int request = 0; request < requests; ++request) ++orders[tried(v, 0)];
  ASSERT_EQ(orders.size(), 6u);
  // 5000 each; a standard deviation is about 65.
  for (const auto& [order, times] : orders) EXPECT_NEAR(times, requests / 6, 400) << order[0] << order[1] << order[2];
}

TEST(victims, follow_from_the_seed) {
  victims a = victims::flat(0, 100, 7, 100);
  victims b = victims::flat(0, 100, 7, 100);
  victims other = victims::flat(0, 100, 8, 100);
  EXPECT_EQ(a, b);
  const auto first = tried(a, 0);
  EXPECT_THAT(tried(b, 0), ElementsAreArray(first));
  EXPECT_EQ(a, b);
  EXPECT_NE(tried(other, 0), first);
  EXPECT_NE(tried(a, 0), first) << "the next request draws anew";
}

TEST(random_numbers, are_those_of_splitmix64) {
  leat::protocol::random r(1234567);
  // Reference values published with the generator.
  EXPECT_THAT((std::array{r(), r(), r()}),
              ElementsAre(6457827717110365317u, 3203168211198807973u, 9817491932198370423u));
}

TEST(random_numbers, are_below_their_bound_and_reach_all_of_it) {
  leat::protocol::random r(7);
  std::array<int, 5> times{};
  for (int i = 0; i < 5'000; ++i) ++times.at(r.below(5));
  for (const int t : times) EXPECT_NEAR(t, 1'000, 150);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(r.below(1), 0u);
}

}  // namespace
