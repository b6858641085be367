// What only the mpsc channel promises: a stalled sender delays nobody, late closing, memory, its cost.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>

#include "leat/channel/mpsc.hpp"
#include "leat/platform/counted.hpp"
#include "leat/platform/native.hpp"

namespace {

using leat::channels::sent;
using leat::platform::counted;
using leat::platform::native;

// A message whose move, which try_send makes between taking a cell and sending it, lets others run: a sender that the
// system suspends at the worst moment, without a thread.
struct interrupted {
  int value = 0;
  std::function<void()> meanwhile;

  explicit interrupted(int v, std::function<void()> m = {}) : value(v), meanwhile(std::move(m)) {}
  interrupted(interrupted&& other) noexcept : value(other.value), meanwhile(std::move(other.meanwhile)) {
    other.value = -1;
    other.meanwhile = nullptr;
    if (auto run = std::move(meanwhile)) {
      meanwhile = nullptr;
      run();
    }
  }
  interrupted& operator=(interrupted&&) = delete;
};

TEST(mpsc_channel, lets_others_send_and_receive_while_a_sender_is_stalled) {
  leat::channels::mpsc<native, interrupted> c(2);
  interrupted stalled(1000, [&] {
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ(c.try_send(interrupted(i)), sent::ok);
      ASSERT_EQ(c.try_send(interrupted(-1)), sent::full);  // the stalled sender has the other cell (MPSC-5)
      auto got = c.try_receive();
      ASSERT_TRUE(got.has_value());
      EXPECT_EQ(got->value, i);
      EXPECT_TRUE(c.empty());
    }
  });
  ASSERT_EQ(c.try_send(std::move(stalled)), sent::ok);
  EXPECT_EQ(c.try_receive()->value, 1000);
  EXPECT_FALSE(c.try_receive().has_value());
}

TEST(mpsc_channel, gives_the_message_back_when_it_is_closed_meanwhile) {
  leat::channels::mpsc<native, interrupted> c(1);
  interrupted stalled(7, [&] { c.close(); });
  EXPECT_EQ(c.try_send(std::move(stalled)), sent::closed);
  EXPECT_EQ(stalled.value, 7);
  EXPECT_FALSE(c.try_receive().has_value());
  EXPECT_EQ(c.size(), 0u);
  c.reopen();
  // The cell is back too.
  EXPECT_EQ(c.try_send(std::move(stalled)), sent::ok);
  EXPECT_EQ(c.try_receive()->value, 7);
}

TEST(mpsc_channel, takes_a_message_that_was_late_for_the_closing_but_not_for_the_reopening) {
  leat::channels::mpsc<native, interrupted> c(1);
  interrupted stalled(7, [&] {
    c.close();
    c.reopen();
  });
  EXPECT_EQ(c.try_send(std::move(stalled)), sent::ok);
  EXPECT_EQ(c.try_receive()->value, 7);
}

TEST(mpsc_channel, closes_and_reopens_around_messages) {
  leat::channels::mpsc<native, int> c(4);
  ASSERT_EQ(c.try_send(1), sent::ok);
  ASSERT_EQ(c.try_send(2), sent::ok);
  c.close();
  EXPECT_EQ(c.try_receive(), 1);  // the exchange that fetches both must not reopen
  EXPECT_TRUE(c.closed());
  EXPECT_EQ(c.try_send(9), sent::closed);
  c.reopen();
  ASSERT_EQ(c.try_send(3), sent::ok);
  EXPECT_EQ(c.size(), 2u);
  EXPECT_EQ(c.try_receive(), 2);
  EXPECT_EQ(c.try_receive(), 3);
  EXPECT_TRUE(c.empty());
}

TEST(mpsc_channel, tells_its_receiver_whether_a_message_is_inside) {
  leat::channels::mpsc<native, int> c(4);
  EXPECT_FALSE(c.has_message());
  for (int i = 0; i < 3; ++i) ASSERT_EQ(c.try_send(i), sent::ok);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(c.has_message()) << "in the inbox, and then in the receiver's list";
    EXPECT_EQ(c.try_receive(), i);
  }
  EXPECT_FALSE(c.has_message());
  c.close();
  EXPECT_FALSE(c.has_message());
}

TEST(mpsc_channel, uses_no_more_cells_than_messages_were_ever_inside) {
  struct located {
    std::set<const void*>* seen = nullptr;
    located() = default;
    located(located&& other) noexcept : seen(other.seen) { seen->insert(this); }
    located& operator=(located&&) = delete;
  };
  using type = leat::channels::mpsc<native, located>;
  type c(type::capacity_max);
  std::set<const void*> places;  // of messages: the cells, and a few on this function's stack
  for (int i = 0; i < 1000; ++i) {
    for (int k = 0; k < 3; ++k) {
      located message;
      message.seen = &places;
      ASSERT_EQ(c.try_send(std::move(message)), sent::ok);
    }
    for (int k = 0; k < 3; ++k) ASSERT_TRUE(c.try_receive().has_value());
  }
  EXPECT_GE(places.size(), 3u);
  EXPECT_LT(places.size(), 10u);
}

TEST(mpsc_channel, holds_the_largest_capacity) {
  using type = leat::channels::mpsc<native, std::uint32_t>;
  type c(type::capacity_max);
  for (std::uint32_t lap = 0; lap < 2; ++lap) {
    for (std::uint32_t i = 0; i < type::capacity_max; ++i) ASSERT_EQ(c.try_send(i), sent::ok);
    ASSERT_EQ(c.size(), type::capacity_max);
    ASSERT_EQ(c.try_send(1u), sent::full);
    ASSERT_FALSE(c.closed());
    for (std::uint32_t i = 0; i < type::capacity_max; ++i) ASSERT_EQ(c.try_receive(), i);
    ASSERT_TRUE(c.empty());
  }
}

class mpsc_channel_cost : public ::testing::Test {
 protected:
  leat::platform::operation_counts cost() {
    const auto now = counted::counts();
    const auto since = now - last_;
    last_ = counted::counts();
    return since;
  }
  leat::platform::operation_counts last_ = counted::counts();
};

TEST_F(mpsc_channel_cost, is_two_cas_to_send_and_one_to_receive) {
  leat::channels::mpsc<counted, int> c(3);
  for (int lap = 0; lap < 3; ++lap) {  // untouched cells cost what used ones cost
    for (int i = 0; i < 3; ++i) ASSERT_EQ(c.try_send(i), sent::ok);
    auto spent = cost();
    EXPECT_EQ(spent.cas, 6u);
    EXPECT_EQ(spent.rmw, 0u);

    ASSERT_EQ(c.try_send(4), sent::full);
    ASSERT_EQ(c.size(), 3u);
    spent = cost();
    EXPECT_EQ(spent.cas + spent.rmw, 0u);

    for (int i = 0; i < 3; ++i) ASSERT_EQ(c.try_receive(), i);
    spent = cost();
    EXPECT_EQ(spent.cas, 3u);
    EXPECT_EQ(spent.rmw, 1u);  // one exchange for the batch

    ASSERT_FALSE(c.try_receive().has_value());
    ASSERT_TRUE(c.empty());
    ASSERT_FALSE(c.closed());
    spent = cost();
    EXPECT_EQ(spent.cas + spent.rmw + spent.fences, 0u);
  }
}

TEST_F(mpsc_channel_cost, is_one_read_modify_write_to_close_and_none_to_be_refused) {
  leat::channels::mpsc<counted, int> c(3);
  c.close();
  EXPECT_EQ(cost().rmw, 1u);
  ASSERT_EQ(c.try_send(1), sent::closed);
  auto spent = cost();
  EXPECT_EQ(spent.cas + spent.rmw, 0u);
  c.reopen();
  spent = cost();
  EXPECT_EQ(spent.rmw, 1u);
  EXPECT_EQ(spent.cas + spent.fences, 0u);
}

TEST_F(mpsc_channel_cost, is_small_for_pointers) {
  // A message of one pointer moves by one load and one store, and a cell is two words.
  static_assert(sizeof(leat::channels::cell<void*>) == sizeof(void*));
  leat::channels::mpsc<counted, int*> c(1);
  int i = 0;
  int* p = &i;
  ASSERT_EQ(c.try_send(p), sent::ok);
  EXPECT_EQ(c.try_receive(), p);
  EXPECT_EQ(p, &i);
}

}  // namespace
