// What only the mpmc channel promises: what stalled threads do, drained, its cost.
#include <gtest/gtest.h>

#include <functional>

#include "leat/channel/mpmc.hpp"
#include "leat/platform/counted.hpp"
#include "leat/platform/native.hpp"

namespace {

using leat::channels::sent;
using leat::platform::counted;
using leat::platform::native;

// A message whose move lets others run: try_send moves it when it has its ticket, try_receive when it has its own.
struct interrupted {
  int value = 0;
  int moves = 0;
  std::function<void()> on_move[3];

  explicit interrupted(int v, std::function<void()> in = {}, std::function<void()> out = {})
      : value(v), on_move{{}, std::move(in), std::move(out)} {}
  interrupted(interrupted&& other) noexcept : value(other.value), moves(other.moves + 1) {
    for (int i = 0; i < 3; ++i) on_move[i] = std::move(other.on_move[i]);
    if (moves < 3 && on_move[moves]) on_move[moves]();
  }
  interrupted& operator=(interrupted&&) = delete;
};

TEST(mpmc_channel, hides_later_messages_while_a_sender_is_stalled) {
  leat::channels::mpmc<native, interrupted> c(3);
  interrupted stalled(1, [&] {
    EXPECT_EQ(c.try_send(interrupted(2)), sent::ok);
    EXPECT_FALSE(c.try_receive().has_value());  // 2 is behind 1 (MPMC-5)
    EXPECT_EQ(c.size(), 2u);
    c.close();
    EXPECT_FALSE(c.drained());
    EXPECT_EQ(c.try_send(interrupted(3)), sent::closed);
  });
  EXPECT_EQ(c.try_send(std::move(stalled)), sent::ok);  // its ticket is older than the closing (MPMC-6)
  EXPECT_EQ(c.try_receive()->value, 1);
  EXPECT_FALSE(c.drained());
  EXPECT_EQ(c.try_receive()->value, 2);
  EXPECT_TRUE(c.drained());
}

TEST(mpmc_channel, looks_full_while_a_receiver_is_stalled) {
  for (const int capacity : {1, 2, 3}) {
    leat::channels::mpmc<native, interrupted> c(static_cast<std::size_t>(capacity));
    bool ran = false;
    ASSERT_EQ(c.try_send(interrupted(0, {},
                                     [&] {
                                       ran = true;
                                       for (int i = 1; i < capacity; ++i)
                                         EXPECT_EQ(c.try_send(interrupted(i)), sent::ok);
                                       EXPECT_EQ(c.try_send(interrupted(-1)),
                                                 sent::full);  // its turn is the stalled receiver's cell (MPMC-5)
                                       for (int i = 1; i < capacity; ++i) EXPECT_EQ(c.try_receive()->value, i);
                                       EXPECT_FALSE(c.try_receive().has_value());
                                       EXPECT_EQ(c.try_send(interrupted(-1)), sent::full);  // nothing inside, and still
                                       EXPECT_EQ(c.size(), 0u);
                                     })),
              sent::ok);
    ASSERT_TRUE(c.try_receive().has_value());
    ASSERT_TRUE(ran);
    EXPECT_EQ(c.try_send(interrupted(5)), sent::ok);
    EXPECT_EQ(c.try_receive()->value, 5);
  }
}

TEST(mpmc_channel, is_drained_when_closed_and_empty) {
  leat::channels::mpmc<native, int> c(2);
  EXPECT_FALSE(c.drained());
  ASSERT_EQ(c.try_send(1), sent::ok);
  c.close();
  EXPECT_FALSE(c.drained());
  EXPECT_EQ(c.try_receive(), 1);
  EXPECT_TRUE(c.drained());
  c.reopen();
  EXPECT_FALSE(c.drained());
}

TEST(mpmc_channel_cost, is_one_cas_to_send_and_one_to_receive) {
  leat::channels::mpmc<counted, int> c(2);
  auto cost = [last = counted::counts()]() mutable {
    const auto since = counted::counts() - last;
    last = counted::counts();
    return since;
  };
  for (int lap = 0; lap < 3; ++lap) {
    ASSERT_EQ(c.try_send(1), sent::ok);
    auto spent = cost();
    EXPECT_EQ(spent.cas, 1u);
    EXPECT_EQ(spent.rmw + spent.fences, 0u);
    ASSERT_EQ(c.try_send(2), sent::ok);
    EXPECT_EQ(cost().cas, 1u);

    ASSERT_EQ(c.try_send(3), sent::full);
    ASSERT_EQ(c.size(), 2u);
    spent = cost();
    EXPECT_EQ(spent.cas + spent.rmw, 0u);

    ASSERT_EQ(c.try_receive(), 1);
    spent = cost();
    EXPECT_EQ(spent.cas, 1u);
    EXPECT_EQ(spent.rmw + spent.fences, 0u);
    ASSERT_EQ(c.try_receive(), 2);
    EXPECT_EQ(cost().cas, 1u);

    ASSERT_FALSE(c.try_receive().has_value());
    spent = cost();
    EXPECT_EQ(spent.cas + spent.rmw, 0u);

    c.close();
    EXPECT_EQ(cost().rmw, 1u);
    ASSERT_EQ(c.try_send(4), sent::closed);
    ASSERT_TRUE(c.drained());
    spent = cost();
    EXPECT_EQ(spent.cas + spent.rmw, 0u);
    c.reopen();
    EXPECT_EQ(cost().rmw, 1u);
  }
}

}  // namespace
