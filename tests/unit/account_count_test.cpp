// GROUP-6: what an account of a group counts in, and out.
#include <gtest/gtest.h>

#include <cstdint>

#include "leat/handshake/group_count.hpp"

namespace {

using leat::handshake::account_count;

TEST(account_count, counts_in_what_was_spawned_and_nothing_ahead_at_first) {
  account_count a;
  EXPECT_EQ(a.take_over(), 0);
  a.add(3);
  EXPECT_EQ(a.take_over(), 3);
  EXPECT_EQ(a.take_over(), 0);
}

// GROUP-2: the group's sum is never too small.
TEST(account_count, has_counted_in_at_least_what_was_spawned) {
  account_count a;
  std::int64_t spawned = 0, counted_in = 0;
  for (const int tasks : {1, 1, 1, -2, 1, 5, -6, 40, 1, 1}) {
    a.add(tasks);
    spawned += tasks;
    counted_in += a.take_over();
    EXPECT_GE(counted_in, spawned);
  }
}

// A loop that leaves its parts anew for each thief that asks takes over again and again.
TEST(account_count, counts_in_seldom_however_often_it_is_taken_over) {
  account_count a;
  int times = 0;
  for (std::int64_t i = 0; i < account_count::surplus_max; ++i) {
    a.add(1);
    times += a.take_over() != 0 ? 1 : 0;
  }
  EXPECT_EQ(times, 9);  // at the first, second, fourth and so on
}

TEST(account_count, counts_ahead_no_more_than_the_limit) {
  account_count a;
  a.add(1'000'000);
  EXPECT_EQ(a.take_over(), 1'000'000);
  a.add(1);
  EXPECT_EQ(a.take_over(), 1 + account_count::surplus_max);
}

TEST(account_count, counts_out_at_the_end_what_was_executed_and_what_was_counted_ahead) {
  account_count a;
  std::int64_t sum = 0;  // the group's, of this worker's tasks; it has got one from another worker
  for (int i = 0; i < 5; ++i) {
    a.add(1);
    sum += a.take_over();
  }
  constexpr std::int64_t executed = 4, left = 2;
  EXPECT_EQ(1 + sum - a.settle(executed), left);
}

TEST(account_count, counts_in_at_the_end_what_was_not_taken_over) {
  account_count a;
  a.add(5);
  EXPECT_EQ(a.settle(1), -4);
}

}  // namespace
