// Ranks of several workers: all are busy, and other ranks get tasks of each of them (rules SEAT, RMA-4).
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "../cluster_world.hpp"
#include "cluster_of_workers.hpp"
#include "leat/cluster.hpp"
#include "leat/platform/simulated.hpp"

namespace {

using leat::platform::by_time;
using leat::platform::simulated;
using leat::ranks::rank_id;
using leat_test::on_ranks;
using leat_test::shape_of_cluster;

// Expands a tree, each task in so many nanoseconds. Tasks have so many children, but for those of depth 0.
auto full_tree(std::uint32_t children, double task_ns) {
  return [children, task_ns](const std::uint32_t& depth, auto&& emit) {
    simulated::work_ns(task_ns);
    for (std::uint32_t i = 0; depth != 0 && i != children; ++i) emit(depth - 1);
    return std::uint64_t{1};
  };
}

TEST(clusters, keep_workers_busy) {
  constexpr double task_ns = 1000;
  std::uint64_t nodes = 0;
  const auto seconds = [&](rank_id ranks, std::uint32_t workers, const char* engine) {
    by_time who;
    std::uint64_t spent = 0;
    shape_of_cluster s{ranks, {}};
    s.options.engine = engine;
    s.options.workers = workers;
    on_ranks(s, 0, who, [&](leat::cluster& on) {
      const auto expand = full_tree(3, task_ns);
      (void)on.reduce(0, std::plus<>{});
      const std::uint64_t begun = simulated::now_ns();
      const auto found = on.run(std::vector<std::uint32_t>{11}, std::uint64_t{0}, expand, std::plus<>{});
      if (on.rank() == 0) spent = simulated::now_ns() - begun, nodes = found;
    });
    return 1e-9 * static_cast<double>(spent);
  };
  for (const char* engine : {"messages", "rma"}) {
    for (const auto& [ranks, workers] : {std::pair<rank_id, std::uint32_t>{1, 1}, {1, 2}, {1, 12}, {2, 6}, {4, 3}}) {
      const double took = seconds(ranks, workers, engine);
      const double speedup = task_ns * 1e-9 * static_cast<double>(nodes) / took;
      EXPECT_GT(speedup, 0.85 * ranks * workers) << engine << ", " << ranks << " ranks of " << workers;
    }
  }
}

// SEAT-1: workers of a rank take open tasks of each other, and one alone has none to take them from.
TEST(clusters, take_what_other_workers_have_open) {
  for (const std::uint32_t workers : {1U, 3U}) {
    std::uint64_t takes = 0;
    by_time who;
    shape_of_cluster s{1, {}};
    s.options.poll_us = 1;
    s.options.workers = workers;
    on_ranks(s, 0, who, [&](leat::cluster& on) {
      const auto expand = full_tree(2, 1'000);
      EXPECT_EQ(on.run(std::vector<std::uint32_t>{10}, std::uint64_t{0}, expand, std::plus<>{}), 2047U);
      takes = on.counters()[leat::rank_event::open_takes];
    });
    EXPECT_EQ(takes == 0, workers == 1) << takes << " by " << workers;
  }
}

// RMA-4: the tasks of all workers of a rank count, so ranks of several workers ask ahead, too. Most of what they ask for is there.
TEST(clusters, ask_ahead_by_several_workers) {
  std::uint64_t asked = 0, met = 0;
  by_time who;
  shape_of_cluster s{2, {}};
  s.options.engine = "rma";
  s.options.workers = 3;
  on_ranks(s, 0, who, [&](leat::cluster& on) {
    // A path with short twigs: there is never much to do.
    const auto expand = [](const std::uint32_t& depth, auto&& emit) {
      simulated::work_ns(5'000);
      for (std::uint32_t i = 0; depth > 8 && i != 6; ++i) emit(8 - i);
      if (depth != 0) emit(depth - 1);
      return std::uint64_t{1};
    };
    (void)on.run(std::vector<std::uint32_t>{1000}, std::uint64_t{0}, expand, std::plus<>{});
    asked += on.counters()[leat::rank_event::prefetches];
    met += on.counters()[leat::rank_event::prefetches_met];
  });
  EXPECT_GT(asked, 10u);
  EXPECT_GT(met, asked / 2);
}

// SEAT-8: a rank gives of what all its workers have open, so an answer brings most of the workers of another rank something to do.
TEST(clusters, share_what_all_workers_have) {
  constexpr std::uint32_t workers = 6;
  for (const char* engine : {"messages", "rma"}) {
    std::uint64_t given = 0, answers = 0;
    by_time who;
    shape_of_cluster s{4, {}};
    s.options.engine = engine;
    s.options.workers = workers;
    on_ranks(s, 0, who, [&](leat::cluster& on) {
      const auto expand = full_tree(3, 5'000);
      (void)on.run(std::vector<std::uint32_t>{9}, std::uint64_t{0}, expand, std::plus<>{});
      given += on.counters()[leat::rank_event::tasks_given];
      answers += on.counters()[leat::rank_event::answers_work];
    });
    EXPECT_GT(answers, 10u) << engine;
    EXPECT_GT(2 * given, workers * answers) << engine;
  }
}

// The first worker of rank 0 is in a long task from the beginning on. Returns how many tasks went to another rank. They can
// go only until the other worker has expanded all short ones.
std::uint64_t given_beside_a_long_task(const char* engine, bool any_thread) {
  constexpr std::uint32_t first = 1000, long_one = 1001;
  constexpr std::uint64_t long_ns = 100'000'000, short_ns = 10'000;
  std::uint64_t given = 0;
  by_time who;
  shape_of_cluster s{2, {}, any_thread};
  s.options.engine = engine;
  s.options.workers = 2;
  on_ranks(s, 0, who, [&](leat::cluster& on) {
    // A path with twigs, which takes 60 ms.
    const auto expand = [](const std::uint32_t& task, auto&& emit) {
      simulated::work_ns(task == long_one ? long_ns : short_ns);
      if (task == first) {
        emit(300);
        emit(long_one);  // the newest, which the first worker takes next
      } else if (task != long_one && task != 0) {
        for (std::uint32_t i = 0; i != 20; ++i) emit(0);
        emit(task - 1);
      }
      return std::uint64_t{1};
    };
    EXPECT_EQ(on.run(std::vector<std::uint32_t>{first}, std::uint64_t{0}, expand, std::plus<>{}), 2u + 300 * 21 + 1);
    given += on.counters()[leat::rank_event::tasks_given];
  });
  return given;
}

// SEAT-5
TEST(clusters, answer_while_the_first_worker_is_in_a_long_task) {
  for (const char* engine : {"messages", "rma", "two-sided"}) {
    EXPECT_GT(given_beside_a_long_task(engine, true), 1000u) << engine;
    EXPECT_EQ(given_beside_a_long_task(engine, false), 0u) << engine;
  }
}

}  // namespace
