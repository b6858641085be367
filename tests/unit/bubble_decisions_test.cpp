// The pure decisions about bubbles, over all cases of small machines.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "leat/bubble/decisions.hpp"

namespace {

using namespace leat::bubbles;

TEST(bubble_decisions, a_head_is_one_word_that_orders_by_priority) {
  const std::array priorities{INT_MIN, INT_MIN + 1, -2, -1, 0, 1, 2, INT_MAX - 1, INT_MAX};
  std::optional<std::uint64_t> before;
  for (const int p : priorities) {
    for (const auto kind : {head::kind::thread, head::kind::bubble}) {
      const head h{p, kind};
      EXPECT_NE(h.packed(), 0u);
      const head back = head::unpacked(h.packed());
      EXPECT_EQ(back.priority, p);
      EXPECT_EQ(back.what, kind);
      if (before) {
        EXPECT_GT(h.packed(), *before);
      }
    }
    before = std::max(head{p, head::kind::thread}.packed(), head{p, head::kind::bubble}.packed());
  }
  EXPECT_EQ(head{}.packed(), 0u);
  EXPECT_EQ(head::unpacked(0).what, head::kind::nothing);
}

// THREAD-1, by what it says, over all contents of three lists.
TEST(bubble_decisions, the_highest_priority_is_found_and_the_most_local_of_those) {
  std::vector<head> all{{}};
  for (const int p : {INT_MIN, -1, 0, 1})
    for (const auto kind : {head::kind::thread, head::kind::bubble}) all.push_back({p, kind});
  for (const head& a : all) {
    for (const head& b : all) {
      for (const head& c : all) {
        const std::array lists{a, b, c};
        const auto best = best_of(lists.size(), [&](std::size_t i) { return lists[i].packed(); });
        std::size_t expected = lists.size();
        for (std::size_t i = 0; i < lists.size(); ++i) {
          if (lists[i].what == head::kind::nothing) continue;
          if (expected == lists.size() || lists[i].priority > lists[expected].priority) expected = i;
        }
        ASSERT_EQ(bool(best), expected != lists.size());
        if (!best) continue;
        EXPECT_EQ(best.place, expected);
        EXPECT_EQ(best.first().priority, lists[expected].priority);
        EXPECT_EQ(best.first().what, lists[expected].what);
      }
    }
  }
}

// BUBBLE-2, on "numa:4 core:4 pu:2" and its like.
TEST(bubble_decisions, a_bubble_bursts_where_there_is_a_unit_for_each) {
  const std::array<std::size_t, 4> units{32, 8, 2, 1};
  const auto depth = [&](affinity kind, std::size_t threads, std::uint32_t released = 0) {
    return burst_depth(kind, threads, released, 3, [&](std::uint32_t d) { return units[d]; });
  };
  for (std::size_t threads = 0; threads < 40; ++threads) {
    for (std::uint32_t released = 0; released < units.size(); ++released) {
      EXPECT_EQ(depth(affinity::none, threads, released), released);
      const auto data = depth(affinity::data, threads, released);
      EXPECT_GE(data, released);
      if (data > released) {
        EXPECT_GE(units[data], threads) << "room for all";
      }
      if (data < 3) {
        EXPECT_LT(units[data + 1], std::max<std::size_t>(threads, 1)) << "and no smaller one has it";
      }
    }
  }
  EXPECT_EQ(depth(affinity::data, 8), 1u);
  EXPECT_EQ(depth(affinity::data, 9), 0u);
  EXPECT_EQ(depth(affinity::symbiosis, 8), 2u) << "a pair of units";
  EXPECT_EQ(depth(affinity::symbiosis, 1), 3u);
}

// BUBBLE-1
TEST(bubble_decisions, a_bubble_goes_where_less_is_to_do_for_a_unit) {
  EXPECT_FALSE(goes_elsewhere(1, 0, 4, 0, 4)) << "nowhere else than where somebody looks";
  EXPECT_TRUE(goes_elsewhere(1, 1, 4, 0, 4));
  EXPECT_FALSE(goes_elsewhere(1, 0, 4, 1, 4));
  EXPECT_FALSE(goes_elsewhere(2, 3, 8, 0, 2)) << "5 for 8 units is less than 2 for 2";
  EXPECT_TRUE(goes_elsewhere(2, 3, 4, 0, 2));
}

TEST(bubble_decisions, an_idle_unit_takes_only_what_cannot_run_where_it_is) {
  for (const bool within_reach : {false, true}) {
    for (const bool given : {false, true}) {
      for (const std::size_t waiting : {0, 1, 5}) {
        for (const std::size_t running : {0, 1, 5}) {
          const auto what = for_idle({within_reach, given, waiting, running});
          if (within_reach || waiting == 0) {
            EXPECT_EQ(what, regeneration::none);
          } else if (running == 0) {
            EXPECT_EQ(what, regeneration::move);
          } else {
            EXPECT_EQ(what, given ? regeneration::none : regeneration::widen);
          }
        }
      }
    }
  }
}

TEST(bubble_decisions, a_slice_ends_only_for_others) {
  EXPECT_FALSE(slice_over(0, 0, 1'000'000, true)) << "none";
  EXPECT_FALSE(slice_over(100, 50, 149, true));
  EXPECT_TRUE(slice_over(100, 50, 150, true));
  EXPECT_FALSE(slice_over(100, 50, 1'000, false)) << "nobody wants the units";
  EXPECT_TRUE(gives_way(0, 0));
  EXPECT_TRUE(gives_way(0, 1));
  EXPECT_FALSE(gives_way(0, -1));
}

}  // namespace
