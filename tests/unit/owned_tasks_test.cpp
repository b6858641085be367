// The search for tasks of one owner among others: against a plain model, and in linear time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "engines.hpp"
#include "leat/deque/private.hpp"
#include "leat/platform/native.hpp"
#include "leat/work/owned_tasks.hpp"
#include "leat/work/record.hpp"

namespace {

using leat::work::record;
using leat::work::tombstone;
using deque = leat::deque::private_deque<leat::platform::native, record>;
using search = leat::work::owned_search<deque>;

// A record's first word says which task it is; odd ones belong to the owner.
void dummy(record&) {}
std::uint64_t& name(record& r) { return *reinterpret_cast<std::uint64_t*>(r.payload); }

class owned_tasks : public ::testing::Test {
 protected:
  void push(std::uint64_t task) {
    if (tasks.room() == nullptr) {
      ASSERT_TRUE(tasks.grow());
    }
    record* slot = tasks.room();
    slot->invoke = dummy;
    name(*slot) = task;
    tasks.push();
  }

  std::optional<std::uint64_t> take(search& s) {
    record taken;
    const auto owned = [this](record& r) { return ++looks, r.invoke == dummy && name(r) % 2 == 1; };
    if (!s.take(owned, taken, popped)) return std::nullopt;
    return name(taken);
  }

  // What is in the deque but tombstones, oldest first.
  std::vector<std::uint64_t> rest() {
    std::vector<std::uint64_t> all;
    for (std::uint64_t n = tasks.oldest_index(); n < tasks.end_index(); ++n) {
      if (tombstone::in(tasks.at(n)) == nullptr) all.push_back(name(tasks.at(n)));
    }
    return all;
  }

  deque tasks{4};
  std::uint64_t looks = 0;
  std::uint64_t popped = 0;
};

TEST_F(owned_tasks, are_taken_newest_first_and_strangers_stay) {
  for (const std::uint64_t task : {1, 2, 3, 5, 4, 6}) push(task);
  search s(tasks, 1);
  EXPECT_EQ(take(s), 5u);
  EXPECT_EQ(take(s), 3u);
  push(7);
  EXPECT_EQ(take(s), 7u);
  push(9);
  push(8);
  EXPECT_EQ(take(s), 9u);
  EXPECT_EQ(take(s), 1u);
  EXPECT_EQ(take(s), std::nullopt);
  EXPECT_EQ(rest(), (std::vector<std::uint64_t>{2, 4, 6, 8}));
}

TEST_F(owned_tasks, a_tombstone_does_nothing_when_it_is_called_and_is_dropped_from_the_top) {
  push(1);
  push(2);
  search s(tasks, 1);
  EXPECT_EQ(take(s), 1u);
  EXPECT_EQ(popped, 0u);
  record& left = tasks.at(tasks.oldest_index());
  left.invoke(left);
  tasks.pop_without_poll();
  EXPECT_EQ(take(s), std::nullopt);
  EXPECT_TRUE(tasks.empty());
  EXPECT_EQ(popped, 1u);
}

// Random pushes, takes, pops by others, thefts and growth, while some take, with up to three searches inside each other.
TEST_F(owned_tasks, none_is_missed_or_taken_twice) {
  for (unsigned seed = 0; seed < static_cast<unsigned>(leat_test::reps(3000)); ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    const bool others_pop = seed % 2 == 1;
    std::vector<std::uint64_t> model = rest();
    std::uint64_t fresh = 10;
    std::vector<search> searches;
    std::uint64_t cursor = seed * 100 + 1;
    searches.emplace_back(tasks, ++cursor);
    for (int step = 0; step < 120; ++step) {
      switch (below(8)) {
        case 0:
        case 1:
        case 2:
          for (unsigned n = below(6); n > 0; --n) {
            fresh += 1 + below(2);
            push(fresh);
            model.push_back(fresh);
          }
          break;
        case 3:  // a theft from the old end
          for (unsigned n = below(3); n > 0 && !tasks.empty(); --n) {
            record& r = *tasks.lend(1).first;
            tasks.give_back();
            if (tombstone::in(r) != nullptr) continue;
            ASSERT_FALSE(model.empty());
            ASSERT_EQ(name(r), model.front());
            model.erase(model.begin());
          }
          break;
        case 4:
          if (!others_pop) break;
          for (unsigned n = below(3); n > 0 && !tasks.empty(); --n) {
            record& r = *tasks.pop_without_poll();
            if (tombstone::in(r) != nullptr) continue;
            ASSERT_EQ(name(r), model.back());
            model.pop_back();
          }
          break;
        case 5:
          if (searches.size() < 3 && below(4) == 0) searches.emplace_back(tasks, ++cursor);
          else if (searches.size() > 1 && below(4) == 0) searches.pop_back();
          break;
        default:
          const auto newest = std::find_if(model.rbegin(), model.rend(), [](std::uint64_t t) { return t % 2 == 1; });
          const auto found = take(searches.back());
          if (!others_pop && searches.size() == 1) {
            ASSERT_EQ(found.has_value(), newest != model.rend());
            if (found) {
              ASSERT_EQ(*found, *newest);
            }
          }
          if (found) {
            ASSERT_EQ(std::erase(model, *found), 1u);
          }
      }
      ASSERT_EQ(rest(), model);
    }
    // Whoever must not miss one starts over (SEARCH-2).
    searches.back().start_over();
    const auto left = std::count_if(model.begin(), model.end(), [](std::uint64_t t) { return t % 2 == 1; });
    for (std::ptrdiff_t i = 0; i < left; ++i) {
      auto found = take(searches.back());
      if (!found) {
        searches.back().start_over();
        found = take(searches.back());
      }
      ASSERT_TRUE(found);
      std::erase(model, *found);
    }
    ASSERT_EQ(rest(), model);
    while (tasks.pop_without_poll() != nullptr) {
    }
    tasks.rewind();
  }
}

// However the tasks lie, each record is looked at about once, if nobody else pops.
TEST_F(owned_tasks, are_found_in_linear_time) {
  std::mt19937 random(1);
  search s(tasks, 1);
  std::uint64_t pushed = 0;
  const auto some = [&](unsigned n) {
    for (; n > 0; --n, ++pushed) push(random() % 2);
  };
  some(5000);
  std::uint64_t taken = 0;
  while (take(s)) {
    ++taken;
    if (pushed < 50'000 && random() % 100 == 0) some(1 + static_cast<unsigned>(random() % 1000));
  }
  EXPECT_GE(pushed, 50'000u);
  for (const std::uint64_t task : rest()) ASSERT_EQ(task % 2, 0u);
  EXPECT_LE(looks, pushed + 2 * taken);
}

}  // namespace
