// The parker: how a thread without work waits.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "engines.hpp"
#include "leat/handshake/parker.hpp"
#include "leat/platform/counted.hpp"
#include "leat/platform/native.hpp"

namespace {

using leat::platform::native;

using leat_test::comes_true;

constexpr std::uint64_t second = 1'000'000'000;

TEST(parker, does_not_sleep_when_it_is_ready) {
  leat::handshake::parker<native> p;
  EXPECT_FALSE(p.wait([] { return true; }, 0));
  EXPECT_FALSE(p.wait([] { return true; }, second));
}

TEST(parker, does_not_sleep_when_spinning_is_enough) {
  leat::handshake::parker<native> p;
  int looks = 0;
  EXPECT_FALSE(p.wait([&] { return ++looks == 1000; }, 10 * second));
}

TEST(parker, stops_spinning_after_the_time_given) {
  leat::handshake::parker<native> p;
  std::atomic<bool> ready{false};
  const std::uint64_t start = native::now_ns();
  std::thread notifier([&] {
    EXPECT_TRUE(comes_true([&] { return ready || p.notify(); }));  // true: it is asleep, though not ready
    ready = true;
    p.notify();
  });
  p.wait([&] { return ready.load(); }, 5'000'000);  // it may be told just before it falls asleep
  EXPECT_GE(native::now_ns() - start, 5'000'000u);
  notifier.join();
}

TEST(parker, a_notification_of_nobody_does_nothing) {
  leat::handshake::parker<native> p;
  EXPECT_FALSE(p.notify());
  EXPECT_FALSE(p.wait([] { return true; }, 0));
  EXPECT_FALSE(p.notify()) << "nobody sleeps any more";
}

TEST(parker, is_not_taken_for_asleep_when_its_last_look_kept_it_awake) {
  leat::handshake::parker<native> p;
  int looks = 0;
  EXPECT_FALSE(p.wait([&] { return ++looks == 2; }, 0));  // the look between announcing and sleeping
  EXPECT_FALSE(p.notify());
}

TEST(parker, goes_back_to_sleep_until_it_is_ready) {
  leat::handshake::parker<native> p;
  std::atomic<bool> ready{false};
  std::atomic<bool> returned{false};
  std::thread sleeper([&] {
    EXPECT_TRUE(p.wait([&] { return ready.load(); }, 0));
    returned = true;
  });
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(comes_true([&] { return p.notify(); })) << "it sleeps again";
  EXPECT_FALSE(returned);
  ready = true;
  p.notify();
  EXPECT_TRUE(comes_true([&] { return returned.load(); }));
  sleeper.join();
}

TEST(parker, is_woken_by_one_of_many_notifiers) {
  leat::handshake::parker<native> p;
  for (int round = 0; round < leat_test::reps(200); ++round) {
    std::atomic<bool> ready{false};
    std::atomic<bool> slept{false};
    std::atomic<int> woke{0};
    std::thread sleeper([&] { slept = p.wait([&] { return ready.load(); }, 0); });
    std::vector<std::thread> notifiers;
    for (int i = 0; i < 3; ++i) {
      notifiers.emplace_back([&] {
        ready = true;
        woke += p.notify() ? 1 : 0;
      });
    }
    for (auto& t : notifiers) t.join();
    sleeper.join();
    ASSERT_LE(woke, 1);
  }
}

// Each side's news lets the other go on; one lost wake-up and both sleep for ever.
TEST(parker, loses_no_wake_up) {
  for (const std::uint64_t spin_ns : {std::uint64_t{0}, std::uint64_t{2000}}) {
    leat::handshake::parker<native> ping;
    leat::handshake::parker<native> pong;
    // relaxed, both: the fences of the parker have to do.
    std::atomic<int> ball{0};
    const int rounds = leat_test::reps(20'000);
    std::thread other([&] {
      for (int i = 1; i < 2 * rounds; i += 2) {
        pong.wait([&] { return ball.load(std::memory_order_relaxed) == i; }, spin_ns);
        ball.store(i + 1, std::memory_order_relaxed);
        ping.notify();
      }
    });
    for (int i = 0; i < 2 * rounds; i += 2) {
      ball.store(i + 1, std::memory_order_relaxed);
      pong.notify();
      ping.wait([&] { return ball.load(std::memory_order_relaxed) == i + 2; }, spin_ns);
    }
    other.join();
    EXPECT_EQ(ball, 2 * rounds);
  }
}

TEST(parker_cost, a_notification_of_nobody_makes_no_system_call) {
  using leat::platform::counted;
  leat::handshake::parker<counted> p;
  const auto before = counted::counts();
  p.notify();
  const auto spent = counted::counts() - before;
  EXPECT_EQ(spent.fences, 1u);
  EXPECT_EQ(spent.rmw + spent.cas, 0u);
  EXPECT_EQ(spent.wakes, 0u);
}

}  // namespace
