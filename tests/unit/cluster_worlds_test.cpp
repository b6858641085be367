// Conformance of the cluster's engines: thousands of tiny trees in worlds of ranks, in one thread, with messages that come
// late and out of order where they may, and ranks that are slow or stall. Every tree is counted exactly, and every run ends.
#include <gtest/gtest.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cluster_world.hpp"
#include "engines.hpp"
#include "leat/cluster/errors.hpp"

namespace {

using leat_test::plan;
using leat_test::rank_id;
using leat_test::twig;

// Steps of all ranks together, beyond which a run counts as hung: a hundred times what the longest takes.
constexpr std::uint64_t steps_max = 4'000'000;

using expand_call = std::function<std::uint64_t(rank_id, const twig&, const std::function<void(twig)>&)>;

// The runs of all ranks of a world, at once.
class world_runs {
 public:
  explicit world_runs(const plan& p) : plan_(p), world_(p.ranks, {p.seed, p.delay_max}) {
    for (rank_id r = 0; r < p.ranks; ++r) ranks_.push_back(std::make_unique<leat_test::stepped_rank>(world_, r, p));
  }

  // Each rank's result; nothing for a rank that threw, whose message is in `thrown`.
  std::vector<std::optional<std::uint64_t>> run(const twig& root, const expand_call& call) {
    struct one {
      std::function<std::uint64_t(const twig&, const std::function<void(twig)>&)> expand;
      std::plus<> combine;
      std::optional<run_type> r;
    };
    std::vector<one> all(plan_.ranks);
    for (rank_id r = 0; r < plan_.ranks; ++r) {
      all[r].expand = [&call, r](const twig& t, const std::function<void(twig)>& emit) { return call(r, t, emit); };
      all[r].r.emplace(ranks_[r]->begin(), std::uint64_t{0}, all[r].expand, all[r].combine);
    }
    all[plan_.seed % plan_.ranks].r->add_root(root);
    leat_test::turns next(plan_);
    std::vector<bool> over(plan_.ranks);
    std::size_t left = plan_.ranks;
    for (std::uint64_t step = 0; left != 0; ++step) {
      if (step == steps_max) throw std::runtime_error("hung");
      const rank_id r = next.next();
      if (!over[r] && all[r].r->step()) {
        over[r] = true;
        --left;
      }
    }
    std::vector<std::optional<std::uint64_t>> results(plan_.ranks);
    thrown.assign(plan_.ranks, "");
    for (rank_id r = 0; r < plan_.ranks; ++r) {
      try {
        results[r] = all[r].r->take_result();
      } catch (const std::exception& e) {
        thrown[r] = e.what();
      }
    }
    return results;
  }

  std::uint64_t total(leat::rank_event e) const {
    std::uint64_t sum = 0;
    for (const auto& r : ranks_) sum += r->counters()[e];
    return sum;
  }

  std::vector<std::string> thrown;

 private:
  using run_type =
      leat::ranks::rank_run<leat::platform::chosen, twig, std::uint64_t,
                            std::function<std::uint64_t(const twig&, const std::function<void(twig)>&)>, std::plus<>>;

  plan plan_;
  leat::ranks::local_world world_;
  std::vector<std::unique_ptr<leat_test::stepped_rank>> ranks_;
};

std::uint64_t one_node(rank_id, const twig& t, const std::function<void(twig)>& emit) {
  leat_test::grow(t, emit);
  return 1;
}

void expect_counted(const plan& p, int runs) {
  SCOPED_TRACE(std::string(p.engine) + ", ranks " + std::to_string(p.ranks) + ", seed " + std::to_string(p.seed));
  world_runs world(p);
  std::uint64_t tasks = 0;
  for (int i = 0; i < runs; ++i) {
    const twig root{p.seed * 31 + static_cast<std::uint64_t>(i), 0};
    const std::uint64_t nodes = leat_test::count_twigs(root);
    tasks += nodes;
    for (const auto& result : world.run(root, one_node)) ASSERT_EQ(result, nodes);
  }
  EXPECT_EQ(world.total(leat::rank_event::tasks), tasks);
  EXPECT_EQ(world.total(leat::rank_event::tasks_given), world.total(leat::rank_event::tasks_taken));
}

class ClusterWorlds : public testing::TestWithParam<const char*> {
 protected:
  plan planned(rank_id ranks, std::uint64_t seed) const {
    plan p;
    p.engine = GetParam();
    p.ranks = ranks;
    p.seed = seed;
    return p;
  }
};

constexpr rank_id rank_counts[] = {1, 2, 3, 5, 8};

TEST_P(ClusterWorlds, CountTinyTrees) {
  const std::uint64_t seeds = leat_test::reps(200);
  for (const rank_id ranks : rank_counts) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) expect_counted(planned(ranks, seed), 2);
  }
}

TEST_P(ClusterWorlds, CountThoughMessagesAreLate) {
  const std::uint64_t seeds = leat_test::reps(200);
  for (const rank_id ranks : rank_counts) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      plan p = planned(ranks, seed);
      p.delay_max = static_cast<std::uint32_t>(1 + seed % 200);
      p.attempts = static_cast<std::uint32_t>(seed % 4);
      expect_counted(p, 3);
    }
  }
}

TEST_P(ClusterWorlds, CountThoughARankIsSlowOrStalls) {
  const std::uint64_t seeds = leat_test::reps(100);
  for (const rank_id ranks : rank_counts) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      plan p = planned(ranks, seed);
      p.delay_max = 40;
      (seed % 2 == 0 ? p.slow : p.stalled) = static_cast<rank_id>(seed / 2 % ranks);
      expect_counted(p, 2);
    }
  }
}

TEST_P(ClusterWorlds, CountByChunks) {
  const std::uint64_t seeds = leat_test::reps(100);
  for (const rank_id ranks : rank_counts) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      plan p = planned(ranks, seed);
      p.delay_max = static_cast<std::uint32_t>(seed % 50);
      p.shares.chunk = 1 + seed % 4;
      p.shares.threshold = p.shares.chunk + 1 + seed % 3;
      expect_counted(p, 2);
    }
  }
}

TEST_P(ClusterWorlds, CountWhereRanksShareNodes) {
  using leat::ranks::victim_order;
  const std::uint64_t seeds = leat_test::reps(100);
  std::uint64_t inside = 0, outside = 0;
  for (const rank_id ranks : rank_counts) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      plan p = planned(ranks, seed);
      p.delay_max = static_cast<std::uint32_t>(seed % 50);
      p.attempts = static_cast<std::uint32_t>(seed % 5);
      p.victims.node_of = leat::ranks::nodes_in_a_row(ranks, static_cast<rank_id>(2 + seed % 3));
      p.victims.order = std::vector{victim_order::last, victim_order::ring, victim_order::random}[seed / 3 % 3];
      p.victims.prefetch = seed % 2 == 0 ? victim_order::ring : victim_order::random;
      SCOPED_TRACE(std::string(p.engine) + ", ranks " + std::to_string(p.ranks) + ", seed " + std::to_string(p.seed));
      world_runs world(p);
      const twig root{p.seed * 31, 0};
      for (const auto& result : world.run(root, one_node)) ASSERT_EQ(result, leat_test::count_twigs(root));
      ASSERT_EQ(world.total(leat::rank_event::steals_inside) + world.total(leat::rank_event::steals_outside),
                world.total(leat::rank_event::answers_work));
      inside += world.total(leat::rank_event::steals_inside);
      outside += world.total(leat::rank_event::steals_outside);
    }
  }
  EXPECT_GT(inside, seeds);
  EXPECT_GT(outside, seeds);
}

TEST_P(ClusterWorlds, CountOnManyRanks) { expect_counted(planned(64, 3), 2); }

TEST_P(ClusterWorlds, WorkMovesBetweenRanks) {
  std::uint64_t moved = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    world_runs world(planned(3, seed));
    (void)world.run({seed, 0}, one_node);
    moved += world.total(leat::rank_event::tasks_given);
  }
  EXPECT_GT(moved, 20U);
}

TEST_P(ClusterWorlds, AnExceptionEndsTheRunOnAllRanksAndTheNextRunIsRight) {
  const std::uint64_t seeds = leat_test::reps(100);
  for (const rank_id ranks : rank_counts) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      plan p = planned(ranks, seed);
      p.delay_max = static_cast<std::uint32_t>(seed % 50);
      SCOPED_TRACE(std::string(p.engine) + ", ranks " + std::to_string(ranks) + ", seed " + std::to_string(seed));
      world_runs world(p);
      const twig root{seed, 0};
      std::uint64_t left = 1 + seed % leat_test::count_twigs(root);
      std::optional<rank_id> failed;
      const auto fails = [&](rank_id r, const twig& t, const std::function<void(twig)>& emit) {
        if (--left == 0) {
          failed = r;
          throw std::runtime_error("no more");
        }
        return one_node(r, t, emit);
      };
      for (const auto& result : world.run(root, fails)) ASSERT_FALSE(result);
      ASSERT_TRUE(failed);
      const std::string told = "leat::cluster: rank " + std::to_string(*failed) + " failed: no more";
      for (rank_id r = 0; r < ranks; ++r) EXPECT_EQ(world.thrown[r], r == *failed ? "no more" : told);
      for (const auto& result : world.run(root, one_node)) ASSERT_EQ(result, leat_test::count_twigs(root));
    }
  }
}

TEST_P(ClusterWorlds, AllRanksMayFailAtOnce) {
  world_runs world(planned(4, 9));
  const auto fails = [](rank_id, const twig&, const auto&) -> std::uint64_t { throw std::runtime_error("each"); };
  for (const auto& result : world.run({5, 0}, fails)) EXPECT_FALSE(result);
}

INSTANTIATE_TEST_SUITE_P(Engines, ClusterWorlds, testing::Values("messages", "rma", "two-sided"),
                         [](const auto& engine) { return leat_test::name_of_engine(engine.param); });

}  // namespace
