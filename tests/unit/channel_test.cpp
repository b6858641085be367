// What the three ring- and list-like channels promise alike, on each platform.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "leat/channel/mpmc.hpp"
#include "leat/channel/mpsc.hpp"
#include "leat/channel/ring.hpp"
#include "leat/channel/spsc.hpp"
#include "leat/platform/native.hpp"

namespace {

using leat::channels::sent;

template <template <class, class> class Channel>
struct kind {
  template <class T>
  using channel = Channel<leat::platform::native, T>;
};

using kinds = ::testing::Types<kind<leat::channels::spsc>, kind<leat::channels::ring>, kind<leat::channels::mpsc>,
                               kind<leat::channels::mpmc>>;

template <class Kind>
class channel : public ::testing::Test {};
TYPED_TEST_SUITE(channel, kinds);

// Next to nothing, and next to the wrap-around of a 64-bit index and of a 48-bit tag.
constexpr std::uint64_t firsts[] = {0,
                                    1,
                                    std::numeric_limits<std::uint64_t>::max() - 1,
                                    std::numeric_limits<std::uint64_t>::max(),
                                    (std::uint64_t{1} << 48) - 2,
                                    (std::uint64_t{1} << 48) - 1};
constexpr std::size_t capacities[] = {1, 2, 3, 4, 5, 7, 64};

// Can be moved but neither copied nor assigned; knows whether it still has its value.
class token {
 public:
  explicit token(int value) : value_(std::make_unique<int>(value)) {}
  token(token&& other) noexcept : value_(std::move(other.value_)) {}
  token& operator=(token&&) = delete;
  int value() const { return value_ ? *value_ : -1; }

 private:
  std::unique_ptr<int> value_;
};

TYPED_TEST(channel, refuses_a_capacity_of_zero) {
  using type = typename TypeParam::template channel<int>;
  try {
    type c(0);
    FAIL() << "accepted";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find(" is 0,"), std::string::npos) << e.what();
  }
}

TYPED_TEST(channel, refuses_a_capacity_above_its_maximum_and_names_it) {
  using type = typename TypeParam::template channel<int>;
  try {
    type c(type::capacity_max + 1);
    FAIL() << "accepted";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find(std::to_string(type::capacity_max + 1)), std::string::npos) << e.what();
  }
}

TYPED_TEST(channel, is_empty_and_open_at_first) {
  for (const std::size_t capacity : capacities) {
    typename TypeParam::template channel<int> c(capacity);
    EXPECT_EQ(c.capacity(), capacity);
    EXPECT_EQ(c.size(), 0u);
    EXPECT_FALSE(c.closed());
    EXPECT_FALSE(c.try_receive().has_value());
  }
}

TYPED_TEST(channel, keeps_the_order_for_many_laps) {
  for (const std::size_t capacity : capacities) {
    for (const std::uint64_t first : firsts) {
      // At each level of filling, so that the wrap-around meets full, half full and nearly empty channels.
      for (std::size_t level = 1; level <= capacity; ++level) {
        typename TypeParam::template channel<int> c(capacity, first);
        int next_in = 0;
        int next_out = 0;
        for (std::size_t i = 0; i < level; ++i) ASSERT_EQ(c.try_send(next_in++), sent::ok);
        for (int i = 0; i < 200; ++i) {
          ASSERT_EQ(c.try_receive(), next_out++);
          ASSERT_EQ(c.size(), level - 1);
          ASSERT_EQ(c.try_send(next_in++), sent::ok);
          ASSERT_EQ(c.size(), level);
        }
        while (next_out < next_in) ASSERT_EQ(c.try_receive(), next_out++);
        ASSERT_FALSE(c.try_receive().has_value());
      }
    }
  }
}

TYPED_TEST(channel, holds_exactly_its_capacity) {
  for (const std::size_t capacity : capacities) {
    for (const std::uint64_t first : firsts) {
      typename TypeParam::template channel<int> c(capacity, first);
      for (int lap = 0; lap < 5; ++lap) {
        const int filled = static_cast<int>(capacity);
        for (int i = 0; i < filled; ++i) {
          ASSERT_EQ(c.size(), static_cast<std::size_t>(i));
          ASSERT_EQ(c.try_send(i), sent::ok);
        }
        ASSERT_EQ(c.try_send(-1), sent::full);
        ASSERT_EQ(c.size(), capacity);
        ASSERT_EQ(c.try_receive(), 0);
        ASSERT_EQ(c.try_send(filled), sent::ok);  // one out, room for one
        ASSERT_EQ(c.try_send(-1), sent::full);
        for (int i = 1; i <= filled; ++i) ASSERT_EQ(c.try_receive(), i);
        ASSERT_FALSE(c.try_receive().has_value());
      }
    }
  }
}

TYPED_TEST(channel, leaves_a_message_that_it_does_not_take_with_its_sender) {
  typename TypeParam::template channel<token> c(1);
  ASSERT_EQ(c.try_send(token(1)), sent::ok);
  token kept(2);
  EXPECT_EQ(c.try_send(std::move(kept)), sent::full);
  EXPECT_EQ(kept.value(), 2);
  EXPECT_EQ(c.try_receive()->value(), 1);
  c.close();
  EXPECT_EQ(c.try_send(std::move(kept)), sent::closed);
  EXPECT_EQ(kept.value(), 2);
  c.reopen();
  EXPECT_EQ(c.try_send(std::move(kept)), sent::ok);
  EXPECT_EQ(kept.value(), -1);
  EXPECT_EQ(c.try_receive()->value(), 2);
}

TYPED_TEST(channel, copies_what_is_sent_by_name) {
  typename TypeParam::template channel<std::shared_ptr<int>> c(2);
  const auto message = std::make_shared<int>(3);
  ASSERT_EQ(c.try_send(message), sent::ok);
  EXPECT_EQ(message.use_count(), 2);
  EXPECT_EQ(c.try_receive().value(), message);
  EXPECT_EQ(message.use_count(), 1);
}

TYPED_TEST(channel, gives_out_what_is_inside_after_it_was_closed) {
  for (const std::size_t capacity : capacities) {
    for (const std::uint64_t first : firsts) {
      typename TypeParam::template channel<int> c(capacity, first);
      for (int round = 0; round < 4; ++round) {
        for (std::size_t i = 0; i < capacity; ++i) ASSERT_EQ(c.try_send(static_cast<int>(i)), sent::ok);
        c.close();
        ASSERT_TRUE(c.closed());
        ASSERT_EQ(c.size(), capacity);
        for (std::size_t i = 0; i < capacity; ++i) {
          ASSERT_EQ(c.try_send(-1), sent::closed);
          ASSERT_EQ(c.try_receive(), static_cast<int>(i));
        }
        ASSERT_FALSE(c.try_receive().has_value());
        ASSERT_EQ(c.try_send(-1), sent::closed);
        c.reopen();
        ASSERT_FALSE(c.closed());
        ASSERT_EQ(c.size(), 0u);
      }
    }
  }
}

TYPED_TEST(channel, may_be_closed_twice_and_empty) {
  typename TypeParam::template channel<int> c(2);
  c.close();
  c.close();
  EXPECT_TRUE(c.closed());
  EXPECT_FALSE(c.try_receive().has_value());
  c.reopen();
  EXPECT_EQ(c.try_send(1), sent::ok);
  EXPECT_EQ(c.try_receive(), 1);
}

TYPED_TEST(channel, drops_what_is_left_inside) {
  for (const std::size_t capacity : capacities) {
    for (const std::uint64_t first : firsts) {
      const auto message = std::make_shared<int>(1);
      for (std::size_t received = 0; received < 3; ++received) {
        typename TypeParam::template channel<std::shared_ptr<int>> c(capacity, first);
        for (std::size_t i = 0; i < received; ++i) {
          ASSERT_EQ(c.try_send(message), sent::ok);
          ASSERT_TRUE(c.try_receive().has_value());
          ASSERT_EQ(message.use_count(), 1);
        }
        for (std::size_t i = 0; i < capacity; ++i) ASSERT_EQ(c.try_send(message), sent::ok);
        ASSERT_EQ(message.use_count(), 1 + static_cast<long>(capacity));
        if (capacity > 1) {
          ASSERT_TRUE(c.try_receive().has_value());  // half way: some collected, some on their way
          ASSERT_EQ(c.try_send(message), sent::ok);
        }
      }
      EXPECT_EQ(message.use_count(), 1);
    }
  }
}

TYPED_TEST(channel, carries_move_only_and_large_and_aligned_messages) {
  struct alignas(128) page {
    std::unique_ptr<int> value;
    char bytes[300] = {};
  };
  typename TypeParam::template channel<page> c(3);
  for (int i = 0; i < 10; ++i) {
    page p;
    p.value = std::make_unique<int>(i);
    p.bytes[299] = static_cast<char>(i);
    ASSERT_EQ(c.try_send(std::move(p)), sent::ok);
    auto got = c.try_receive();
    ASSERT_TRUE(got.has_value());
    EXPECT_EQ(*got->value, i);
    EXPECT_EQ(got->bytes[299], static_cast<char>(i));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&*got) % 128, 0u);
  }
}

}  // namespace
