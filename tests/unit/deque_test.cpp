// The private deque as its owner sees it: order, room, loans (rules DEQUE-1 and DEQUE-3). How others ask:
// deque_limit_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "leat/deque/private.hpp"
#include "leat/platform/counted.hpp"
#include "leat/platform/native.hpp"

namespace {

using task = std::int64_t;
using deque = leat::deque::private_deque<leat::platform::native, task>;

template <class D>
bool add(D& d, task t) {
  task* slot = d.room();
  if (slot == nullptr) return false;
  *slot = t;
  d.push();
  return true;
}

void add_all(deque& d, int first, int count) {
  for (int i = 0; i < count; ++i) ASSERT_TRUE(add(d, first + i)) << i;
}

std::vector<task> contents(deque::run r) { return {r.first, r.first + r.count}; }

// A look without anybody to serve but the one who borrows `count` tasks.
deque::run lend(deque& d, std::size_t count) {
  d.acknowledge();
  const deque::run lent = d.lend(count);
  d.rearm(false);
  return lent;
}

TEST(deque, refuses_a_capacity_of_zero) {
  try {
    deque d(0);
    FAIL() << "accepted";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("got 0"), std::string::npos) << e.what();
  }
}

TEST(deque, is_empty_at_first) {
  for (std::size_t capacity = 1; capacity <= 8; ++capacity) {
    deque d(capacity);
    EXPECT_EQ(d.capacity(), capacity);
    EXPECT_EQ(d.size(), 0u);
    EXPECT_TRUE(d.empty());
    EXPECT_FALSE(d.is_poll_due());
    EXPECT_EQ(d.pop(), nullptr);
    EXPECT_EQ(d.pop_without_poll(), nullptr);
    EXPECT_TRUE(d.empty());
  }
}

TEST(deque, holds_exactly_its_capacity_and_gives_back_the_newest_first) {
  for (int capacity = 1; capacity <= 8; ++capacity) {
    deque d(static_cast<std::size_t>(capacity));
    for (int lap = 0; lap < 3; ++lap) {
      add_all(d, 10, capacity);
      EXPECT_EQ(d.size(), static_cast<std::size_t>(capacity));
      EXPECT_EQ(d.room(), nullptr);
      EXPECT_EQ(*d.pop(), 10 + capacity - 1);
      EXPECT_TRUE(add(d, 99));
      EXPECT_EQ(d.room(), nullptr);
      EXPECT_EQ(*d.pop_without_poll(), 99);
      for (int i = capacity - 2; i >= 0; --i) ASSERT_EQ(*d.pop(), 10 + i);
      EXPECT_EQ(d.pop(), nullptr);
      EXPECT_TRUE(d.empty());
    }
  }
}

TEST(deque, leaves_a_popped_slot_alone_until_the_next_push) {
  deque d(4);
  add_all(d, 1, 2);
  const task* newest = d.pop();
  EXPECT_FALSE(d.is_poll_due());
  EXPECT_EQ(*newest, 2);
  EXPECT_EQ(d.room(), newest);
  EXPECT_EQ(*newest, 2);
}

TEST(deque, lends_the_oldest_in_their_order) {
  deque d(8);
  add_all(d, 1, 6);
  const deque::run first = lend(d, 2);
  const deque::run second = lend(d, 3);
  EXPECT_EQ(contents(first), (std::vector<task>{1, 2}));
  EXPECT_EQ(contents(second), (std::vector<task>{3, 4, 5}));
  EXPECT_EQ(d.size(), 1u);
  EXPECT_EQ(*d.pop(), 6);
  EXPECT_EQ(d.pop(), nullptr);
}

// DEQUE-1: what is lent is not the owner's any more, whichever way it takes.
TEST(deque, never_pops_what_it_lent) {
  for (int capacity = 1; capacity <= 8; ++capacity) {
    for (int lent = 1; lent <= capacity; ++lent) {
      deque d(static_cast<std::size_t>(capacity));
      add_all(d, 1, capacity);
      lend(d, static_cast<std::size_t>(lent));
      for (int i = capacity; i > lent; --i) ASSERT_EQ(*d.pop(), i);
      EXPECT_EQ(d.pop(), nullptr);
      EXPECT_EQ(d.pop_without_poll(), nullptr);
      EXPECT_EQ(d.pop(), nullptr);
    }
  }
}

// DEQUE-3, by filling the deque as far as it goes while the loan stands.
TEST(deque, does_not_write_what_is_lent) {
  for (int capacity = 1; capacity <= 8; ++capacity) {
    for (int count = 1; count <= capacity; ++count) {
      deque d(static_cast<std::size_t>(capacity));
      add_all(d, 1, capacity);
      const deque::run lent = lend(d, static_cast<std::size_t>(count));
      const std::vector<task> before = contents(lent);
      d.rewind();
      while (add(d, -1)) {
      }
      while (d.pop() != nullptr) {
      }
      d.rewind();
      while (add(d, -2)) {
      }
      EXPECT_EQ(contents(lent), before) << "capacity " << capacity << ", lent " << count;
    }
  }
}

TEST(deque, has_room_again_when_every_loan_has_come_back) {
  deque d(4);
  add_all(d, 1, 4);
  lend(d, 2);
  lend(d, 2);
  EXPECT_EQ(d.room(), nullptr);
  d.give_back();
  EXPECT_EQ(d.room(), nullptr) << "one loan still stands";
  d.give_back();
  add_all(d, 10, 4);
  EXPECT_EQ(d.room(), nullptr);
}

TEST(deque, moves_its_tasks_down_in_order_when_half_of_it_is_free) {
  for (int capacity = 1; capacity <= 8; ++capacity) {
    for (int gone = 1; gone <= capacity; ++gone) {
      deque d(static_cast<std::size_t>(capacity));
      add_all(d, 1, capacity);
      lend(d, static_cast<std::size_t>(gone));
      d.give_back();
      if (gone < capacity / 2) {
        EXPECT_EQ(d.room(), nullptr) << "moving so many for so few would cost too much";
        continue;
      }
      add_all(d, 100, gone);
      EXPECT_EQ(d.room(), nullptr);
      for (int i = gone - 1; i >= 0; --i) ASSERT_EQ(*d.pop(), 100 + i);
      for (int i = capacity; i > gone; --i) ASSERT_EQ(*d.pop(), i);
      EXPECT_EQ(d.pop(), nullptr);
    }
  }
}

TEST(deque, takes_as_many_as_fit) {
  for (std::size_t capacity = 1; capacity <= 8; ++capacity) {
    for (std::size_t held = 0; held <= capacity; ++held) {
      for (int offered = 0; offered <= 8; ++offered) {
        deque lender(8);
        add_all(lender, 1, offered);
        const deque::run lent = lend(lender, static_cast<std::size_t>(offered));
        deque d(capacity);
        add_all(d, 50, static_cast<int>(held));
        const std::size_t taken = d.take(lent);
        ASSERT_EQ(taken, std::min(static_cast<std::size_t>(offered), capacity - held));
        ASSERT_EQ(d.size(), held + taken);
        for (std::size_t i = taken; i > 0; --i) ASSERT_EQ(*d.pop(), static_cast<int>(i));
        for (std::size_t i = held; i > 0; --i) ASSERT_EQ(*d.pop(), 50 + static_cast<int>(i) - 1);
        ASSERT_EQ(d.pop(), nullptr);
      }
    }
  }
}

TEST(deque, rewinds_only_when_it_is_empty_and_nothing_is_lent) {
  deque d(4);
  add_all(d, 1, 3);
  lend(d, 2);
  d.rewind();
  EXPECT_EQ(*d.pop(), 3);
  d.rewind();
  add_all(d, 10, 2);  // the loan stands: two slots are left
  EXPECT_EQ(d.room(), nullptr);
  EXPECT_EQ(*d.pop(), 11);
  EXPECT_EQ(*d.pop(), 10);
  d.give_back();
  d.rewind();
  add_all(d, 20, 4);
  d.rewind();
  for (int i = 3; i >= 0; --i) ASSERT_EQ(*d.pop(), 20 + i);
}

TEST(deque, grows_to_twice_its_size_and_keeps_its_tasks_in_order) {
  for (int capacity = 1; capacity <= 8; ++capacity) {
    for (int gone = 0; gone <= capacity; ++gone) {
      deque d(static_cast<std::size_t>(capacity));
      add_all(d, 1, capacity);
      if (gone != 0) lend(d, static_cast<std::size_t>(gone));
      ASSERT_TRUE(d.grow());
      EXPECT_EQ(d.capacity(), static_cast<std::size_t>(2 * capacity));
      EXPECT_EQ(d.size(), static_cast<std::size_t>(capacity - gone));
      EXPECT_FALSE(d.is_poll_due());
      add_all(d, 100, capacity + gone);
      EXPECT_EQ(d.room(), nullptr);
      for (int i = capacity + gone - 1; i >= 0; --i) ASSERT_EQ(*d.pop(), 100 + i);
      for (int i = capacity; i > gone; --i) ASSERT_EQ(*d.pop(), i);
      EXPECT_EQ(d.pop(), nullptr);
    }
  }
}

// DEQUE-3, across several growths: ASan sees who reads what is gone.
TEST(deque, leaves_a_loan_where_it_is_when_it_grows) {
  deque d(4);
  add_all(d, 1, 4);
  const deque::run first = lend(d, 2);
  ASSERT_TRUE(d.grow());
  const deque::run second = lend(d, 1);
  ASSERT_TRUE(d.grow());
  d.rewind();
  while (add(d, -1)) {
  }
  EXPECT_EQ(contents(first), (std::vector<task>{1, 2}));
  EXPECT_EQ(contents(second), (std::vector<task>{3}));
  d.give_back();
  while (d.pop() != nullptr) {
  }
  d.rewind();
  EXPECT_EQ(contents(first), (std::vector<task>{1, 2})) << "one loan still stands";
  EXPECT_EQ(contents(second), (std::vector<task>{3}));
  d.give_back();
  d.rewind();
  add_all(d, 1, 16);
  EXPECT_EQ(d.room(), nullptr);
}

TEST(deque, costs_no_fence_and_no_read_modify_write_to_push_and_pop) {
  using counted = leat::platform::counted;
  leat::deque::private_deque<counted, task> d(8);
  const auto before = counted::counts();
  for (int i = 0; i < 100; ++i) {
    for (int k = 0; k < 8; ++k) ASSERT_TRUE(add(d, k));
    EXPECT_FALSE(d.is_poll_due());
    for (int k = 0; k < 8; ++k) ASSERT_NE(d.pop(), nullptr);
    EXPECT_EQ(d.pop(), nullptr);
  }
  const auto spent = counted::counts() - before;
  EXPECT_EQ(spent.fences + spent.cas + spent.rmw, 0u);
}

// The rules again, as the shortest program that obeys them. Positions count from the first slot.
struct model {
  explicit model(std::size_t c) : capacity(c) {}

  std::size_t capacity;
  std::size_t base = 0;  // position of the oldest task
  std::deque<task> tasks;
  std::size_t loans = 0;
  bool raised = false;

  bool at_end() const { return base + tasks.size() == capacity; }
  bool room() {
    if (!at_end()) return true;
    if (base == 0 || base < capacity / 2 || loans != 0) return false;
    base = 0;
    return true;
  }
};

struct loan {
  deque::run lent;
  std::vector<task> contents;
};

class scenario {
 public:
  scenario(std::size_t capacity, unsigned seed) : d_(capacity), m_(capacity), random_(seed) {}

  void step() {
    switch (pick(10)) {
      case 0:
      case 1:
      case 2: return push();
      case 3: return pop();
      case 4: return look();
      case 5: return give_back();
      case 6: return take();
      case 7: return rewind();
      case 8: return signal();
      case 9: return grow();
    }
  }

  void check() {
    ASSERT_EQ(d_.size(), m_.tasks.size());
    ASSERT_EQ(d_.is_poll_due(), m_.raised);
    for (const loan& l : loans_) ASSERT_EQ(contents(l.lent), l.contents);
  }

 private:
  std::size_t pick(std::size_t bound) { return random_() % bound; }

  void push() {
    const bool room = m_.room();
    ASSERT_EQ(add(d_, next_), room);
    if (room) m_.tasks.push_back(next_++);
  }

  void pop() {
    const task* asked_first = d_.pop();
    if (m_.raised || m_.tasks.empty()) {
      ASSERT_EQ(asked_first, nullptr);
      asked_first = d_.pop_without_poll();
    }
    if (m_.tasks.empty()) {
      ASSERT_EQ(asked_first, nullptr);
      return;
    }
    ASSERT_NE(asked_first, nullptr);
    ASSERT_EQ(*asked_first, m_.tasks.back());
    m_.tasks.pop_back();
  }

  void look() {
    d_.acknowledge();
    m_.raised = false;
    if (pick(4) == 0) signal();  // one that comes in between stays
    if (!m_.tasks.empty() && pick(2) == 0) {
      const std::size_t count = 1 + pick(m_.tasks.size());
      const auto end = m_.tasks.begin() + static_cast<std::ptrdiff_t>(count);
      loans_.push_back({d_.lend(count), {m_.tasks.begin(), end}});
      m_.tasks.erase(m_.tasks.begin(), end);
      m_.base += count;
      ++m_.loans;
    }
    const bool again = pick(4) == 0;
    d_.rearm(again);
    m_.raised |= again;
  }

  void give_back() {
    if (loans_.empty()) return;
    loans_.erase(loans_.begin() + static_cast<std::ptrdiff_t>(pick(loans_.size())));
    d_.give_back();
    --m_.loans;
  }

  void take() {
    std::vector<task> offered(1 + pick(3));
    for (task& t : offered) t = next_++;
    const std::size_t free = m_.capacity - m_.base - m_.tasks.size();
    const std::size_t expected = std::min(free, offered.size());
    ASSERT_EQ(d_.take({offered.data(), offered.size()}), expected);
    m_.tasks.insert(m_.tasks.end(), offered.begin(), offered.begin() + static_cast<std::ptrdiff_t>(expected));
  }

  void rewind() {
    d_.rewind();
    if (m_.tasks.empty() && m_.loans == 0) m_.base = 0;
  }

  void grow() {
    if (m_.capacity > 1000 || pick(4) != 0) return;
    ASSERT_TRUE(d_.grow());
    m_.capacity *= 2;
    m_.base = 0;
  }

  void signal() {
    d_.signal();
    m_.raised = true;
  }

  deque d_;
  model m_;
  std::mt19937 random_;
  std::vector<loan> loans_;
  task next_ = 1;
};

TEST(deque, does_what_its_rules_say_in_any_order) {
  for (std::size_t capacity = 1; capacity <= 8; ++capacity) {
    for (unsigned seed = 0; seed < 50; ++seed) {
      SCOPED_TRACE("capacity " + std::to_string(capacity) + ", seed " + std::to_string(seed));
      scenario s(capacity, seed);
      for (int i = 0; i < 300; ++i) {
        s.step();
        s.check();
        if (HasFatalFailure()) return;
      }
    }
  }
}

}  // namespace
