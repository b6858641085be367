// How others ask the owner of a private deque to look: the limit word (rule DEQUE-2).
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "leat/deque/private.hpp"
#include "leat/platform/native.hpp"

namespace {

using task = std::int64_t;
using deque = leat::deque::private_deque<leat::platform::native, task>;

void add_all(deque& d, int first, int count) {
  for (int i = 0; i < count; ++i) {
    task* slot = d.room();
    ASSERT_NE(slot, nullptr);
    *slot = first + i;
    d.push();
  }
}

TEST(deque_limit, a_raise_is_seen_by_the_next_push_and_pop_at_every_filling) {
  for (int capacity = 1; capacity <= 8; ++capacity) {
    for (int held = 0; held <= capacity; ++held) {
      deque d(static_cast<std::size_t>(capacity));
      add_all(d, 1, held);
      EXPECT_FALSE(d.is_poll_due());
      d.signal();
      EXPECT_TRUE(d.is_poll_due());
      EXPECT_EQ(d.pop(), nullptr);
      EXPECT_EQ(d.size(), static_cast<std::size_t>(held)) << "it takes nothing";
      const task* newest = d.pop_without_poll();
      if (held == 0) {
        EXPECT_EQ(newest, nullptr);
      } else {
        EXPECT_EQ(*newest, held);
      }
      EXPECT_TRUE(d.is_poll_due()) << "only a look answers";
    }
  }
}

TEST(deque_limit, a_look_answers_once_for_all_who_asked) {
  deque d(4);
  add_all(d, 1, 2);
  d.signal();
  d.signal();
  d.acknowledge();
  d.rearm(false);
  EXPECT_FALSE(d.is_poll_due());
  EXPECT_EQ(*d.pop(), 2);
  EXPECT_EQ(*d.pop(), 1);
}

TEST(deque_limit, a_raise_during_a_look_is_kept) {
  for (const std::size_t lent : {0u, 1u, 3u}) {
    deque d(4);
    add_all(d, 1, 3);
    d.signal();
    d.acknowledge();
    EXPECT_FALSE(d.is_poll_due());
    if (lent != 0) d.lend(lent);
    d.signal();
    d.rearm(false);
    EXPECT_TRUE(d.is_poll_due()) << "lent " << lent;
    EXPECT_EQ(d.pop(), nullptr);
    d.acknowledge();
    d.rearm(false);
    EXPECT_FALSE(d.is_poll_due());
  }
}

TEST(deque_limit, a_raise_before_a_loan_within_a_look_is_kept) {
  deque d(4);
  add_all(d, 1, 3);
  d.acknowledge();
  d.signal();
  d.lend(1);
  d.rearm(false);
  EXPECT_TRUE(d.is_poll_due());
}

TEST(deque_limit, the_owner_may_remind_itself) {
  deque d(4);
  add_all(d, 1, 2);
  d.acknowledge();
  d.rearm(true);
  EXPECT_TRUE(d.is_poll_due());
  EXPECT_EQ(d.pop(), nullptr);
  add_all(d, 3, 1);
  EXPECT_TRUE(d.is_poll_due());
  d.acknowledge();
  d.rearm(false);
  EXPECT_FALSE(d.is_poll_due());
  EXPECT_EQ(*d.pop(), 3);
}

TEST(deque_limit, settles_where_the_oldest_task_has_moved_to) {
  deque d(8);
  add_all(d, 1, 6);
  for (int i = 0; i < 3; ++i) {
    d.acknowledge();
    d.lend(1);
    d.rearm(false);
    EXPECT_FALSE(d.is_poll_due());
    ASSERT_NE(d.pop(), nullptr);
  }
  EXPECT_EQ(d.pop(), nullptr) << "three lent, three popped";
}

TEST(deque_limit, rewinding_does_not_forget_a_raise) {
  for (const bool asked : {false, true}) {
    deque d(4);
    add_all(d, 1, 2);
    d.acknowledge();
    d.lend(2);
    d.rearm(false);
    d.give_back();
    if (asked) d.signal();
    d.rewind();
    EXPECT_EQ(d.is_poll_due(), asked);
    add_all(d, 1, 4);
    EXPECT_EQ(d.is_poll_due(), asked);
    EXPECT_EQ(d.pop() == nullptr, asked);
  }
}

TEST(deque_limit, moving_tasks_down_does_not_forget_a_raise) {
  for (const bool asked : {false, true}) {
    deque d(4);
    add_all(d, 1, 4);
    d.acknowledge();
    d.lend(2);
    d.rearm(false);
    d.give_back();
    if (asked) d.signal();
    add_all(d, 5, 2);
    EXPECT_EQ(d.is_poll_due(), asked);
    if (asked) continue;
    for (const task expected : {6, 5, 4, 3}) ASSERT_EQ(*d.pop(), expected);
    EXPECT_EQ(d.pop(), nullptr) << "the limit moved down too";
  }
}

TEST(deque_limit, growing_does_not_forget_a_raise) {
  for (const bool asked : {false, true}) {
    deque d(2);
    add_all(d, 1, 2);
    if (asked) d.signal();
    ASSERT_TRUE(d.grow());
    EXPECT_EQ(d.is_poll_due(), asked);
    add_all(d, 3, 2);
    EXPECT_EQ(d.is_poll_due(), asked);
    EXPECT_EQ(d.pop() == nullptr, asked);
  }
}

// A worker without tasks reminds itself without having lowered the limit first.
TEST(deque_limit, may_be_settled_without_a_look) {
  deque d(4);
  add_all(d, 1, 2);
  d.acknowledge();
  d.lend(1);
  d.rearm(false);
  EXPECT_EQ(*d.pop(), 2);
  d.rearm(false);
  EXPECT_FALSE(d.is_poll_due());
  EXPECT_EQ(d.pop(), nullptr);
  d.rearm(true);
  EXPECT_TRUE(d.is_poll_due());
  d.rearm(false);
  EXPECT_TRUE(d.is_poll_due()) << "only a look answers";
}

}  // namespace
