// What only the spsc channel promises: drained, and its cost.
#include <gtest/gtest.h>

#include "leat/channel/spsc.hpp"
#include "leat/platform/counted.hpp"
#include "leat/platform/native.hpp"

namespace {

using leat::channels::sent;
using leat::platform::counted;
using leat::platform::native;

TEST(spsc_channel, is_drained_when_closed_and_empty) {
  leat::channels::spsc<native, int> c(2);
  EXPECT_FALSE(c.drained());
  ASSERT_EQ(c.try_send(1), sent::ok);
  EXPECT_FALSE(c.drained());
  c.close();
  EXPECT_FALSE(c.drained());
  EXPECT_EQ(c.try_receive(), 1);
  EXPECT_TRUE(c.drained());
  c.reopen();
  EXPECT_FALSE(c.drained());
}

TEST(spsc_channel_cost, is_no_read_modify_write_and_no_fence) {
  leat::channels::spsc<counted, int> c(2);
  const auto before = counted::counts();
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(c.try_send(1), sent::ok);
    ASSERT_EQ(c.try_send(2), sent::ok);
    ASSERT_EQ(c.try_send(3), sent::full);
    ASSERT_EQ(c.size(), 2u);
    c.close();
    ASSERT_EQ(c.try_receive(), 1);
    ASSERT_EQ(c.try_receive(), 2);
    ASSERT_FALSE(c.try_receive().has_value());
    ASSERT_TRUE(c.drained());
    c.reopen();
  }
  const auto cost = counted::counts() - before;
  EXPECT_EQ(cost.cas, 0u);
  EXPECT_EQ(cost.rmw, 0u);
  EXPECT_EQ(cost.fences, 0u);
}

}  // namespace
