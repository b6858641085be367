// The bound that ranks share: one rank, ranks on threads, ranks stepped in worlds drawn from seeds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cluster_world.hpp"
#include "leat/cluster.hpp"
#include "leat/cluster/local_world.hpp"
#include "leat/cluster/rank_run.hpp"

namespace {

using leat::bound_goal;
using leat::shared_bound;
using leat_test::plan;
using leat_test::rank_id;
using leat_test::twig;

constexpr std::int64_t worst = -1;

// What a leaf or a node of a tree of twigs is worth: no more than what its seed says.
std::int64_t worth(const twig& t) { return static_cast<std::int64_t>(t.seed >> 44); }

struct best_twig {
  std::int64_t value = worst;
  std::uint64_t seed = 0;
  std::uint64_t expanded = 0;
};

best_twig better_twig(const best_twig& a, const best_twig& b) {
  best_twig best = a.value >= b.value ? a : b;
  best.expanded = a.expanded + b.expanded;
  return best;
}

std::int64_t value_of(const best_twig& b) { return b.value; }

std::int64_t best_serially(const twig& t) {
  std::int64_t best = worth(t);
  leat_test::grow(t, [&](const twig& child) { best = std::max(best, best_serially(child)); });
  return best;
}

// A twig improves the bound by what it is worth, and returns itself. It reads the bound, but cannot prune: children may
// be worth anything.
best_twig judge(shared_bound& bound, const twig& t, const std::function<void(twig)>& emit) {
  leat_test::grow(t, emit);
  const std::int64_t value = worth(t);
  if (!bound.improve(value)) return {worst, 0, 1};
  return {value, t.seed, 1};
}

TEST(SharedBound, OnlyImproves) {
  shared_bound most(bound_goal::maximum, 3);
  EXPECT_FALSE(most.improve(3));
  EXPECT_FALSE(most.improve(-7));
  EXPECT_TRUE(most.improve(4));
  EXPECT_EQ(most.read(), 4);
  shared_bound least(bound_goal::minimum, 3);
  EXPECT_FALSE(least.improve(4));
  EXPECT_TRUE(least.improve(-7));
  EXPECT_EQ(least.read(), -7);
  least.reset();
  EXPECT_EQ(least.read(), 3);
}

TEST(SharedBound, IsImprovedByAllThreadsAtOnce) {
  constexpr std::int64_t last = 20'000;
  shared_bound most(bound_goal::maximum, 0);
  std::vector<leat::platform::native::thread> threads;
  for (std::int64_t first = 1; first <= 3; ++first) {
    threads.emplace_back([&most, first] {
      for (std::int64_t value = first; value <= last; value += 3) {
        most.improve(value);
        EXPECT_GE(most.read(), value);
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(most.read(), last);
}

// Ranks of a world that share a bound, stepped by one thread.
class bounded_world {
 public:
  using call = std::function<best_twig(const twig&, const std::function<void(twig)>&)>;

  explicit bounded_world(const plan& p) : plan_(p), world_(p.ranks, {p.seed, p.delay_max}) {
    for (rank_id r = 0; r < p.ranks; ++r) {
      ranks_.push_back(std::make_unique<leat_test::stepped_rank>(world_, r, p));
      bounds_.push_back(std::make_unique<shared_bound>(bound_goal::maximum, worst));
    }
  }

  // Each rank's result; nothing for a rank that threw. `fails` may throw, of a rank and a twig.
  std::vector<std::optional<best_twig>> run(const twig& root, const std::function<void(rank_id, const twig&)>& fails) {
    struct one {
      call expand;
      decltype(&better_twig) combine = &better_twig;
      std::optional<run_type> r;
    };
    std::vector<one> all(plan_.ranks);
    for (rank_id r = 0; r < plan_.ranks; ++r) {
      all[r].expand = [&, r](const twig& t, const std::function<void(twig)>& emit) {
        best_twig found = judge(*bounds_[r], t, emit);
        fails(r, t);
        return found;
      };
      all[r].r.emplace(ranks_[r]->begin(), best_twig{}, all[r].expand, all[r].combine);
      all[r].r->share(*bounds_[r], &value_of);
    }
    all[plan_.seed % plan_.ranks].r->add_root(root);
    leat_test::turns next(plan_);
    std::vector<bool> over(plan_.ranks);
    std::size_t left = plan_.ranks;
    for (std::uint64_t step = 0; left != 0; ++step) {
      constexpr std::uint64_t steps_max = 4'000'000;
      if (step == steps_max) throw std::runtime_error("hung");
      const rank_id r = next.next();
      if (!over[r] && all[r].r->step()) {
        over[r] = true;
        --left;
      }
    }
    std::vector<std::optional<best_twig>> results(plan_.ranks);
    for (rank_id r = 0; r < plan_.ranks; ++r) {
      try {
        results[r] = all[r].r->take_result();
      } catch (const std::exception& e) {
        thrown = e.what();
      }
    }
    return results;
  }

  const shared_bound& bound(rank_id r) const { return *bounds_[r]; }

  std::string thrown;

 private:
  using run_type = leat::ranks::rank_run<leat::platform::chosen, twig, best_twig, call, decltype(&better_twig)>;

  plan plan_;
  leat::ranks::local_world world_;
  std::vector<std::unique_ptr<leat_test::stepped_rank>> ranks_;
  std::vector<std::unique_ptr<shared_bound>> bounds_;
};

class SharedBounds : public testing::TestWithParam<const char*> {
 protected:
  leat::cluster_options options() const { return {.engine = GetParam(), .poll_us = 5}; }
  plan planned(rank_id ranks, std::uint64_t seed) const {
    plan p;
    p.engine = GetParam();
    p.ranks = ranks;
    p.seed = seed;
    p.delay_max = static_cast<std::uint32_t>(seed % 40);
    return p;
  }
};

void no_failure(rank_id, const twig&) {}

TEST_P(SharedBounds, EndWithTheBestInWorlds) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    const plan p = planned(static_cast<rank_id>(1 + seed % 6), seed);
    bounded_world world(p);
    for (std::uint64_t run = 0; run < 2; ++run) {
      const twig root{seed * 31 + run, 0};
      const std::int64_t best = best_serially(root);
      for (const auto& result : world.run(root, no_failure)) {
        ASSERT_TRUE(result) << world.thrown;
        ASSERT_EQ(result->value, best);
        ASSERT_EQ(result->expanded, leat_test::count_twigs(root));
      }
      for (rank_id r = 0; r < p.ranks; ++r) ASSERT_LE(world.bound(r).read(), best);
    }
  }
}

// A rank that has no better solution of its own hears of that of another rank, however far it is in the tree of ranks.
TEST_P(SharedBounds, ReachAllRanks) {
  constexpr rank_id ranks = 7;
  constexpr std::int64_t value = 42;
  for (rank_id finder = 0; finder < ranks; ++finder) {
    leat::ranks::local_world world(ranks, {finder + 1, 3});
    std::vector<leat::platform::native::thread> threads;
    for (rank_id r = 0; r < ranks; ++r) {
      threads.emplace_back([&, r] {
        leat::cluster on(world.end_of(r), options());
        shared_bound bound(bound_goal::minimum, 1000);
        // Each rank has one root, and works until it has heard. A task that emits itself lets the rank poll.
        const auto expand = [&](rank_id of, auto&& emit) {
          if (on.rank() == finder) bound.improve(value);
          if (bound.read() != value) emit(of);
          return on.rank() == finder ? value : 1000;
        };
        const auto least = [](std::int64_t a, std::int64_t b) { return std::min(a, b); };
        const std::vector<rank_id> roots(ranks, 0);
        const auto same = [](std::int64_t v) { return v; };
        EXPECT_EQ(on.run(roots, std::int64_t{1000}, expand, least, bound, same), value);
      });
    }
    for (auto& t : threads) t.join();
  }
}

// A run that fails takes its results away, and with them the solutions of its bound. The next one prunes by none of them.
TEST_P(SharedBounds, OfARunThatFailedAreForgotten) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    const plan p = planned(static_cast<rank_id>(2 + seed % 4), seed);
    const twig rich{seed * 31, 0};
    const twig poor{seed * 17 + 3, 0};
    const std::int64_t best = best_serially(rich);
    bounded_world world(p);
    // The rank that finds the best twig has improved the bound, and dies with its result.
    const auto fails = [&](rank_id, const twig& t) {
      if (worth(t) == best) throw std::runtime_error("the mill stands still");
    };
    for (const auto& result : world.run(rich, fails)) ASSERT_FALSE(result);
    EXPECT_THAT(world.thrown, testing::HasSubstr("the mill stands still"));
    const std::int64_t best_of_poor = best_serially(poor);
    for (const auto& result : world.run(poor, no_failure)) {
      ASSERT_TRUE(result) << world.thrown;
      ASSERT_EQ(result->value, best_of_poor);
    }
    for (rank_id r = 0; r < p.ranks; ++r) ASSERT_LE(world.bound(r).read(), best_of_poor);
  }
}

// A clock that goes on by a microsecond whenever it is read, so that cuts do not depend on how fast the machine is.
struct ticking : leat::platform::chosen {
  static std::uint64_t now_ns() noexcept { return ticks += 1000; }
  static inline std::uint64_t ticks = 0;
};

// A branch and bound: a twig is higher than its parent by up to 100, and the highest is sought.
struct climb {
  twig at;
  std::int64_t height;
};

constexpr std::int64_t rise_max = 100;
constexpr std::int64_t depth_max = 9;  // of twigs

climb above(const climb& from, const twig& child) {
  return {child, from.height + static_cast<std::int64_t>(child.seed % (rise_max + 1))};
}

std::int64_t highest_serially(const climb& c) {
  std::int64_t highest = c.height;
  leat_test::grow(c.at, [&](const twig& child) { highest = std::max(highest, highest_serially(above(c, child))); });
  return highest;
}

best_twig search(shared_bound& bound, const climb& c, const std::function<void(climb)>& emit) {
  best_twig found{worst, 0, 1};
  if (bound.improve(c.height)) found = {c.height, c.at.seed, 1};
  if (c.height + rise_max * (depth_max - c.at.depth) > bound.read()) {
    leat_test::grow(c.at, [&](const twig& child) { emit(above(c, child)); });
  }
  return found;
}

// One run of a world whose ranks climb, keep snapshots as often as they can, and may be cut off.
class climbing_run {
 public:
  climbing_run(const plan& p, const leat::snapshots& keep, const climb& root)
      : plan_(p), world_(p.ranks, {p.seed, p.delay_max}) {
    for (rank_id r = 0; r < p.ranks; ++r) {
      ranks_.push_back(std::make_unique<leat_test::stepped_rank>(world_, r, p));
      bounds_.push_back(std::make_unique<shared_bound>(bound_goal::maximum, worst));
      calls_.push_back([&b = *bounds_.back()](const climb& c, const std::function<void(climb)>& emit) {
        return search(b, c, emit);
      });
    }
    for (rank_id r = 0; r < p.ranks; ++r) {
      leat::ranks::rank_parts parts = ranks_[r]->begin();
      parts.keep = keep;
      runs_.push_back(std::make_unique<run_type>(parts, best_twig{}, calls_[r], combine_));
      runs_.back()->share(*bounds_[r], &value_of);
      if (keep.resume) runs_.back()->resume();
    }
    if (!keep.resume) runs_[p.seed % p.ranks]->add_root(root);
  }

  // Whether it is over after so many steps.
  bool over_after(std::uint64_t steps) {
    leat_test::turns next(plan_);
    std::vector<bool> over(plan_.ranks);
    for (std::size_t left = plan_.ranks; left != 0; --steps) {
      if (steps == 0) return false;
      const rank_id r = next.next();
      if (!over[r] && runs_[r]->step()) {
        over[r] = true;
        --left;
      }
    }
    return true;
  }

  best_twig result(rank_id r) { return runs_[r]->take_result(); }
  std::int64_t bound(rank_id r) const { return bounds_[r]->read(); }
  std::uint64_t snapshots() const { return ranks_.front()->counters()[leat::rank_event::snapshots]; }

 private:
  using call = std::function<best_twig(const climb&, const std::function<void(climb)>&)>;
  using run_type = leat::ranks::rank_run<ticking, climb, best_twig, call, decltype(&better_twig)>;

  plan plan_;
  leat::ranks::local_world world_;
  decltype(&better_twig) combine_ = &better_twig;
  std::vector<std::unique_ptr<leat_test::stepped_rank>> ranks_;
  std::vector<std::unique_ptr<shared_bound>> bounds_;
  std::vector<call> calls_;
  std::vector<std::unique_ptr<run_type>> runs_;
};

// Runs are cut off at any step, with all that ranks have found and told since the last snapshot. The run that goes on
// prunes by what the snapshot holds, and by nothing else, and finds the highest twig.
TEST_P(SharedBounds, AreThoseOfTheSnapshotThatARunGoesOnWith) {
  constexpr std::uint64_t steps_max = 4'000'000;
  const std::string file = testing::TempDir() + "leat_bound_" + GetParam();
  std::uint64_t went_on = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    std::filesystem::remove(file);
    climb root{{seed * 1000, 0}, 0};
    while (leat_test::count_twigs(root.at) < 300) ++root.at.seed;  // so that there is something left to cut off
    const std::int64_t highest = highest_serially(root);
    leat::snapshots keep{.file = file, .every_us = 40 + seed % 20, .resume = false, .name = "a climb"};
    climbing_run lost(planned(static_cast<rank_id>(1 + seed % 4), seed), keep, root);
    const bool over = lost.over_after(200 + seed * 37 % 1000);
    if (lost.snapshots() == 0 || over) continue;
    ++went_on;
    keep.resume = true;
    keep.every_us = 0;
    const auto ranks = static_cast<rank_id>(1 + seed % 3);
    climbing_run rest(planned(ranks, seed + 1), keep, root);
    const std::int64_t kept = rest.bound(0);
    ASSERT_TRUE(kept <= highest && rest.over_after(steps_max));
    for (rank_id r = 0; r < ranks; ++r) ASSERT_EQ(rest.result(r).value, highest);
    ASSERT_GE(rest.bound(0), kept);
  }
  EXPECT_GE(went_on, 5U);
  std::filesystem::remove(file);
}

// What was found before a snapshot prunes after it: rank 0 knows it before it has a task.
TEST_P(SharedBounds, BeginWithWhatTheSnapshotHolds) {
  const std::string file = testing::TempDir() + "leat_bound_kept_" + GetParam();
  leat::ranks::snapshot s{"a climb", {}, {}};
  leat::packing<best_twig>::pack({77, 7, 5}, s.result);
  leat::ranks::write(file, s);
  climbing_run rest(planned(2, 1), {.file = file, .every_us = 0, .resume = true, .name = "a climb"}, {});
  EXPECT_EQ(rest.bound(0), 77);
  EXPECT_EQ(rest.bound(1), worst);
  EXPECT_TRUE(rest.over_after(100'000));
  EXPECT_EQ(rest.result(1).value, 77);
  std::filesystem::remove(file);
}

TEST(SharedBound, MustBeOfSomeResult) {
  leat::cluster on;
  shared_bound bound(bound_goal::maximum, 0);
  const auto forgets = [&](int value, auto&&) {
    bound.improve(value);
    return 1;
  };
  const auto same = [](int v) { return v; };
  const auto most = [](int a, int b) { return std::max(a, b); };
  try {
    (void)on.run(std::array{1, 9, 5}, 0, forgets, most, bound, same);
    ADD_FAILURE() << "no result has 9";
  } catch (const std::logic_error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("the bound is 9, but the result stands for 1"));
  }
  const auto holds = [&](int value, auto&&) {
    bound.improve(value);
    return value;
  };
  EXPECT_EQ(on.run(std::array{1, 7, 5}, 0, holds, most, bound, same), 7);
}

INSTANTIATE_TEST_SUITE_P(Engines, SharedBounds, testing::Values("messages", "rma", "two-sided"),
                         [](const auto& engine) { return leat_test::name_of_engine(engine.param); });

}  // namespace
