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

TEST(least_times, need_the_same_computation) {
  stream s;
  s.named().add(run).add(strand, {100}).add(run_end);
  EXPECT_THAT(why_not(fork_of(1, 2, 3, 4), read({s})), HasSubstr("at operation 0"));
  stream waiting;
  waiting.named().add(run).add(begin_fork, {0, 1}).add(branch).add(join).add(barrier).add(run_end);
  EXPECT_THAT(why_not(fork_of(1, 2, 3, 4), read({waiting})), HasSubstr("at operation 3"));
  EXPECT_THAT(why_not(loop_of(40, {{40, 1}}), loop_of(30, {{30, 1}})), HasSubstr("30 iterations in its loop 0"));
  EXPECT_THAT(why_not(fork_of(1, 2, 3, 4), loop_of(30, {{30, 1}})), HasSubstr("it has 1 loops, and the first one 0"));
}

}  // namespace
