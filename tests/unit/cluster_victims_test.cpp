// Whom a rank asks, and in which order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "leat/cluster/messages_protocol.hpp"
#include "leat/cluster/victims.hpp"

namespace {

using namespace leat::ranks;

using at = routing::kind;

// The ranks that a round asks.
std::vector<rank_id> round_of(victims& others) {
  std::vector<rank_id> asked;
  for (auto next = others.first(); next; next = others.next()) asked.push_back(*next);
  return asked;
}

TEST(ClusterVictims, OfTheNodeComeFirst) {
  const std::vector<rank_id> node_of = {0, 1, 0, 1, 0};
  victims others(2, 5, {node_of, victim_order::ring});
  EXPECT_EQ(round_of(others), (std::vector<rank_id>{4, 0, 3, 1}));
  EXPECT_EQ(others.near(), 2U);
  (void)others.first();
  EXPECT_EQ(others.first_beyond(), 3U);
  victims alone(0, 1, {});
  EXPECT_FALSE(alone.first());
  EXPECT_FALSE(alone.first_beyond());
}

TEST(ClusterVictims, BeginWithTheOneThatGaveLast) {
  victims others(0, 6, {nodes_in_a_row(6, 3), victim_order::last});
  others.gave(2);
  others.gave(4);
  EXPECT_EQ(round_of(others), (std::vector<rank_id>{2, 1, 4, 5, 3}));
  (void)others.first();
  (void)others.next();
  others.gave();
  EXPECT_EQ(others.first(), 1U);
}

TEST(ClusterVictims, ThatAreDrawnAreAskedOnceEach) {
  victims others(3, 24, {nodes_in_a_row(24, 12), victim_order::random});
  std::vector<std::vector<rank_id>> rounds;
  for (int round = 0; round < 20; ++round) {
    std::vector<rank_id> asked = round_of(others);
    ASSERT_EQ(asked.size(), 23U);
    rounds.push_back(asked);
    for (std::size_t i = 0; i < 23; ++i) EXPECT_EQ(asked[i] < 12, i < 11);
    std::ranges::sort(asked);
    for (std::size_t i = 0; i < 23; ++i) EXPECT_EQ(asked[i], i < 3 ? i : i + 1);
  }
  std::ranges::sort(rounds);
  EXPECT_GT(std::distance(rounds.begin(), std::ranges::unique(rounds).begin()), 10);
}

TEST(ClusterRouting, TheNodeOfTheThiefIsAskedFirst) {
  const std::vector<rank_id> node_of = nodes_in_a_row(6, 3);
  const auto holder = [&](rank_id self) { return rank_state{self, 6, 0, &node_of}; };
  request r{1, 1, 0, 0, 2, 5};
  EXPECT_EQ(on_request(holder(2), r, 8), (routing{at::forward, 0}));  // past the other node, and past its thief
  EXPECT_EQ(on_request(holder(0), r, 8), (routing{at::forward, 5}));
  EXPECT_EQ(on_request(holder(5), r, 8), (routing{at::forward, 3}));  // past the thief's node
  EXPECT_EQ(on_request(holder(3), r, 8), (routing{at::forward, 4}));
  EXPECT_EQ(on_request(holder(4), r, 8).what, at::pool);
  request within{1, 1, 0, 0, 1, 1};
  EXPECT_EQ(on_request(holder(2), within, 8).what, at::pool);  // there is nobody to ask beyond
}

}  // namespace
