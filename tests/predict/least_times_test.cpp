#include "least_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "work_and_span.hpp"
#include "written.hpp"

namespace {

using namespace leat_predict;
using leat::sim::recording;
using leat::sim::strand_code;
using leat::sim::take_least_times;
using testing::ElementsAre;
using testing::HasSubstr;

// A fork between two strands. A strand that takes no time is not recorded.
recording fork_of(std::uint64_t before, std::uint64_t first, std::uint64_t second, std::uint64_t after) {
  stream s;
  s.named().add(run).add(strand, {before}).add(begin_fork, {0, 1}).add(strand, {first}).add(branch);
  s.add(strand, {second}).add(join).add(strand, {after}).add(run_end);
  return read({s});
}

std::vector<std::uint64_t> strands_of(const recording& r) {
  std::vector<std::uint64_t> all;
  for (const auto word : r.words)
    if (word.code() == strand_code::strand) all.push_back(word.payload());
  return all;
}

std::string why_not(recording first, const recording& again) {
  try {
    take_least_times(first, again);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "taken";
}

TEST(least_times, are_those_of_each_strand) {
  recording r = fork_of(100, 20, 3000, 7);
  take_least_times(r, fork_of(90, 25, 30, 8));
  EXPECT_THAT(strands_of(r), ElementsAre(90, 20, 30, 7));
  EXPECT_EQ(walk(r).whole.work_ns, 147u);
  EXPECT_EQ(walk(r).whole.span_ns, 127u);
}

TEST(least_times, are_nothing_where_one_recording_has_no_strand) {
  recording r = fork_of(100, 20, 30, 7);
  take_least_times(r, fork_of(110, 0, 40, 0));
  EXPECT_EQ(walk(r).whole.work_ns, 130u);
  recording fewer = fork_of(100, 0, 30, 7);
  take_least_times(fewer, fork_of(90, 20, 40, 6));
  EXPECT_THAT(strands_of(fewer), ElementsAre(90, 30, 6));
}

recording loop_of(std::uint64_t iterations,
                  const std::vector<std::pair<std::uint64_t, std::uint64_t>>& counts_and_costs) {
  stream s;
  s.named().add(run).add(loop, {4, 0, iterations});
  std::uint64_t first = 0;
  for (const auto& [count, cost] : counts_and_costs) {
    s.add(block, {4, first, count, cost});
    first += count;
  }
  s.add(loop_end, {4}).add(run_end);
  return read({s});
}

TEST(least_times, are_those_of_blocks_of_iterations) {
  recording r = loop_of(40, {{10, 100}, {20, 5000}, {10, 100}});
  take_least_times(r, loop_of(40, {{20, 400}, {20, 300}}));
  ASSERT_EQ(r.blocks.size(), 3u);
  EXPECT_EQ(r.blocks[0].cost, 100u);
  EXPECT_EQ(r.blocks[1].cost, 350u);
  EXPECT_EQ(r.blocks[2].cost, 100u);
}

TEST(least_times, are_not_those_of_iterations_that_are_missing) {
  recording r = loop_of(40, {{10, 100}, {30, 900}});
  take_least_times(r, loop_of(40, {{20, 100}}));
  EXPECT_EQ(r.blocks[0].cost, 50u);
  EXPECT_EQ(r.blocks[1].cost, 900u);
}

TEST(least_times, of_work_beside_the_iterations_stay) {
  recording r = loop_of(40, {{0, 700}, {40, 900}});
  take_least_times(r, loop_of(40, {{0, 20}, {40, 1000}}));
  EXPECT_EQ(r.blocks[0].cost, 700u);
  EXPECT_EQ(r.blocks[1].cost, 900u);
}

TEST(least_times, are_those_of_calls_that_block_and_of_parts_outside_of_runs) {
  const auto program = [](std::uint64_t outside, std::uint64_t blocked) {
    stream s;
    s.named().add(strand, {outside}).add(run).add(blocking, {blocked}).add(run_end);
    return read({s});
  };
  recording r = program(50, 7000);
  take_least_times(r, program(60, 400));
  EXPECT_EQ(walk(r).whole.outside_ns, 50u);
  EXPECT_EQ(walk(r).whole.blocking_ns, 400u);
}

TEST(least_times, are_those_of_sums) {
  const auto program = [](std::uint64_t work, std::uint64_t chain, std::uint64_t forks) {
    stream s;
    s.named().add(run).add(sums, {work, chain, 100, forks}).add(run_end);
    return read({s});
  };
  recording r = program(9000, 700, 40);
  take_least_times(r, program(8000, 600, 40));
  EXPECT_EQ(walk(r).whole.work_ns, 8000u);
  EXPECT_EQ(walk(r).whole.span_ns, 600u);
  EXPECT_THAT(why_not(r, program(7000, 7000, 0)),
              HasSubstr("forks and tasks in subtree 0: 0, and 40 in the first one"));
}

// Two tasks of different groups, which one worker executes in this order, or in the other.
recording tasks_of(const std::vector<std::uint64_t>& order, std::uint64_t group) {
  stream s;
  s.named().add(run).add(spawn, {0, group, 1}).add(spawn, {0, group, 2});
  s.add(wait_for, {group});
  for (const std::uint64_t task : order) s.add(segment, {task}).add(strand, {100 * task}).add(end);
  s.add(run_end);
  return read({s});
}

TEST(least_times, need_the_same_order_of_tasks) {
  EXPECT_EQ(why_not(tasks_of({1, 2}, 8), tasks_of({1, 2}, 8)), "taken");
  EXPECT_THAT(why_not(tasks_of({1, 2}, 8), tasks_of({2, 1}, 8)), HasSubstr("they differ from operation "));
}

TEST(least_times, need_the_same_computation) {
  stream s;
  s.named().add(run).add(strand, {100}).add(run_end);
  EXPECT_THAT(why_not(fork_of(1, 2, 3, 4), read({s})), HasSubstr("they differ from operation 0 on"));
  stream waiting;
  waiting.named().add(run).add(begin_fork, {0, 1}).add(branch).add(join).add(barrier).add(run_end);
  EXPECT_THAT(why_not(fork_of(1, 2, 3, 4), read({waiting})), HasSubstr("they differ from operation "));
  EXPECT_THAT(why_not(loop_of(40, {{40, 1}}), loop_of(30, {{30, 1}})),
              HasSubstr("iterations of loop 0: 30, and 40 in the first one"));
  EXPECT_THAT(why_not(fork_of(1, 2, 3, 4), loop_of(30, {{30, 1}})), HasSubstr("loops: 1, and 0 in the first one"));
  recording other = fork_of(1, 2, 3, 4);
  other.program = "q";
  EXPECT_THAT(why_not(fork_of(1, 2, 3, 4), other), HasSubstr("it is of 'q', and the first one of 'p'"));
}

}  // namespace
