// How much a thief asks for (thesis 5.1.2, Figure 5.3).
#include <gtest/gtest.h>

#include "leat/protocol/strategy.hpp"

namespace {

using leat::protocol::adaptive_interval;
using leat::protocol::amount;
using leat::protocol::stealing;
using leat::protocol::strategy;

// A thief whose steals each come after so many executed tasks.
class thief {
 public:
  explicit thief(strategy s) : stealing_(s) {}

  // `steals` steals, while `tasks` tasks in all were executed.
  amount after(unsigned steals, std::uint64_t tasks) {
    for (unsigned i = 0; i < steals; ++i) {
      // What is executed is known only when the next steal comes, and all of it at the last.
      stealing_.stole(executed_ + (i + 1 == steals ? tasks : tasks * i / steals));
    }
    executed_ += tasks;
    return stealing_.next();
  }

 private:
  stealing stealing_;
  std::uint64_t executed_ = 0;
};

TEST(strategy, interval_is_that_of_the_thesis) { EXPECT_EQ(adaptive_interval, 25u); }

TEST(strategy, one_and_half_never_change) {
  thief one(strategy::steal_one);
  thief half(strategy::steal_half);
  for (const std::uint64_t tasks : {0u, 25u, 49u, 50u, 1000u}) {
    EXPECT_EQ(one.after(adaptive_interval, tasks), amount::one);
    EXPECT_EQ(half.after(adaptive_interval, tasks), amount::half);
  }
}

TEST(strategy, adaptive_begins_with_one) { EXPECT_EQ(stealing(strategy::adaptive).next(), amount::one); }

TEST(strategy, adaptive_turns_to_half_when_every_task_was_stolen) {
  EXPECT_EQ(thief(strategy::adaptive).after(25, 25), amount::half);
  EXPECT_EQ(thief(strategy::adaptive).after(25, 24), amount::half) << "the last one may not have been executed yet";
  EXPECT_EQ(thief(strategy::adaptive).after(25, 26), amount::one);
}

TEST(strategy, adaptive_thinks_after_the_interval_only) {
  thief t(strategy::adaptive);
  EXPECT_EQ(t.after(24, 0), amount::one);
  EXPECT_EQ(t.after(1, 0), amount::half);
  EXPECT_EQ(t.after(24, 0), amount::half);
  EXPECT_EQ(t.after(1, 0), amount::one);
}

TEST(strategy, adaptive_keeps_half_while_it_brings_two_tasks_a_steal) {
  thief t(strategy::adaptive);
  ASSERT_EQ(t.after(25, 25), amount::half);
  EXPECT_EQ(t.after(25, 50), amount::half);
  EXPECT_EQ(t.after(25, 1000), amount::half);
  EXPECT_EQ(t.after(25, 49), amount::one);
}

TEST(strategy, adaptive_looks_at_the_last_interval_alone) {
  thief t(strategy::adaptive);
  ASSERT_EQ(t.after(25, 1'000'000), amount::one);
  EXPECT_EQ(t.after(25, 25), amount::half) << "what was executed before does not count";
}

}  // namespace
