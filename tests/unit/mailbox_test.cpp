// The channel of the manager: whoever sends into an empty one receives. Rules MAILBOX-1 to MAILBOX-6 of
// docs/internals/channels.md.
#include "leat/channel/mailbox.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "leat/platform/counted.hpp"
#include "leat/platform/native.hpp"

namespace {

using leat::platform::counted;
using leat::platform::native;

constexpr std::uint32_t near_the_end = ~std::uint32_t{0} - 2;

// A message whose move, which send makes between taking a place and filling it, lets others run: a sender that the
// system suspends at the worst moment, without a thread.
struct interrupted {
  int value = 0;
  std::function<void()> meanwhile;

  explicit interrupted(int v, std::function<void()> m = {}) : value(v), meanwhile(std::move(m)) {}
  interrupted(interrupted&& other) noexcept : value(other.value), meanwhile(nullptr) {
    if (other.armed_) {
      auto run = std::move(other.meanwhile);
      run();
    } else {
      meanwhile = std::move(other.meanwhile);
      armed_ = meanwhile != nullptr;  // the move into the argument is the first, that into the place the second
    }
  }
  interrupted& operator=(interrupted&&) = delete;

 private:
  bool armed_ = false;
};

TEST(mailbox, refuses_a_capacity_out_of_bounds_and_names_it) {
  using type = leat::channels::mailbox<native, int>;
  for (const std::size_t capacity : {std::size_t{0}, type::capacity_max + 1}) {
    try {
      type refused(capacity);
      ADD_FAILURE() << capacity;
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find("mailbox is " + std::to_string(capacity)), std::string::npos) << e.what();
    }
  }
}

TEST(mailbox, has_the_first_sender_receive_until_nothing_is_left) {
  for (const std::uint32_t first : {0u, near_the_end}) {
    for (std::size_t capacity = 1; capacity <= 5; ++capacity) {
      leat::channels::mailbox<native, int> c(capacity, first);
      ASSERT_GE(c.capacity(), capacity);
      const int together = static_cast<int>(c.capacity());
      for (int lap = 0; lap < 5; ++lap) {
        for (int i = 0; i < together; ++i) ASSERT_EQ(c.send(i), i == 0);
        for (int i = 0; i < together; ++i) ASSERT_EQ(c.receive(), i);
        ASSERT_FALSE(c.receive().has_value());
      }
    }
  }
}

TEST(mailbox, gives_what_comes_while_it_is_emptied_to_who_empties_it) {
  leat::channels::mailbox<native, int> c(2, near_the_end);
  ASSERT_TRUE(c.send(0));
  for (int i = 0; i < 20; ++i) {
    ASSERT_FALSE(c.send(i + 1));
    ASSERT_EQ(c.receive(), i);
  }
  ASSERT_EQ(c.receive(), 20);
  ASSERT_FALSE(c.receive().has_value());
  ASSERT_TRUE(c.send(0));
}

// MAILBOX-4: the receiver does not wait for a sender that stands still, and that one receives when it goes on.
TEST(mailbox, is_left_to_a_sender_that_stands_still) {
  leat::channels::mailbox<native, interrupted> c(4, near_the_end);
  ASSERT_TRUE(c.send(interrupted(0)));
  interrupted stalled(1, [&] {
    EXPECT_FALSE(c.send(interrupted(2)));
    EXPECT_EQ(c.receive()->value, 0);
    EXPECT_FALSE(c.receive().has_value());  // 2 lies behind 1 (MAILBOX-6)
    EXPECT_FALSE(c.send(interrupted(3)));  // it is not told to receive either
  });
  ASSERT_TRUE(c.send(std::move(stalled)));
  for (int i = 1; i <= 3; ++i) ASSERT_EQ(c.receive()->value, i);
  ASSERT_FALSE(c.receive().has_value());
  ASSERT_TRUE(c.send(interrupted(4)));
}

// MAILBOX-4: the same, when the message comes while the receiver still has others.
TEST(mailbox, is_kept_if_the_message_comes_in_time) {
  leat::channels::mailbox<native, interrupted> c(4);
  ASSERT_TRUE(c.send(interrupted(0)));
  interrupted stalled(1, [&] { EXPECT_FALSE(c.send(interrupted(2))); });
  ASSERT_FALSE(c.send(std::move(stalled)));
  for (int i = 0; i <= 2; ++i) ASSERT_EQ(c.receive()->value, i);
  ASSERT_FALSE(c.receive().has_value());
}

// MAILBOX-2: the first sender is the receiver also while others have sent before its message is there.
TEST(mailbox, belongs_to_who_came_first) {
  leat::channels::mailbox<native, interrupted> c(2);
  interrupted stalled(0, [&] { EXPECT_FALSE(c.send(interrupted(1))); });
  ASSERT_TRUE(c.send(std::move(stalled)));
  EXPECT_EQ(c.receive()->value, 0);
  EXPECT_EQ(c.receive()->value, 1);
  EXPECT_FALSE(c.receive().has_value());
}

TEST(mailbox, drops_what_is_left_inside) {
  const auto shared = std::make_shared<int>(1);
  for (const std::uint32_t first : {0u, near_the_end}) {
    for (int left = 0; left <= 4; ++left) {
      {
        leat::channels::mailbox<native, std::shared_ptr<int>> c(4, first);
        for (int i = 0; i < left; ++i) ASSERT_EQ(c.send(shared), i == 0);
        if (left > 2) {
          ASSERT_EQ(c.receive(), shared);
        }
      }
      ASSERT_EQ(shared.use_count(), 1);
    }
  }
}

TEST(mailbox, carries_move_only_and_aligned_messages) {
  struct alignas(128) wide {
    std::unique_ptr<int> value;
  };
  leat::channels::mailbox<native, wide> c(2);
  ASSERT_TRUE(c.send({std::make_unique<int>(7)}));
  const auto got = c.receive();
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(*got->value, 7);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&*got) % 128, 0u);
}

// Threads send, more at a time than there is room for. What the receiver does is plain memory: TSan sees two at it.
TEST(mailbox, has_one_receiver_at_a_time_and_keeps_each_senders_order) {
  constexpr int each = 3000;
  for (const std::size_t capacity : {1u, 4u, 64u}) {
    for (const int senders : {1, 2, 3, 8}) {
      leat::channels::mailbox<native, std::pair<int, int>> c(capacity, near_the_end);
      std::vector<int> next(static_cast<std::size_t>(senders), 0);
      bool in_order = true;
      std::vector<std::thread> threads;
      for (int s = 0; s < senders; ++s) {
        threads.emplace_back([&, s] {
          for (int i = 0; i < each; ++i) {
            if (!c.send({s, i})) continue;
            while (const auto got = c.receive())
              in_order &= got->second == next[static_cast<std::size_t>(got->first)]++;
          }
        });
      }
      for (std::thread& t : threads) t.join();
      EXPECT_TRUE(in_order);
      EXPECT_EQ(next, std::vector<int>(static_cast<std::size_t>(senders), each));
    }
  }
}

TEST(mailbox_cost, is_two_read_modify_writes_to_send_and_one_to_leave) {
  leat::channels::mailbox<counted, int> c(4);
  for (int lap = 0; lap < 3; ++lap) {
    auto last = counted::counts();
    const auto spent = [&last] {
      const auto now = counted::counts();
      const auto since = now - last;
      last = now;
      return since;
    };
    for (int i = 0; i < 4; ++i) ASSERT_EQ(c.send(i), i == 0);
    EXPECT_EQ(spent().rmw, 8u);
    ASSERT_EQ(c.receive(), 0);
    EXPECT_EQ(spent().rmw, 0u);  // the one that it sent
    for (int i = 1; i < 4; ++i) ASSERT_EQ(c.receive(), i);
    EXPECT_EQ(spent().rmw, 1u);  // for the three that came since
    ASSERT_FALSE(c.receive().has_value());
    const auto end = spent();
    EXPECT_EQ(end.rmw, 1u);
    EXPECT_EQ(end.cas + end.fences, 0u);
  }
}

}  // namespace
