// Clusters whose ranks have several workers: every rank a thread of the world with workers of its own, in schedules
// drawn from seeds.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../cluster_world.hpp"
#include "cluster_of_workers.hpp"
#include "drawn_world.hpp"
#include "leat/cluster.hpp"
#include "leat/cluster/local_world.hpp"
#include "leat/fork_join.hpp"
#include "leat/platform/simulated.hpp"
#include "leat/task_group.hpp"

namespace {

using leat::platform::at_random;
using leat::platform::by_time;
using leat::platform::simulated;
using leat::platform::simulation;
using leat::ranks::rank_id;
using leat_test::drawn;
using leat_test::on_ranks;
using leat_test::shape_of_cluster;
using leat_test::text;
using leat_test::twig;

std::uint64_t seeds() { return static_cast<std::uint64_t>(leat_test::reps(400)); }

// A tree of some size, and what is in it.
twig root_of(std::uint64_t seed) {
  constexpr std::uint64_t nodes_min = 50, nodes_max = 1000;
  twig root{seed * 1000, 0};
  for (std::uint64_t nodes = 0; nodes < nodes_min || nodes > nodes_max; nodes = leat_test::count_twigs(root))
    ++root.seed;
  return root;
}

TEST(clusters, count_trees_by_several_workers) {
  leat_test::have_worlds_fail();
  std::uint64_t takes = 0;
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    const shape_of_cluster s = drawn(seed);
    const twig root = root_of(seed);
    const std::uint64_t expected = leat_test::count_twigs(root);
    on_ranks(s, seed, [&](leat::cluster& on) {
      const auto expand = [](const twig& t, auto&& emit) {
        leat_test::grow(t, emit);
        // Some tasks fork: what for is all the same.
        const auto [a, b] = leat::fork_join([] { return std::uint64_t{1}; }, [&] { return t.seed % 2; });
        return a + b - t.seed % 2;
      };
      for (int run = 0; run < 2; ++run) {
        const auto found = on.run(std::vector{root}, std::uint64_t{0}, expand, std::plus<>{});
        if (found != expected)
          throw std::logic_error("found " + std::to_string(found) + " of " + std::to_string(expected));
      }
      takes += on.counters()[leat::rank_event::open_takes];
    });
    if (HasFailure()) return;
  }
  EXPECT_GT(takes, seeds()) << "no worker took tasks of another";
}

// A task that waits for any other takes no seat meanwhile, nor does the first worker.
TEST(clusters, count_trees_of_tasks_that_wait_for_any) {
  leat_test::have_worlds_fail();
  for (std::uint64_t seed = 1; seed <= seeds() / 4; ++seed) {
    const twig root = root_of(seed);
    const std::uint64_t expected = leat_test::count_twigs(root);
    on_ranks(drawn(seed), seed, [&](leat::cluster& on) {
      const auto expand = [](const twig& t, auto&& emit) {
        leat_test::grow(t, emit);
        std::uint64_t spawned = 0;
        leat::task_group g;
        g.spawn([&spawned] { spawned = 1; });
        g.wait(leat::wait::any);
        return spawned;
      };
      const auto found = on.run(std::vector{root}, std::uint64_t{0}, expand, std::plus<>{});
      if (found != expected)
        throw std::logic_error("found " + std::to_string(found) + " of " + std::to_string(expected));
    });
    if (HasFailure()) return;
  }
}

TEST(clusters, let_exceptions_of_workers_out_on_every_rank) {
  leat_test::have_worlds_fail();
  for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
    const shape_of_cluster s = drawn(seed);
    const twig root = root_of(seed);
    on_ranks(s, seed, [&](leat::cluster& on) {
      const auto expand = [&](const twig& t, auto&& emit) -> std::uint64_t {
        if (t.depth == 4) throw std::out_of_range("depth 4");
        leat_test::grow(t, emit);
        return 1;
      };
      bool thrown = false;
      try {
        (void)on.run(std::vector{root}, std::uint64_t{0}, expand, std::plus<>{});
      } catch (const std::out_of_range&) {
        thrown = true;
      } catch (const leat::rank_failed& e) {
        thrown = std::string(e.what()).find("depth 4") != std::string::npos;
      }
      if (!thrown) throw std::logic_error("nothing was thrown");
      if (on.reduce(1, std::plus<>{}) != static_cast<int>(on.ranks())) throw std::logic_error("not all ranks go on");
    });
    if (HasFailure()) return;
  }
}

// A run goes on while it is cut, and another, of other ranks and workers, with what the last cut has kept.
TEST(clusters, are_cut_and_gone_on_with) {
  leat_test::have_worlds_fail();
  std::uint64_t cuts = 0;
  leat::snapshots keep{.file = testing::TempDir() + "clusters_test." + std::to_string(getpid()), .every_us = 1};
  for (std::uint64_t seed = 1; seed <= seeds() / 8; ++seed) {
    const twig root = root_of(seed);
    const std::uint64_t expected = leat_test::count_twigs(root);
    std::filesystem::remove(keep.file);
    for (keep.resume = false;; keep.resume = true) {
      const std::uint64_t drawn_from = seed + (keep.resume ? seeds() : 0);
      on_ranks(drawn(drawn_from), drawn_from, [&](leat::cluster& on) {
        const auto expand = [](const twig& t, auto&& emit) {
          leat_test::grow(t, emit);
          return std::uint64_t{1};
        };
        const auto found = on.run(std::vector{root}, std::uint64_t{0}, expand, std::plus<>{}, keep);
        if (found != expected)
          throw std::logic_error("found " + std::to_string(found) + " of " + std::to_string(expected));
        cuts += on.counters()[leat::rank_event::snapshots];
      });
      if (HasFailure() || keep.resume || !std::filesystem::exists(keep.file)) break;
    }
    if (HasFailure()) break;
  }
  std::filesystem::remove(keep.file);
  if (HasFailure()) return;
  EXPECT_GT(cuts, seeds() / 8);
}

// What cluster::show_progress showed on a rank of a run that began then: when, and how many tasks.
struct seen {
  std::uint64_t begun_ns = 0;
  std::vector<std::uint64_t> at_ns, tasks;
};

// So many have memory, which is not to be the world's, as that ends with it.
constexpr std::size_t calls_max = 1000;

// Rank 0 has all the work, and the other asks in vain: a path, each task of which is the only one.
std::array<seen, 2> seen_of_a_path(const shape_of_cluster& s, std::uint64_t tasks, std::uint64_t task_ns,
                                   std::uint64_t every_us) {
  std::array<seen, 2> all;
  for (seen& of : all) of.at_ns.reserve(calls_max), of.tasks.reserve(calls_max);
  by_time who;
  on_ranks(s, 0, who, [&](leat::cluster& on) {
    const auto expand = [&](const std::uint64_t& left, auto&& emit) {
      simulated::work_ns(static_cast<double>(task_ns));
      if (left != 1) emit(left - 1);
      return std::uint64_t{1};
    };
    seen& mine = all.at(on.rank());
    on.show_progress(every_us, [&mine](const leat::rank_counters& c) {
      if (mine.at_ns.size() == calls_max) throw std::length_error("more calls than there is time for");
      mine.at_ns.push_back(simulated::now_ns());
      mine.tasks.push_back(c[leat::rank_event::tasks]);
    });
    mine.begun_ns = simulated::now_ns();
    const auto found = on.run(std::vector{tasks}, std::uint64_t{0}, expand, std::plus<>{});
    if (found != tasks) throw std::logic_error("found " + std::to_string(found));
    if (mine.tasks.empty() || mine.tasks.back() != on.counters()[leat::rank_event::tasks])
      throw std::logic_error("the last call does not show what this rank has expanded");
  });
  return all;
}

TEST(clusters, show_progress_in_time) {
  leat_test::have_worlds_fail();
  constexpr std::uint64_t every_us = 100, task_ns = 7'000, tasks = 2'000, slack_ns = 30'000;
  shape_of_cluster s{2, {}};
  s.options.poll_us = 5;
  for (const char* engine : {"messages", "rma", "two-sided"}) {
    for (const std::uint32_t workers : {1U, 3U}) {
      s.options.engine = engine;
      s.options.workers = workers;
      std::uint64_t tasks_of_all = 0;
      for (const seen& of : seen_of_a_path(s, tasks, task_ns, every_us)) {
        const std::string where = text(s) + ", call " + std::to_string(of.at_ns.size());
        ASSERT_GT(of.at_ns.size(), tasks * task_ns / (1000 * every_us + slack_ns)) << where;
        EXPECT_TRUE(std::ranges::is_sorted(of.tasks)) << where;
        std::uint64_t before_ns = of.begun_ns;
        for (const std::uint64_t at_ns : of.at_ns) {
          EXPECT_LT(at_ns - before_ns, 1000 * every_us + slack_ns) << where;
          EXPECT_TRUE(at_ns - before_ns >= 1000 * every_us || at_ns == of.at_ns.back()) << where;
          before_ns = at_ns;
        }
        // With one worker, each call shows all tasks of up to then.
        const std::uint64_t halfway = of.tasks[of.tasks.size() / 2];
        EXPECT_TRUE(workers != 1 || of.tasks.back() == 0 || (halfway > 0.45 * tasks && halfway < 0.55 * tasks))
            << where;
        tasks_of_all += of.tasks.back();
      }
      EXPECT_EQ(tasks_of_all, tasks) << text(s);
    }
  }
}

TEST(clusters, fail_on_every_rank_by_what_showing_throws) {
  leat_test::have_worlds_fail();
  for (std::uint64_t seed = 1; seed <= seeds() / 2; ++seed) {
    const shape_of_cluster s = drawn(seed);
    const twig root = root_of(seed);
    on_ranks(s, seed, [&](leat::cluster& on) {
      const auto expand = [](const twig& t, auto&& emit) {
        leat_test::grow(t, emit);
        return std::uint64_t{1};
      };
      std::uint64_t calls_left = seed % 5;
      bool failed = false, called_after = false;
      // Calls in the middle, or the last one alone.
      const std::uint64_t every_us = seed % 2 == 0 ? 1 : UINT64_MAX;
      if (every_us == UINT64_MAX) calls_left = 0;
      on.show_progress(every_us, [&](const leat::rank_counters&) {
        called_after = called_after || failed;
        if (on.rank() == seed % s.ranks && calls_left-- == 0) {
          failed = true;
          throw std::out_of_range("the pen is empty");
        }
      });
      std::string thrown;
      try {
        (void)on.run(std::vector{root}, std::uint64_t{0}, expand, std::plus<>{});
      } catch (const std::exception& e) {
        thrown = e.what();
      }
      // A run may end before so many calls.
      const bool all_fail = on.reduce(!thrown.empty(), std::logical_and<>{});
      const bool any_fails = on.reduce(!thrown.empty(), std::logical_or<>{});
      if (all_fail != any_fails) throw std::logic_error("not all ranks fail");
      if (called_after) throw std::logic_error("a call after the failure");
      if (every_us == UINT64_MAX && !all_fail) throw std::logic_error("nothing was thrown");
      if (failed != (thrown == "the pen is empty")) throw std::logic_error("thrown: " + thrown);
      on.show_progress(0, {});
      if (on.run(std::vector{root}, std::uint64_t{0}, expand, std::plus<>{}) != leat_test::count_twigs(root))
        throw std::logic_error("a wrong count after a failure");
    });
    if (HasFailure()) return;
  }
}

}  // namespace
