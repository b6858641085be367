// The programs of `leat NAME --cluster`, on ranks on threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cluster_on_threads.hpp"
#include "cluster_world.hpp"
#include "kernels/knapsack.hpp"
#include "kernels/nqueens_cluster.hpp"
#include "kernels/quadrature.hpp"
#include "leat/cluster.hpp"

namespace {

using leat::ranks::rank_id;

class ClusterPrograms : public testing::TestWithParam<const char*> {
 protected:
  leat::cluster_options options() const { return {.engine = GetParam(), .poll_us = 5}; }

  // Calls body(cluster) on each of some ranks, on a thread each, of one worker and then of three.
  template <class Body>
  void on_ranks_and_workers(Body body) const {
    for (const rank_id ranks : {1U, 2U, 3U}) {
      for (const std::uint32_t workers : {1U, 3U}) {
        leat::cluster_options o = options();
        o.workers = workers;
        leat_test::on_ranks(ranks, o, body);
      }
    }
  }
};

TEST_P(ClusterPrograms, FindTheBestKnapsack) {
  namespace knapsack = leat::kernels::knapsack;
  knapsack::parameters p;
  p.items = 28;
  p.seed = 3;
  const knapsack::instance of(p);
  const std::int64_t best = knapsack::best_value(of);
  EXPECT_EQ(knapsack::search_serially(of).value, best);
  on_ranks_and_workers([&](leat::cluster& on) {
    const knapsack::findings found = knapsack::search_on_cluster(on, of);
    EXPECT_EQ(found.value, best);
    EXPECT_TRUE(knapsack::is_solution(of, found));
  });
}

TEST_P(ClusterPrograms, CountQueensAndIntegrate) {
  namespace quadrature = leat::kernels::quadrature;
  const quadrature::parameters peak{.tolerance = 1e-6, .width = 1e-2};
  const quadrature::findings whole = quadrature::integrate_serially(peak);
  EXPECT_NEAR(whole.integral(), peak.exact(), peak.tolerance);
  on_ranks_and_workers([&](leat::cluster& on) {
    for (const std::int64_t n : {1, 2, 6, 9}) {
      EXPECT_EQ(leat::kernels::nqueens::count_on_cluster(on, n), leat::kernels::nqueens::count(n));
    }
    EXPECT_EQ(quadrature::integrate_on_cluster(on, peak), whole);
  });
}

TEST(Knapsack, IsSearchedRight) {
  namespace knapsack = leat::kernels::knapsack;
  for (std::int64_t seed = 1; seed <= 60; ++seed) {
    const knapsack::instance of(
        {.items = 1 + seed % 14, .weight_max = 50, .bonus = seed % 7, .spread = seed % 5, .seed = seed});
    std::int64_t best = 0;
    for (std::uint64_t taken = 0; taken < std::uint64_t{1} << of.items.size(); ++taken) {
      std::int64_t weight = 0;
      std::int64_t value = 0;
      for (std::size_t i = 0; i < of.items.size(); ++i) {
        if ((taken >> i & 1) == 0) continue;
        weight += of.items[i].weight;
        value += of.items[i].value;
      }
      if (weight <= of.capacity) best = std::max(best, value);
    }
    EXPECT_EQ(knapsack::best_value(of), best);
    EXPECT_EQ(knapsack::search_serially(of).value, best);
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, ClusterPrograms, testing::Values("messages", "rma", "two-sided"),
                         [](const auto& engine) { return leat_test::name_of_engine(engine.param); });

}  // namespace
