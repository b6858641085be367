// What cluster::show_progress shows a program, and when not: ranks on threads. tests/simulated/clusters_test.cpp has the times.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cluster_on_threads.hpp"
#include "cluster_world.hpp"
#include "engines.hpp"
#include "leat/cluster.hpp"
#include "leat/cluster/progress.hpp"

namespace {

using leat::rank_counters;
using leat::rank_event;
using leat_test::on_ranks;

const leat_test::twig root{4, 0};

const auto count = [](const leat_test::twig& t, auto&& emit) {
  leat_test::grow(t, emit);
  return std::uint64_t{1};
};

std::uint64_t run(leat::cluster& on) { return on.run(std::vector{root}, std::uint64_t{0}, count, std::plus<>{}); }

TEST(ClusterProgressClock, SaysWhenItIsTime) {
  std::vector<std::uint64_t> shown;
  rank_counters counters;
  const leat::ranks::progress asked{.every_us = 10,
                                    .show = [&](const rank_counters& c) { shown.push_back(c[rank_event::polls]); }};
  leat::ranks::progress_clock clock;
  EXPECT_FALSE(clock.on());
  clock.begin(asked, 5'000);
  for (const std::uint64_t now_ns : {5'000, 14'999, 15'000, 24'999, 47'000, 48'000, 56'999, 57'000}) {
    ASSERT_TRUE(clock.on());
    counters[rank_event::polls] = now_ns;
    clock.poll(counters, now_ns);
  }
  EXPECT_THAT(shown, testing::ElementsAre(15'000, 47'000, 57'000));
  counters[rank_event::polls] = 57'001;
  clock.end(counters);
  EXPECT_EQ(shown.back(), 57'001U);
  EXPECT_FALSE(clock.on());
}

TEST(ClusterProgressClock, MayGoOnForAges) {
  int shown = 0;
  const leat::ranks::progress asked{.every_us = UINT64_MAX, .show = [&](const rank_counters&) { ++shown; }};
  leat::ranks::progress_clock clock;
  clock.begin(asked, 0);
  clock.poll({}, UINT64_MAX);
  EXPECT_EQ(shown, 0);
}

class ClusterProgress : public testing::TestWithParam<const char*> {
 protected:
  leat::cluster_options options(std::uint32_t workers = 1) const {
    return {.engine = GetParam(), .poll_us = 0, .workers = workers};
  }
};

// So that one test has calls in the middle of a run: no time at all lies between two polls of which each is shown.
constexpr std::uint64_t every_us_min = 1;

TEST_P(ClusterProgress, EndsWithAllTasksOfTheRank) {
  for (const std::uint32_t workers : {1U, 3U}) {
    on_ranks(3, options(workers), [&](leat::cluster& on) {
      std::vector<std::uint64_t> shown;
      on.show_progress(every_us_min, [&](const rank_counters& c) { shown.push_back(c[rank_event::tasks]); });
      for (int i = 0; i < 5; ++i) {
        shown.clear();
        EXPECT_EQ(run(on), leat_test::count_twigs(root));
        ASSERT_FALSE(shown.empty());
        EXPECT_TRUE(std::ranges::is_sorted(shown));
        EXPECT_EQ(shown.back(), on.counters()[rank_event::tasks]);
      }
    });
  }
}

// Each rank decides, and a run too short for a second call is shown once.
TEST_P(ClusterProgress, IsShownWhereItIsAskedForUntilItIsNot) {
  on_ranks(2, options(), [&](leat::cluster& on) {
    int shown = 0;
    const auto show = [&](const rank_counters& c) {
      EXPECT_EQ(&c, &on.counters());
      ++shown;
    };
    if (on.rank() == 1) on.show_progress(UINT64_MAX, show);
    for (int i = 0; i < 3; ++i) (void)run(on);
    EXPECT_EQ(shown, on.rank() == 1 ? 3 : 0);
    EXPECT_EQ(on.reduce(1, std::plus<>{}), 2) << "which nothing is shown of";
    leat::shared_bound bound(leat::bound_goal::maximum, 0);
    (void)on.run(std::vector{root}, std::uint64_t{0}, count, std::plus<>{}, bound, [](std::uint64_t) { return 0; });
    EXPECT_EQ(shown, on.rank() == 1 ? 4 : 0);
    on.show_progress(0, show);
    (void)run(on);
    if (on.rank() == 1) on.show_progress(1, show);
    on.show_progress(1, {});
    (void)run(on);
    EXPECT_EQ(shown, on.rank() == 1 ? 4 : 0);
  });
}

// In the middle of a run, and in its last call: on one rank, and in the next run all is well.
TEST_P(ClusterProgress, FailsTheRunOnAllRanksByAnException) {
  for (const std::uint32_t workers : {1U, 3U}) {
    for (const std::uint64_t every_us : {every_us_min, UINT64_MAX}) {
      on_ranks(3, options(workers), [&](leat::cluster& on) {
        int shown = 0;
        if (on.rank() == 2) {
          on.show_progress(every_us, [&](const rank_counters&) {
            ++shown;
            throw std::out_of_range("the pen is empty");
          });
        }
        try {
          (void)run(on);
          ADD_FAILURE() << "nothing was thrown";
        } catch (const std::out_of_range&) {
          EXPECT_EQ(on.rank(), 2U);
        } catch (const leat::rank_failed& e) {
          EXPECT_NE(on.rank(), 2U);
          EXPECT_STREQ(e.what(), "leat::cluster: rank 2 failed: the pen is empty");
        }
        EXPECT_EQ(shown, on.rank() == 2 ? 1 : 0) << "no call after a failure";
        on.show_progress(0, {});
        EXPECT_EQ(run(on), leat_test::count_twigs(root));
      });
    }
  }
}

TEST_P(ClusterProgress, IsNotShownAfterAFailure) {
  on_ranks(2, options(), [&](leat::cluster& on) {
    bool failed = false;
    int shown_after = 0;
    on.show_progress(every_us_min, [&](const rank_counters&) { shown_after += failed; });
    const auto expand = [&](const int&, auto&&) -> int {
      failed = true;
      throw std::out_of_range("no");
    };
    EXPECT_ANY_THROW((void)on.run(std::array{1, 2}, 0, expand, std::plus<>{}));
    EXPECT_EQ(shown_after, 0);
  });
}

TEST_P(ClusterProgress, IsNotAskedForInsideARun) {
  const auto message_of = [](auto f) -> std::string {
    try {
      f();
    } catch (const std::logic_error& e) {
      return e.what();
    }
    return "";
  };
  for (const std::uint32_t workers : {1U, 3U}) {
    leat::cluster on(options(workers));
    const auto ask = [&](int, auto&&) {
      on.show_progress(1, [](const rank_counters&) {});
      return 1;
    };
    EXPECT_EQ(message_of([&] { (void)on.run(std::vector<int>(9), 0, ask, std::plus<>{}); }),
              "leat::cluster: show_progress inside a run");
    on.show_progress(1, [&](const rank_counters&) { on.show_progress(1, {}); });
    EXPECT_EQ(message_of([&] { (void)run(on); }), "leat::cluster: show_progress inside a run");
    on.show_progress(0, {});
    EXPECT_EQ(run(on), leat_test::count_twigs(root));
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, ClusterProgress, testing::Values("messages", "rma", "two-sided"),
                         [](const auto& engine) { return leat_test::name_of_engine(engine.param); });

}  // namespace
