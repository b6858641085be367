// The public parts of the private deque and of the fork stack, in the hands of a thread that plays owner and thief.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "leat/deque/fork_stack.hpp"
#include "leat/deque/private.hpp"
#include "leat/platform/native.hpp"

namespace {

using leat::platform::native;

constexpr auto any = [] { return true; };

template <class P>
using deque = leat::deque::private_deque<P, std::uint64_t>;
template <class P>
using stack = leat::deque::fork_stack<P>;
template <class P>
using slot = leat::deque::fork_slot<P>;

template <class Deque>
void push(Deque& d, std::uint64_t task) {
  *d.room() = task;
  d.push();
}

/// Takes one as a thief does; 0 if there is none.
template <class Deque>
std::uint64_t steal(Deque& d) {
  const auto run = d.steal(any);
  if (run.count == 0) return 0;
  const std::uint64_t task = *run.first;
  d.give_back();
  return task;
}

TEST(public_part, of_a_deque_is_closed_at_first) {
  for (const bool all : {false, true}) {
    deque<native> d(4, all);
    push(d, 1);
    EXPECT_EQ(steal(d), 0u);
    EXPECT_EQ(d.close(), 0u);
    EXPECT_EQ(*d.pop_without_poll(), 1u);
  }
}

TEST(public_part, holds_as_many_of_the_oldest_tasks_as_were_made_public) {
  deque<native> d(8);
  for (std::uint64_t i = 1; i <= 5; ++i) push(d, i);
  d.open(2);
  EXPECT_EQ(d.size(), 3u) << "private ones";
  EXPECT_EQ(steal(d), 1u);
  EXPECT_EQ(steal(d), 2u);
  EXPECT_EQ(steal(d), 0u);
  EXPECT_EQ(d.close(), 2u);
  EXPECT_EQ(d.size(), 3u);
  for (std::uint64_t i = 5; i >= 3; --i) EXPECT_EQ(*d.pop(), i);
  EXPECT_TRUE(d.empty());
}

TEST(public_part, gives_back_what_nobody_has_taken) {
  deque<native> d(8);
  for (std::uint64_t i = 1; i <= 3; ++i) push(d, i);
  d.open(3);
  EXPECT_EQ(d.pop(), nullptr) << "nothing is private";
  EXPECT_EQ(steal(d), 1u);
  EXPECT_EQ(d.close(), 1u);
  EXPECT_EQ(d.size(), 2u);
  EXPECT_EQ(steal(d), 0u) << "closed";
  EXPECT_EQ(*d.pop(), 3u) << "nobody asks: the limit is where it was";
  EXPECT_EQ(*d.pop(), 2u);
}

TEST(public_part, a_raise_outlasts_opening_and_closing) {
  deque<native> d(8);
  push(d, 1), push(d, 2);
  d.signal();
  d.open(1);
  EXPECT_TRUE(d.is_poll_due());
  d.close();
  EXPECT_TRUE(d.is_poll_due());
  d.acknowledge(), d.rearm(false);
  EXPECT_FALSE(d.is_poll_due());
}

// DEQUE-3: not before the thief has read what it took.
TEST(public_part, keeps_the_slots_that_thieves_read) {
  deque<native> d(1);
  push(d, 1);
  d.open(1);
  const auto run = d.steal(any);
  d.close();
  d.rewind();
  EXPECT_TRUE(d.full()) << "it is being read";
  EXPECT_TRUE(d.grow());
  push(d, 2);
  EXPECT_EQ(*run.first, 1u);
  d.give_back();
  EXPECT_EQ(*d.pop(), 2u);
}

// Others find each opening's slots at the place that they have then, through growth and rewinding.
TEST(public_part, follows_the_tasks_to_other_memory) {
  deque<native> d(1);
  std::uint64_t pushed = 0, stolen = 0;
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i <= round; ++i) {
      if (d.full() && d.room() == nullptr) {
        ASSERT_TRUE(d.grow());
      }
      push(d, ++pushed);
    }
    d.open(d.size());
    while (const std::uint64_t task = steal(d)) EXPECT_EQ(task, ++stolen);
    d.close();
    d.rewind();
  }
  EXPECT_EQ(stolen, pushed);
}

TEST(public_part, of_a_deque_where_all_is_public_grows_with_each_push) {
  deque<native> d(8, true);
  d.open(0);
  EXPECT_EQ(steal(d), 0u);
  for (std::uint64_t i = 1; i <= 3; ++i) push(d, i), d.open(0);
  EXPECT_TRUE(d.is_poll_due()) << "a push has a second part";
  EXPECT_FALSE(d.is_poll_requested());
  EXPECT_EQ(steal(d), 1u);
  EXPECT_EQ(d.pop(), nullptr) << "a pop has, too";
  EXPECT_EQ(*d.pop_public(), 3u);
  EXPECT_EQ(*d.pop_public(), 2u) << "the last one, too";
  EXPECT_EQ(d.newest_public(), nullptr);
  push(d, 4), d.open(0);
  EXPECT_EQ(steal(d), 4u) << "it is open again";
  EXPECT_EQ(d.newest_public(), nullptr);
  d.close();
  EXPECT_TRUE(d.empty());
}

TEST(public_part, of_a_split_deque_grows_while_it_is_open) {
  deque<native> d(8);
  for (std::uint64_t i = 1; i <= 4; ++i) push(d, i);
  EXPECT_EQ(d.newest_public(), nullptr);
  EXPECT_EQ(d.pop_public(), nullptr);
  d.open(1);
  d.open(1);
  EXPECT_EQ(d.size(), 2u) << "private ones";
  EXPECT_EQ(steal(d), 1u);
  EXPECT_EQ(*d.pop(), 4u);
  EXPECT_EQ(*d.pop(), 3u);
  EXPECT_EQ(d.pop(), nullptr);
  EXPECT_EQ(*d.newest_public(), 2u);
  EXPECT_EQ(*d.pop_public(), 2u);
  EXPECT_EQ(d.newest_public(), nullptr) << "none was left";
  push(d, 5);
  EXPECT_EQ(*d.pop(), 5u) << "it is private";
}

// PUBLIC-2: a thief that has read the head of one opening cannot take from another.
TEST(public_part, no_head_comes_back) {
  deque<native> d(4);
  push(d, 1);
  d.open(1);
  EXPECT_EQ(steal(d), 1u);
  // The same slot, the same number of tasks.
  leat::deque::public_part<native, std::uint64_t> part;
  std::array<std::uint64_t, 2> slots{7, 8};
  part.open(slots.data());
  const auto interrupted = part.take([&](const std::uint64_t*) {
    part.close();
    part.open(slots.data());
    return true;
  });
  EXPECT_EQ(interrupted, nullptr);
  EXPECT_EQ(part.take([](const std::uint64_t*) { return true; }), slots.data());
  EXPECT_EQ(part.close(), slots.data() + 1);
  EXPECT_EQ(part.taken(), 1u);
}

TEST(public_part, gives_nothing_that_is_not_wanted) {
  deque<native> d(4);
  push(d, 1);
  d.open(1);
  EXPECT_EQ(d.steal([] { return false; }).count, 0u);
  EXPECT_EQ(steal(d), 1u);
}

template <class P>
void nothing(slot<P>&, slot<P>*) {}

TEST(public_part, of_plain_forks_holds_the_oldest) {
  stack<native> forks(nullptr);
  slot<native>* const base = forks.base();
  slot<native>* const top = base + 3;
  for (slot<native>* s = base; s < top; ++s) s->call = nothing<native>;
  EXPECT_EQ(forks.take_plain(top, any), nullptr);
  forks.open(2);
  EXPECT_TRUE(forks.given_away(base + 1)) << "its join has to ask";
  EXPECT_FALSE(forks.given_away(base + 2));
  EXPECT_EQ(forks.take_plain(top, any), base);
  EXPECT_TRUE(forks.was_taken(base));
  EXPECT_FALSE(forks.was_taken(base + 1));
  EXPECT_EQ(forks.close(), 1u);
  EXPECT_TRUE(forks.given_away(base));
  EXPECT_FALSE(forks.given_away(base + 1));
  forks.joined(base);
  EXPECT_EQ(forks.bottom(), base);
}

TEST(public_part, of_marked_forks_ends_where_the_marks_end) {
  for (const bool all : {false, true}) {
    stack<native> forks(nullptr, all);
    slot<native>* const base = forks.base();
    for (int i = 0; i < 3; ++i) base[i].call = nothing<native>;
    forks.open(all ? 0 : 3);
    typename slot<native>::call_type call = nullptr;
    EXPECT_EQ(forks.take_marked(call, any), base);
    EXPECT_EQ(call, &nothing<native>);
    base[1].call = nullptr, base[2].call = nullptr;  // both are joined
    EXPECT_EQ(forks.take_marked(call, any), nullptr);
    EXPECT_EQ(forks.close(), 1u);
    EXPECT_EQ(forks.bottom(), base + 1);
  }
}

TEST(public_part, where_all_forks_are_public_a_join_knows_which_are_its_own) {
  stack<native> forks(nullptr, true);
  slot<native>* const base = forks.base();
  slot<native>* top = base;
  for (int i = 0; i < 2; ++i) (top++)->call = nothing<native>;
  forks.open(0);
  --top;
  EXPECT_TRUE(forks.pop_public(base + 1)) << "the oldest lies beneath";
  EXPECT_EQ(forks.take_plain(top, any), base);
  EXPECT_EQ(forks.take_plain(top, any), nullptr);
  --top;
  EXPECT_FALSE(forks.pop_public(base));
  EXPECT_TRUE(forks.given_away(base));
  // What is forked during the wait is public, too; and so is the slot, when it is used again.
  top = base + 2;
  EXPECT_EQ(forks.take_plain(top, any), base + 1);
  top = base + 1;
  EXPECT_FALSE(forks.pop_public(base + 1));
  forks.joined(base + 1);
  forks.open(0);
  forks.joined(base);
  EXPECT_EQ(forks.take_plain(top, any), nullptr) << "it is closed until its owner has given the slot up";
  forks.open(0);
  EXPECT_EQ(forks.take_plain(top, any), base);
}

TEST(public_part, of_forks_is_taken_back_from_its_newest_on) {
  stack<native> forks(nullptr);
  slot<native>* const base = forks.base();
  slot<native>* const top = base + 4;
  for (slot<native>* s = base; s < top; ++s) s->call = nothing<native>;
  forks.open(2);
  forks.open(1);
  EXPECT_TRUE(forks.pop_public(base + 3)) << "a private one";
  EXPECT_TRUE(forks.pop_public(base + 2));
  EXPECT_FALSE(forks.given_away(base + 2));
  EXPECT_EQ(forks.take_plain(top, any), base);
  EXPECT_TRUE(forks.pop_public(base + 1)) << "the last one";
  EXPECT_FALSE(forks.pop_public(base));
  EXPECT_EQ(forks.bottom(), base + 1);
}

}  // namespace
