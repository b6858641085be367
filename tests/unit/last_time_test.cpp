// What a thread expects of a loop: LOOP-7, LOOP-17, LOOP-18.
#include <gtest/gtest.h>

#include <cstdint>

#include "leat/loop/last_time.hpp"

namespace {

using last_time = leat::loop::last_time<int>;

last_time of(double iteration_ns) {
  last_time last{};
  last.was(iteration_ns);
  return last;
}

TEST(last_time, of_no_loop_says_nothing) {
  last_time none{};
  EXPECT_FALSE(none.next_is_brief(1, false));
  EXPECT_FALSE(none.next_is_brief(1, true));
  EXPECT_EQ(none.first_chunk(1'000'000), 1u);
}

TEST(last_time, expects_brief_ones_of_as_many_iterations_as_take_less_than_a_steal) {
  last_time last = of(10);
  EXPECT_TRUE(last.next_is_brief(399, false));
  EXPECT_FALSE(last.next_is_brief(401, false));
  EXPECT_TRUE(last.next_is_brief(799, true));
  EXPECT_FALSE(last.next_is_brief(801, true));
  EXPECT_FALSE(last.next_is_brief(std::uint64_t{1} << 62, true));
}

TEST(last_time, lets_some_loops_answer_though_no_thief_has_asked) {
  last_time last = of(10);
  int answering = 0;
  for (std::uint32_t i = 0; i < 4 * last_time::unasked_max; ++i) answering += last.next_is_brief(600, true) ? 0 : 1;
  EXPECT_EQ(answering, 4);
  for (std::uint32_t i = 0; i < 2 * last_time::unasked_max; ++i) EXPECT_TRUE(last.next_is_brief(300, true));
}

TEST(last_time, gives_short_loops_a_first_chunk_of_1_us) {
  EXPECT_EQ(of(100).first_chunk(1000), 10u);
  EXPECT_EQ(of(10).first_chunk(1000), 64u);  // not 100: they may take longer this time
  EXPECT_EQ(of(2000).first_chunk(60), 1u);
  EXPECT_EQ(of(10).first_chunk(64), 8u);  // an eighth, so that a thief can have the rest
  EXPECT_EQ(of(10).first_chunk(1), 1u);
  EXPECT_EQ(of(0.001).first_chunk(1000), 64u);
}

TEST(last_time, lets_the_clock_find_the_chunks_of_long_loops) {
  EXPECT_EQ(of(100).first_chunk(1280), 1u);
  EXPECT_EQ(of(100).first_chunk(1279), 10u);
}

TEST(last_time, gives_the_caller_a_lead_of_300_ns) {
  EXPECT_EQ(of(10).lead(), 30u);
  EXPECT_EQ(of(1'000).lead(), 0u);
  EXPECT_EQ(last_time{}.lead(), 0u);
}

}  // namespace
