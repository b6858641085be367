// The one-shot channel: each order of sending, receiving, announcing and closing, and its cost.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>

#include "leat/channel/one_shot.hpp"
#include "leat/platform/counted.hpp"
#include "leat/platform/native.hpp"

namespace {

using leat::channels::one_shot_sent;
using leat::channels::sent;
using leat::platform::counted;
using leat::platform::native;

using message = std::shared_ptr<int>;

struct alignas(8) waiter {
  waiter* next = nullptr;
};

std::uintptr_t tag(const waiter& w) { return reinterpret_cast<std::uintptr_t>(&w); }

class one_shot_channel : public ::testing::Test {
 protected:
  leat::channels::one_shot<native, message> shot;
  message m = std::make_shared<int>(1);
};
using platforms = ::testing::Types<leat::platform::native, counted>;

TEST_F(one_shot_channel, delivers_once) {
  auto& c = this->shot;
  EXPECT_FALSE(c.ready());
  EXPECT_EQ(c.size(), 0u);
  EXPECT_FALSE(c.try_receive().has_value());
  const one_shot_sent answer = c.try_send(message(this->m));
  EXPECT_EQ(answer.result, sent::ok);
  EXPECT_EQ(answer.waiter, 0u);
  EXPECT_TRUE(c.ready());
  EXPECT_EQ(c.size(), 1u);
  EXPECT_EQ(c.try_receive().value(), this->m);
  EXPECT_FALSE(c.ready());
  EXPECT_FALSE(c.closed());
  EXPECT_FALSE(c.try_receive().has_value());
  EXPECT_EQ(this->m.use_count(), 1);
}

TEST_F(one_shot_channel, refuses_a_second_message) {
  auto& c = this->shot;
  ASSERT_EQ(c.try_send(this->m).result, sent::ok);
  message other = std::make_shared<int>(2);
  EXPECT_EQ(c.try_send(std::move(other)).result, sent::full);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(c.try_receive().value(), this->m);
  EXPECT_EQ(c.try_send(std::move(other)).result, sent::full);  // this round is over
  ASSERT_NE(other, nullptr);
}

TEST_F(one_shot_channel, tells_the_sender_who_waits) {
  auto& c = this->shot;
  waiter w;
  EXPECT_TRUE(c.announce(&w));
  EXPECT_FALSE(c.ready());
  EXPECT_FALSE(c.try_receive().has_value());
  EXPECT_FALSE(c.closed());
  const one_shot_sent answer = c.try_send(this->m);
  EXPECT_EQ(answer.result, sent::ok);
  EXPECT_EQ(answer.waiter, tag(w));
  EXPECT_EQ(c.try_receive().value(), this->m);
}

TEST_F(one_shot_channel, tells_the_last_announcement_only) {
  auto& c = this->shot;
  waiter first;
  waiter second;
  EXPECT_TRUE(c.announce(&first));
  EXPECT_TRUE(c.announce(&first));
  EXPECT_TRUE(c.announce(tag(second)));
  EXPECT_EQ(c.try_send(this->m).waiter, tag(second));
}

TEST_F(one_shot_channel, does_not_let_wait_for_what_is_there) {
  auto& c = this->shot;
  waiter w;
  ASSERT_EQ(c.try_send(this->m).result, sent::ok);
  EXPECT_FALSE(c.announce(&w));
  EXPECT_EQ(c.try_receive().value(), this->m);
  EXPECT_FALSE(c.announce(&w));  // nothing more comes
}

TEST_F(one_shot_channel, leaves_the_sender_as_last_user_when_abandoned) {
  auto& c = this->shot;
  for (const bool announced : {false, true}) {
    waiter w;
    if (announced) {
      ASSERT_TRUE(c.announce(&w));
    }
    EXPECT_FALSE(c.close());
    message kept = this->m;
    const one_shot_sent answer = c.try_send(std::move(kept));
    EXPECT_EQ(answer.result, sent::closed);
    EXPECT_EQ(answer.waiter, 0u);
    EXPECT_EQ(kept, this->m);
    EXPECT_TRUE(c.closed());
    EXPECT_EQ(c.try_send(std::move(kept)).result, sent::closed);
    EXPECT_EQ(kept, this->m);
    kept.reset();
    EXPECT_EQ(this->m.use_count(), 1);
    c.reopen();
    EXPECT_FALSE(c.closed());
  }
}

TEST_F(one_shot_channel, leaves_the_receiver_as_last_user_when_sent_before_the_closing) {
  auto& c = this->shot;
  ASSERT_EQ(c.try_send(this->m).result, sent::ok);
  EXPECT_TRUE(c.close());
  EXPECT_EQ(this->m.use_count(), 1);  // dropped
  EXPECT_FALSE(c.try_receive().has_value());
  c.reopen();
  ASSERT_EQ(c.try_send(this->m).result, sent::ok);
  EXPECT_TRUE(c.try_receive().has_value());
  EXPECT_TRUE(c.close());
  EXPECT_EQ(this->m.use_count(), 1);
}

TEST_F(one_shot_channel, is_as_new_when_reopened) {
  auto& c = this->shot;
  waiter w;
  for (int round = 0; round < 12; ++round) {
    switch (round % 6) {  // from each state
      case 0: break;
      case 1: ASSERT_TRUE(c.announce(&w)); break;
      case 2: ASSERT_EQ(c.try_send(this->m).result, sent::ok); break;
      case 3:
        ASSERT_EQ(c.try_send(this->m).result, sent::ok);
        ASSERT_TRUE(c.try_receive().has_value());
        break;
      case 4: ASSERT_FALSE(c.close()); break;
      case 5:
        ASSERT_EQ(c.try_send(this->m).result, sent::ok);
        ASSERT_TRUE(c.close());
        break;
    }
    c.reopen();
    EXPECT_EQ(this->m.use_count(), 1);
    EXPECT_FALSE(c.ready());
    EXPECT_FALSE(c.closed());
    EXPECT_TRUE(c.announce(&w));
    EXPECT_EQ(c.try_send(this->m).waiter, tag(w));
    EXPECT_EQ(c.try_receive().value(), this->m);
    c.reopen();
  }
}

TEST_F(one_shot_channel, drops_the_message_left_inside) {
  {
    leat::channels::one_shot<native, message> c;
    ASSERT_EQ(c.try_send(this->m).result, sent::ok);
    EXPECT_EQ(this->m.use_count(), 2);
  }
  EXPECT_EQ(this->m.use_count(), 1);
}

TEST_F(one_shot_channel, carries_move_only_messages) {
  leat::channels::one_shot<native, std::unique_ptr<int>> c;
  auto p = std::make_unique<int>(4);
  EXPECT_FALSE(c.close());
  EXPECT_EQ(c.try_send(std::move(p)).result, sent::closed);
  ASSERT_NE(p, nullptr);
  c.reopen();
  EXPECT_EQ(c.try_send(std::move(p)).result, sent::ok);
  EXPECT_EQ(p, nullptr);
  EXPECT_EQ(**c.try_receive(), 4);
}

TEST_F(one_shot_channel, can_be_filled_by_who_is_alone) {
  auto& c = this->shot;
  for (int round = 0; round < 2; ++round) {
    c.fill(message(this->m));
    EXPECT_TRUE(c.ready());
    EXPECT_EQ(c.size(), 1u);
    waiter w;
    EXPECT_FALSE(c.announce(&w));
    EXPECT_FALSE(c.announce_among(&w));
    EXPECT_EQ(c.try_send(message(this->m)).result, sent::full);
    if (round == 0) {
      EXPECT_EQ(c.try_receive().value(), this->m);
    } else {
      EXPECT_TRUE(c.close());
    }
    EXPECT_EQ(this->m.use_count(), 1);
    c.reopen();
  }
  c.fill(message(this->m));  // and dropped with the channel
}

TEST_F(one_shot_channel, tells_of_all_who_announced_among_others) {
  auto& c = this->shot;
  waiter first;
  waiter second;
  waiter third;
  third.next = &third;
  EXPECT_TRUE(c.announce_among(&third));
  EXPECT_TRUE(c.announce_among(&second));
  EXPECT_TRUE(c.announce_among(&first));
  EXPECT_FALSE(c.ready());
  EXPECT_EQ(c.try_send(this->m).waiter, tag(first));
  EXPECT_EQ(first.next, &second);
  EXPECT_EQ(second.next, &third);
  EXPECT_EQ(third.next, nullptr);
  EXPECT_TRUE(c.ready());
  EXPECT_EQ(c.message(), this->m);
  EXPECT_EQ(c.message(), this->m) << "it stays inside";
  EXPECT_FALSE(c.announce_among(&first));
  EXPECT_TRUE(c.close());
  EXPECT_FALSE(c.announce_among(&first));
}

TEST_F(one_shot_channel, tells_of_none_who_was_withdrawn) {
  auto& c = this->shot;
  std::array<waiter, 4> w;
  for (waiter& each : w) EXPECT_TRUE(c.announce_among(&each));
  c.withdraw(&w[1]);
  c.withdraw(&w[3]);
  c.withdraw(&w[0]);
  EXPECT_TRUE(c.announce_among(&w[1]));
  EXPECT_EQ(c.try_send(this->m).waiter, tag(w[1]));
  EXPECT_EQ(w[1].next, &w[2]);
  EXPECT_EQ(w[2].next, nullptr);
}

TEST_F(one_shot_channel, tells_of_nobody_when_all_were_withdrawn) {
  auto& c = this->shot;
  waiter only;
  EXPECT_TRUE(c.announce_among(&only));
  c.withdraw(&only);
  EXPECT_EQ(c.try_send(this->m).waiter, 0u);
}

TEST(one_shot_channel_cost, is_one_read_modify_write_at_each_side) {
  leat::channels::one_shot<counted, int> c;
  auto cost = [last = counted::counts()]() mutable {
    const auto since = counted::counts() - last;
    last = counted::counts();
    return since;
  };
  waiter w;
  for (int round = 0; round < 3; ++round) {
    ASSERT_FALSE(c.ready());
    ASSERT_FALSE(c.try_receive().has_value());
    auto spent = cost();
    EXPECT_EQ(spent.cas + spent.rmw, 0u);

    ASSERT_TRUE(c.announce(&w));
    spent = cost();
    EXPECT_EQ(spent.cas, 1u);
    EXPECT_EQ(spent.rmw, 0u);

    ASSERT_EQ(c.try_send(1).result, sent::ok);
    spent = cost();
    EXPECT_EQ(spent.cas, 0u);
    EXPECT_EQ(spent.rmw, 1u);

    ASSERT_FALSE(c.announce(&w));  // there already: seen by a load
    ASSERT_EQ(c.try_receive(), 1);
    c.reopen();
    spent = cost();
    EXPECT_EQ(spent.cas + spent.rmw + spent.fences, 0u);

    ASSERT_FALSE(c.close());
    EXPECT_EQ(cost().rmw, 1u);
    ASSERT_EQ(c.try_send(1).result, sent::closed);
    EXPECT_EQ(cost().rmw, 1u);
    c.reopen();

    ASSERT_TRUE(c.announce_among(&w));
    EXPECT_EQ(cost().cas, 1u);
    c.reopen();

    c.fill(1);
    ASSERT_TRUE(c.close());  // the message is there: seen by a load
    c.reopen();
    spent = cost();
    EXPECT_EQ(spent.cas + spent.rmw + spent.fences, 0u);
  }
}

#if GTEST_HAS_DEATH_TEST && !defined(NDEBUG)
TEST(one_shot_channel_death, refuses_waiters_whose_low_bits_are_not_free) {
  leat::channels::one_shot<leat::platform::native, int> c;
  EXPECT_DEATH(c.announce(std::uintptr_t{0}), "waiter");
  EXPECT_DEATH(c.announce(std::uintptr_t{12}), "waiter");
}
#endif

}  // namespace
