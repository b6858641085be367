// How long a worker without tasks spins between two calls of a program.
#include "leat/work/call_gaps.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "leat/platform/native.hpp"

namespace {

using gaps = leat::work::call_gaps<leat::platform::native>;

constexpr std::uint64_t usual = 100'000;

TEST(call_gaps, spins_as_ever_at_first_and_where_gaps_are_short) {
  gaps g;
  EXPECT_FALSE(g.are_long());
  EXPECT_EQ(g.spin_ns(usual), usual);
  for (int i = 0; i < 100; ++i) g.note(gaps::long_ns);
  EXPECT_FALSE(g.are_long());
  EXPECT_EQ(g.spin_ns(usual), usual);
}

TEST(call_gaps, spins_little_where_gaps_are_long) {
  gaps g;
  for (int i = 0; i < 100; ++i) g.note(2 * gaps::long_ns);
  EXPECT_TRUE(g.are_long());
  EXPECT_EQ(g.spin_ns(usual), gaps::spin_ns_least);
  EXPECT_EQ(g.spin_ns(gaps::spin_ns_least / 2), gaps::spin_ns_least / 2) << "a worker that spins less goes on doing so";
}

TEST(call_gaps, are_never_long_where_a_program_has_set_the_time) {
  gaps g(false);
  for (int i = 0; i < 100; ++i) g.note(2 * gaps::long_ns);
  EXPECT_FALSE(g.are_long());
  EXPECT_EQ(g.spin_ns(usual), usual);
}

TEST(call_gaps, forgets_one_gap_however_long_after_a_few_short_ones) {
  gaps g;
  for (int i = 0; i < 100; ++i) g.note(~std::uint64_t{0});
  EXPECT_TRUE(g.are_long());
  int short_ones = 0;
  for (; g.are_long() && short_ones < 100; ++short_ones) g.note(1'000);
  EXPECT_GE(short_ones, 2) << "one short gap says little";
  EXPECT_LE(short_ones, 8);
}

}  // namespace
