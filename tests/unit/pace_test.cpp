// When a thief pauses before it asks again.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "leat/protocol/pace.hpp"
#include "leat/protocol/strategy.hpp"

namespace {

using leat::protocol::amount;
using leat::protocol::pace;
using leat::protocol::pause_min_ns;
using leat::protocol::pause_prices_max;
using leat::protocol::steal_price_ns;
using leat::protocol::stealing;
using leat::protocol::strategy;
using leat::protocol::task_price_ns;

// A thief that works for `work_ns` on what each steal brings.
class thief {
 public:
  thief& steals(std::size_t tasks, std::uint64_t work_ns) {
    pace_.stole(tasks, now_ns_);
    now_ns_ += work_ns;
    pace_.done(now_ns_);
    return *this;
  }
  pace& operator*() { return pace_; }
  std::uint64_t now_ns() const { return now_ns_; }

 private:
  pace pace_;
  std::uint64_t now_ns_ = 1'000'000;
};

TEST(pace, a_steal_is_vain_once) {
  pace p;
  p.stole(1, 1000);
  EXPECT_TRUE(p.done(1001));
  EXPECT_FALSE(p.done(1002));
  EXPECT_FALSE(p.done(1'000'000'000));
  p.stole(1, 2'000'000'000);
  EXPECT_FALSE(p.done(2'001'000'000));
}

TEST(pace, a_fork_is_never_taken_in_vain) {
  thief t;
  t.steals(1, 0);
  ASSERT_TRUE((*t).vain());
  (*t).took_fork();
  (*t).done(t.now_ns());
  EXPECT_FALSE((*t).vain());
}

TEST(pace, nothing_is_vain_before_the_first_steal) {
  pace p;
  p.done(1'000'000);
  EXPECT_FALSE(p.vain());
}

TEST(pace, a_steal_is_vain_that_gives_less_work_than_it_costs) {
  EXPECT_TRUE((*thief().steals(1, steal_price_ns + task_price_ns - 1)).vain());
  EXPECT_FALSE((*thief().steals(1, steal_price_ns + task_price_ns)).vain());
  EXPECT_TRUE((*thief().steals(1000, steal_price_ns + 1000 * task_price_ns - 1)).vain());
  EXPECT_FALSE((*thief().steals(1000, steal_price_ns + 1000 * task_price_ns)).vain());
  EXPECT_TRUE((*thief().steals(0, 0)).vain()) << "a fork";
}

TEST(pace, tells_what_each_task_was_worth_of_the_worse_of_two_steals) {
  EXPECT_EQ((*thief()).worth_ns(), 0u);
  EXPECT_EQ((*thief().steals(1, 9'000)).worth_ns(), 0u);
  EXPECT_EQ((*thief().steals(1, 9'000).steals(3, 9'000)).worth_ns(), 3'000u);
  EXPECT_EQ((*thief().steals(3, 9'000).steals(1, 9'000)).worth_ns(), 3'000u);
  EXPECT_EQ((*thief().steals(1, 50).steals(1, 7'000).steals(2, 20'000)).worth_ns(), 7'000u);
}

TEST(pace, each_steal_counts_once) {
  thief t;
  t.steals(1, 100);
  (*t).done(t.now_ns() + 1'000'000);  // asks later, for another reason
  EXPECT_TRUE((*t).vain());
}

TEST(pace, pauses_double_up_to_a_multiple_of_the_price) {
  thief t;
  std::uint64_t expected_ns = pause_min_ns;
  const std::uint64_t longest_ns = pause_prices_max * (steal_price_ns + 100 * task_price_ns);
  for (int i = 0; i < 64; ++i) {
    t.steals(100, 10);
    ASSERT_TRUE((*t).vain());
    EXPECT_EQ((*t).next_pause_ns(), expected_ns);
    expected_ns = std::min(2 * expected_ns, longest_ns);
  }
  EXPECT_EQ(expected_ns, longest_ns);
}

TEST(pace, a_steal_that_is_worth_it_ends_the_pauses) {
  thief t;
  for (int i = 0; i < 5; ++i) (*t.steals(100, 10)).next_pause_ns();
  t.steals(100, 1'000'000);
  EXPECT_FALSE((*t).vain());
  EXPECT_EQ((*t.steals(100, 10)).next_pause_ns(), pause_min_ns);
}

TEST(pace, after_a_vain_steal_only_the_adaptive_strategy_asks_for_more) {
  EXPECT_EQ(stealing(strategy::adaptive).next(true), amount::half);
  EXPECT_EQ(stealing(strategy::steal_one).next(true), amount::one);
  EXPECT_EQ(stealing(strategy::steal_half).next(true), amount::half);
  const stealing again(strategy::adaptive);
  static_cast<void>(again.next(true));
  EXPECT_EQ(again.next(), amount::one) << "for once";
}

}  // namespace
