// The fork stack by itself, in the hands of a thread that plays owner and thief.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "leat/deque/fork_stack.hpp"
#include "leat/platform/native.hpp"

namespace {

using leat::platform::native;

template <class P>
using stack = leat::deque::fork_stack<P>;
template <class P>
using slot = leat::deque::fork_slot<P>;

template <class P>
void nothing(slot<P>&, slot<P>*) {}

/// What a join compares (FORK-2): whether the way is slow.
template <class P>
bool slow(stack<P>& forks, slot<P>* s) {
  return stack<P>::word(s) < stack<P>::header_of(forks.base()).limit.load(std::memory_order_relaxed);
}

TEST(fork_stack, is_zero_at_first_and_leads_to_its_owner) {
  int owner = 0;
  stack<native> forks(&owner);
  slot<native>* const base = forks.base();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(base) % sizeof(slot<native>), 0u);
  EXPECT_EQ(forks.bottom(), base);
  for (const std::size_t depth : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, stack<native>::depth_max - 1}) {
    EXPECT_EQ(stack<native>::header_of(base + depth).owner, &owner) << depth;
    EXPECT_EQ((base + depth)->call, nullptr) << depth;
  }
  // The end of the last slot is aligned as the block is: there a fork ends.
  EXPECT_EQ(stack<native>::word(base + stack<native>::depth_max) % stack<native>::block_bytes, 0u);
}

TEST(fork_stack, nothing_is_slow_while_nobody_asks) {
  stack<native> forks(nullptr);
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(forks.given_away(forks.base() + i));
    EXPECT_FALSE(slow(forks, forks.base() + i));
  }
}

TEST(fork_stack, a_raise_makes_every_join_slow_until_a_look) {
  stack<native> forks(nullptr);
  slot<native>* const base = forks.base();
  forks.signal();
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(slow(forks, base + i));
  forks.acknowledge();
  forks.rearm(false);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(slow(forks, base + i));
  forks.acknowledge();
  forks.rearm(true);
  EXPECT_TRUE(slow(forks, base)) << "asks itself to look again";
  forks.acknowledge();
  forks.signal();  // by another, during the look
  forks.rearm(false);
  EXPECT_TRUE(slow(forks, base)) << "a raise during a look stays";
  forks.acknowledge();
  forks.give(1);
  forks.signal();
  forks.rearm(false);
  EXPECT_TRUE(slow(forks, base + 5)) << "also if something was given away in it";
}

TEST(fork_stack, gives_the_oldest_and_joins_the_newest_of_those) {
  stack<native> forks(nullptr);
  slot<native>* const base = forks.base();
  for (int i = 0; i < 4; ++i) base[i].call = nothing<native>;
  forks.acknowledge();
  EXPECT_EQ(forks.give(7), base);
  EXPECT_EQ(forks.give(8), base + 1);
  forks.rearm(false);
  EXPECT_EQ(base[0].thief.load(leat::platform::relaxed), 7u);
  EXPECT_EQ(base[1].thief.load(leat::platform::relaxed), 8u);
  EXPECT_EQ(base[1].state.load(), slot<native>::outcome::none);
  EXPECT_EQ(forks.bottom(), base + 2);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(forks.given_away(base + i), i < 2) << i;
    EXPECT_EQ(slow(forks, base + i), i < 2) << i;
  }
  forks.joined(base + 1);
  EXPECT_FALSE(slow(forks, base + 1));
  EXPECT_TRUE(slow(forks, base));
  forks.signal();
  forks.joined(base);
  EXPECT_EQ(forks.bottom(), base);
  EXPECT_TRUE(slow(forks, base)) << "a raise survives a join";
  forks.acknowledge();
  forks.rearm(false);
  EXPECT_FALSE(slow(forks, base));
}

TEST(fork_stack, its_limit_may_be_another_word) {
  leat::deque::fork_words<native> words{};
  stack<native> forks(nullptr);
  words.top = forks.base();
  forks.move_limit(words.limit);
  EXPECT_EQ(words.limit.load(), stack<native>::word(forks.base()));
  forks.signal();
  EXPECT_GT(words.limit.load(), stack<native>::word(forks.base() + stack<native>::depth_max));
  forks.acknowledge();
  forks.give(1);
  forks.rearm(false);
  EXPECT_EQ(words.limit.load(), stack<native>::word(forks.base() + 1));
}

// Raises by others are lost neither by looks nor by joins: after each one a look sees what was sent before it.
TEST(fork_stack, no_raise_is_lost) {
  stack<native> forks(nullptr);
  slot<native>* const base = forks.base();
  native::atomic<std::uint64_t> sent{0};
  constexpr std::uint64_t rounds = 20'000;
  std::uint64_t seen = 0;  // by the last look
  std::thread asker([&] {
    for (std::uint64_t i = 1; i <= rounds; ++i) {
      sent.store(i, std::memory_order_relaxed);
      forks.signal();
      if (i % 64 == 0) std::this_thread::yield();
    }
  });
  bool given = false;
  while (seen < rounds) {
    if (!slow(forks, base + 1)) {
      if (given) forks.joined(base), given = false;
      else std::this_thread::yield();
      continue;
    }
    forks.acknowledge();
    seen = sent.load(std::memory_order_relaxed);
    if (!given) forks.give(1), given = true;
    forks.rearm(false);
  }
  asker.join();
  EXPECT_EQ(seen, rounds);
}

// They reserve address space, and touch what they use of it.
TEST(fork_stack, many_of_them_cost_nothing) {
  std::vector<std::unique_ptr<stack<native>>> all;
  for (int i = 0; i < 256; ++i) all.push_back(std::make_unique<stack<native>>(nullptr));
  for (const auto& one : all) EXPECT_EQ(one->bottom(), one->base());
}

}  // namespace
