// leat::channel on real threads: its members, tasks and threads at its ends, exceptions, bad capacities.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

using leat::channel;
using leat::ends;
using leat::wait;

template <ends Senders, ends Receivers>
struct shape {
  template <class T>
  using of = channel<T, Senders, Receivers>;
  static constexpr int senders = Senders == ends::one ? 1 : 3;
  static constexpr int receivers = Receivers == ends::one ? 1 : 3;
};
using shapes = ::testing::Types<shape<ends::one, ends::one>, shape<ends::many, ends::one>, shape<ends::one, ends::many>,
                                shape<ends::many, ends::many>>;

template <class Shape>
class user_channel : public ::testing::Test {};
TYPED_TEST_SUITE(user_channel, shapes);

TYPED_TEST(user_channel, refuses_capacities_that_it_cannot_have) {
  using type = typename TypeParam::template of<int>;
  for (const std::size_t wrong : {std::size_t{0}, type::capacity_max + 1, std::numeric_limits<std::size_t>::max()}) {
    try {
      type c(wrong);
      FAIL() << wrong << " accepted";
    } catch (const std::invalid_argument& e) {
      EXPECT_THAT(e.what(), ::testing::HasSubstr("capacity of a channel is " + std::to_string(wrong) + ",")) << wrong;
    }
  }
}

// A message that can be moved into a new object and do nothing else.
struct unassignable {
  explicit unassignable(int v) : value(v) {}
  unassignable(unassignable&&) noexcept = default;
  unassignable& operator=(unassignable&&) = delete;
  int value;
};

TYPED_TEST(user_channel, takes_messages_that_cannot_be_assigned) {
  typename TypeParam::template of<unassignable> c(2);
  EXPECT_FALSE(c.try_receive());
  EXPECT_TRUE(c.send(unassignable(1)) && c.try_send(unassignable(2)));
  EXPECT_EQ(c.receive()->value, 1);
  EXPECT_EQ(c.try_receive()->value, 2);
  c.close();
  EXPECT_FALSE(c.receive());
}

TYPED_TEST(user_channel, holds_as_many_as_it_has_room_for) {
  for (const std::size_t capacity : {1, 2, 3, 5, 64}) {
    typename TypeParam::template of<std::unique_ptr<std::size_t>> c(capacity);
    EXPECT_EQ(c.capacity(), capacity);
    for (std::size_t round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < capacity; ++i) {
        EXPECT_EQ(c.size(), i);
        ASSERT_TRUE(c.try_send(std::make_unique<std::size_t>(i)));
      }
      auto one_more = std::make_unique<std::size_t>(99);
      EXPECT_FALSE(c.try_send(std::move(one_more)));
      ASSERT_NE(one_more, nullptr);  // the sender still has it
      for (std::size_t i = 0; i < capacity; ++i) EXPECT_EQ(**c.try_receive(), i);
      EXPECT_FALSE(c.try_receive());
    }
  }
}

TYPED_TEST(user_channel, is_closed_drained_and_reopened) {
  typename TypeParam::template of<std::unique_ptr<int>> c(4);
  EXPECT_FALSE(c.closed());
  EXPECT_THROW(c.reopen(), std::logic_error);
  ASSERT_TRUE(c.send(std::make_unique<int>(1)));
  c.close();
  c.close();
  EXPECT_TRUE(c.closed());
  auto late = std::make_unique<int>(2);
  EXPECT_FALSE(c.send(std::move(late)));
  EXPECT_FALSE(c.try_send(std::move(late)));
  ASSERT_NE(late, nullptr);
  EXPECT_THROW(c.reopen(), std::logic_error);  // a message is inside
  EXPECT_EQ(**c.receive(), 1);
  EXPECT_FALSE(c.receive());
  EXPECT_FALSE(c.try_receive());
  c.reopen();
  EXPECT_FALSE(c.closed());
  ASSERT_TRUE(c.send(std::move(late)));
  EXPECT_EQ(**c.receive(), 2);
}

TYPED_TEST(user_channel, gives_its_messages_to_a_loop) {
  typename TypeParam::template of<std::string> c(3);
  const std::string copied = "b";
  ASSERT_TRUE(c.send("a"));
  ASSERT_TRUE(c.try_send(copied));
  ASSERT_TRUE(c.send(copied));
  c.close();
  std::string all;
  for (std::string& m : c) all += std::exchange(m, "");
  EXPECT_EQ(all, "abb");
  EXPECT_EQ(copied, "b");
}

TYPED_TEST(user_channel, drops_what_is_inside) {
  const auto counted = std::make_shared<int>(1);
  {
    typename TypeParam::template of<std::shared_ptr<int>> c(3);
    ASSERT_TRUE(c.send(counted));
    ASSERT_TRUE(c.send(counted));
    EXPECT_EQ(counted.use_count(), 3);
  }
  EXPECT_EQ(counted.use_count(), 1);
}

// Its move throws while `throws` is set; copies do not exist.
struct fragile {
  static inline bool throws = false;
  int value;
  explicit fragile(int v) : value(v) {}
  fragile(fragile&& other) : value(other.value) {
    if (throws) throw std::runtime_error("it broke");
  }
  fragile& operator=(fragile&& other) {
    value = other.value;
    return *this;
  }
};

TYPED_TEST(user_channel, stays_whole_when_a_move_throws) {
  typename TypeParam::template of<fragile> c(2);
  ASSERT_TRUE(c.send(fragile(1)));
  fragile::throws = true;
  EXPECT_THROW(c.send(fragile(2)), std::runtime_error);
  EXPECT_THROW(static_cast<void>(c.try_send(fragile(2))), std::runtime_error);
  fragile::throws = false;
  EXPECT_EQ(c.size(), 1u);  // what a send throws was not sent
  ASSERT_TRUE(c.send(fragile(3)));
  fragile third(4);
  EXPECT_FALSE(c.try_send(std::move(third)));
  EXPECT_EQ(third.value, 4);
  fragile::throws = true;
  EXPECT_THROW(static_cast<void>(c.receive()), std::runtime_error);
  fragile::throws = false;
  EXPECT_EQ(c.receive()->value, 3);  // what a receive throws is lost
  c.close();
  EXPECT_FALSE(c.send(std::move(third)));
  EXPECT_EQ(third.value, 4);
  EXPECT_FALSE(c.receive());
}

// -- several at once -----------------------------------------------------------------------------------------------------

struct numbered {
  int sender;
  int number;
};

// How often each message came. A receiver sees each sender's in order.
class receipts {
 public:
  receipts(int senders, int each) : each_(each), times_(static_cast<std::size_t>(senders * each)) {}

  template <class Channel>
  void receive_all(Channel& c, wait how = wait::own) {
    std::array<int, 8> last{};
    last.fill(-1);
    while (const auto m = c.receive(how)) {
      int& before = last.at(static_cast<std::size_t>(m->sender));
      EXPECT_LT(before, m->number);
      before = m->number;
      times_[static_cast<std::size_t>(m->sender * each_ + m->number)].fetch_add(1, std::memory_order_relaxed);
    }
  }

  void expect_once_each() const {
    for (const auto& t : times_) ASSERT_EQ(t.load(), 1);
  }

 private:
  int each_;
  std::vector<std::atomic<int>> times_;
};

template <class Channel>
void send_all(Channel& c, int sender, int each) {
  for (int i = 0; i < each; ++i) ASSERT_TRUE(c.send(numbered{sender, i}));
}

TYPED_TEST(user_channel, joins_threads) {
  for (const std::size_t capacity : {1, 7}) {
    constexpr int each = 2'000;
    typename TypeParam::template of<numbered> c(capacity);
    receipts all(TypeParam::senders, each);
    std::vector<std::thread> sending, receiving;
    for (int s = 0; s < TypeParam::senders; ++s) sending.emplace_back([&, s] { send_all(c, s, each); });
    for (int r = 0; r < TypeParam::receivers; ++r) receiving.emplace_back([&] { all.receive_all(c); });
    for (auto& t : sending) t.join();
    c.close();
    for (auto& t : receiving) t.join();
    all.expect_once_each();
  }
}

// Tasks at one end, threads at the other; then the other way round.
TYPED_TEST(user_channel, joins_tasks_with_threads) {
  constexpr int each = 1'000;
  leat::runtime rt({.workers = 4});
  for (const bool tasks_send : {true, false}) {
    typename TypeParam::template of<numbered> c(3);
    receipts all(TypeParam::senders, each);
    const int tasks = tasks_send ? TypeParam::senders : TypeParam::receivers;
    const int threads = tasks_send ? TypeParam::receivers : TypeParam::senders;
    const auto play = [&](bool sends, int who) { sends ? send_all(c, who, each) : all.receive_all(c); };
    std::vector<std::thread> outside;
    for (int t = 0; t < threads; ++t) outside.emplace_back([&, t] { play(!tasks_send, t); });
    const auto join = [&] {
      for (auto& t : outside) t.join();
    };
    if (!tasks_send) {
      std::thread closing([&] { join(), c.close(); });
      rt.run([&] {
        leat::task_group g;
        for (int t = 0; t < tasks; ++t) g.spawn([&, t] { play(tasks_send, t); });
        g.wait();
      });
      closing.join();
    } else {
      rt.run([&] {
        leat::task_group g;
        for (int t = 0; t < tasks; ++t) g.spawn([&, t] { play(tasks_send, t); });
        g.wait();
      });
      c.close();
      join();
    }
    all.expect_once_each();
  }
}

// With wait::any one worker has both ends.
TEST(user_channel_tasks, run_others_while_they_wait_for_any) {
  leat::runtime rt({.workers = 1});
  int sum = 0;
  rt.run([&] {
    channel<int, ends::one, ends::one> c(8);
    leat::spawn([&] {
      for (int i = 1; i <= 8; ++i) EXPECT_TRUE(c.send(i));
      c.close();
    });
    while (const auto m = c.receive(wait::any)) sum += *m;
  });
  EXPECT_EQ(sum, 36);
}

// CHANNEL-2: a task that is begun in the wait can rely on the channel's other receivers.
TEST(user_channel_tasks, leave_messages_to_others_while_they_run_a_task) {
  for (const char* scheduler : {"channel", "prell", "lcws-signal"}) {
    leat::runtime rt({.workers = 1, .scheduler = scheduler});
    int got = 0;
    rt.run([&] {
      channel<int> c(8);
      leat::spawn([&] {
        std::atomic<int> other{0};
        std::thread receiver([&] { other = c.receive().value_or(-1); });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // it waits in the line by then, or tries: as well
        EXPECT_TRUE(c.send(1));
        EXPECT_TRUE(leat_test::comes_true([&] { return other == 1; })) << scheduler;
        EXPECT_TRUE(c.send(2));
        if (other == 0) {
          EXPECT_TRUE(c.send(3));
        }
        receiver.join();
      });
      got = c.receive(wait::any).value_or(-1);
    });
    EXPECT_EQ(got, 2) << scheduler;
  }
}

// A wait inside leat::blocking leaves the worker's place to a compensating one, which executes the sender.
TEST(user_channel_tasks, block_in_leat_blocking) {
  leat::runtime rt({.workers = 1});
  int got = 0;
  rt.run([&] {
    channel<int> c(1);
    leat::task_group g;
    g.spawn([&] { EXPECT_TRUE(c.send(7)); });
    got = leat::blocking([&] { return c.receive().value_or(0); });
    g.wait();
  });
  EXPECT_EQ(got, 7);
}

// The root waits for long, and gives its tasks away meanwhile.
TEST(user_channel_tasks, answer_thieves_while_they_wait) {
  leat::runtime rt({.workers = 2});
  constexpr int tasks = 100;
  std::atomic<int> ran{0};
  rt.run([&] {
    channel<int> c(1);
    for (int i = 0; i < tasks; ++i) {
      leat::spawn([&] {
        if (ran.fetch_add(1) + 1 == tasks) c.send(tasks);
      });
    }
    // The worker that waits runs none of them.
    EXPECT_EQ(c.receive(), tasks);
  });
  EXPECT_EQ(ran.load(), tasks);
}

TEST(user_channel_waits, end_when_the_channel_is_closed) {
  channel<int> c(1);
  std::thread receiving([&] { EXPECT_FALSE(c.receive()); });
  std::this_thread::yield();
  c.close();
  receiving.join();
  c.reopen();
  ASSERT_TRUE(c.send(1));
  std::thread sending([&] {
    int late = 2;
    EXPECT_FALSE(c.send(std::move(late)));
  });
  std::this_thread::yield();
  c.close();
  sending.join();
  EXPECT_EQ(c.receive(), 1);
}

// 10^8 messages of each shape, all of which come once.
TYPED_TEST(user_channel, passes_a_hundred_million_long) {
  constexpr std::uint64_t messages = 100'000'000;
  typename TypeParam::template of<std::uint64_t> c(1024);
  std::atomic<std::uint64_t> sum{0}, count{0};
  std::vector<std::thread> sending, receiving;
  constexpr auto senders = std::uint64_t{TypeParam::senders};
  for (std::uint64_t s = 0; s < senders; ++s) {
    sending.emplace_back([&, s] {
      for (std::uint64_t i = 1 + s; i <= messages; i += senders) c.send(i);
    });
  }
  for (int r = 0; r < TypeParam::receivers; ++r) {
    receiving.emplace_back([&] {
      std::uint64_t mine = 0, had = 0;
      while (const auto m = c.receive()) mine += *m, ++had;
      sum += mine, count += had;
    });
  }
  for (auto& t : sending) t.join();
  c.close();
  for (auto& t : receiving) t.join();
  EXPECT_EQ(count.load(), messages);
  EXPECT_EQ(sum.load(), messages / 2 * (messages + 1));
}

}  // namespace
