// The channels between real threads. Under TSan this is where a missing release or acquire shows, since the messages
// are plain memory; under ASan a message lost or given out twice.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "leat/channel/mpmc.hpp"
#include "leat/channel/mpsc.hpp"
#include "leat/channel/spsc.hpp"
#include "leat/platform/native.hpp"

namespace {

using leat::platform::native;

using leat::channels::sent;

#if defined(LEAT_UNDER_TSAN)
constexpr std::uint32_t scale = 10;
#else
constexpr std::uint32_t scale = 1;
#endif

// Next to the wrap-around of the 64-bit indices and of the 48-bit tag alike.
constexpr std::uint64_t first = ~std::uint64_t{0} - 1000;

struct letter {
  std::uint32_t sender;
  std::uint32_t number;
};
using post = std::unique_ptr<letter>;

// Sends `count` letters, yielding while the channel is full.
template <class Channel>
void send_letters(Channel& c, std::uint32_t sender, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    post p = std::make_unique<letter>(letter{sender, i});
    while (c.try_send(std::move(p)) != sent::ok) std::this_thread::yield();
  }
}

TEST(channel_stress, spsc_keeps_order_until_drained) {
  for (const std::size_t capacity : {1u, 2u, 3u, 64u}) {
    leat::channels::spsc<native, post> c(capacity, first);
    const std::uint32_t count = (capacity < 4 ? 20'000 : 200'000) / scale;
    for (int round = 0; round < 2; ++round) {
      std::thread sender([&] {
        send_letters(c, 0, count);
        c.close();
      });
      std::uint32_t next = 0;
      while (!c.drained()) {
        if (auto got = c.try_receive()) {
          EXPECT_EQ((*got)->number, next++);
        } else {
          EXPECT_LE(c.size(), capacity);
          std::this_thread::yield();
        }
      }
      EXPECT_EQ(next, count);
      c.reopen();
      sender.join();
    }
  }
}

// The right to send, and the right to receive, go round among threads as a token: ordered, and no more (SPSC-1).
TEST(channel_stress, spsc_ends_may_change_hands) {
  leat::channels::spsc<native, post> c(3, first);
  const std::uint32_t count = 20'000 / scale;
  std::atomic<std::uint32_t> may_send{0};
  std::atomic<std::uint32_t> may_receive{0};
  constexpr std::uint32_t hands = 2;
  std::vector<std::thread> threads;
  for (std::uint32_t me = 0; me < hands; ++me) {
    threads.emplace_back([&, me] {
      for (std::uint32_t i = me; i < count;) {
        if (may_send.load(std::memory_order_acquire) != i) {
          std::this_thread::yield();
          continue;
        }
        post p = std::make_unique<letter>(letter{me, i});
        while (c.try_send(std::move(p)) != sent::ok) std::this_thread::yield();
        may_send.store(i + 1, std::memory_order_release);
        i += hands;
      }
    });
    threads.emplace_back([&, me] {
      for (std::uint32_t i = me; i < count;) {
        if (may_receive.load(std::memory_order_acquire) != i) {
          std::this_thread::yield();
          continue;
        }
        auto got = c.try_receive();
        if (!got) {
          std::this_thread::yield();
          continue;
        }
        EXPECT_EQ((*got)->number, i);
        may_receive.store(i + 1, std::memory_order_release);
        i += hands;
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(c.size(), 0u);
}

TEST(channel_stress, mpsc_keeps_the_order_of_each_sender) {
  for (const std::uint32_t senders : {2u, 3u, 8u}) {
    for (const std::size_t capacity : {1u, 2u, 64u}) {
      leat::channels::mpsc<native, post> c(capacity, first);
      const std::uint32_t count = 4'000 / scale;
      std::vector<std::thread> threads;
      for (std::uint32_t s = 0; s < senders; ++s) threads.emplace_back([&, s] { send_letters(c, s, count); });
      std::vector<std::uint32_t> next(senders, 0);
      for (std::uint32_t left = senders * count; left > 0;) {
        if (auto got = c.try_receive()) {
          const letter& l = **got;
          EXPECT_LT(l.sender, senders);
          EXPECT_EQ(l.number, next[l.sender]++);
          --left;
        } else {
          std::this_thread::yield();
        }
      }
      for (auto& t : threads) t.join();
      EXPECT_TRUE(c.empty());
      EXPECT_FALSE(c.try_receive().has_value());
    }
  }
}

// Messages go round between two channels, as steal requests do: the number of messages is the capacity, so that no send
// may ever find a channel full (MPSC-5).
TEST(channel_stress, mpsc_is_never_full_for_as_many_messages_as_it_has_cells) {
  constexpr std::uint32_t workers = 4;
  using channel = leat::channels::mpsc<native, post>;
  std::vector<std::unique_ptr<channel>> c;
  for (std::uint32_t w = 0; w < workers; ++w) c.push_back(std::make_unique<channel>(workers, first));
  std::atomic<std::int64_t> hops_left{60'000 / scale};
  std::atomic<std::uint32_t> refused{0};
  std::vector<std::thread> threads;
  for (std::uint32_t w = 0; w < workers; ++w) {
    threads.emplace_back([&, w] {
      if (c[w]->try_send(std::make_unique<letter>(letter{w, 0})) != sent::ok) ++refused;
      while (hops_left.load() > 0) {
        auto got = c[w]->try_receive();
        if (!got) {
          std::this_thread::yield();
          continue;
        }
        letter& l = **got;
        --hops_left;
        l.number = l.number * 1664525u + 1013904223u;
        if (c[(l.number >> 16) % workers]->try_send(std::move(*got)) != sent::ok) ++refused;
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(refused.load(), 0u);
  std::size_t left = 0;
  for (auto& each : c) left += each->size();
  EXPECT_EQ(left, workers);
}

// close() is exact (MPSC-6): what was sent with ok is received exactly once, and nothing is sent while closed.
TEST(channel_stress, mpsc_closes_exactly) {
  for (const std::uint32_t senders : {2u, 4u}) {
    leat::channels::mpsc<native, post> c(5, first);
    std::atomic<std::uint32_t> era{0};  // odd while the channel is closed for certain
    std::atomic<bool> stop{false};
    std::atomic<std::uint32_t> late{0};
    std::vector<std::uint32_t> sent_ok(senders, 0);
    std::vector<std::thread> threads;
    for (std::uint32_t s = 0; s < senders; ++s) {
      threads.emplace_back([&, s] {
        std::uint32_t number = 0;
        while (!stop.load()) {
          post p = std::make_unique<letter>(letter{s, number});
          const std::uint32_t before = era.load();
          const sent answer = c.try_send(std::move(p));
          const std::uint32_t after = era.load();
          EXPECT_EQ(p == nullptr, answer == sent::ok);
          if (answer == sent::ok) {
            ++number;
            if (before == after && before % 2 == 1) ++late;
          } else {
            std::this_thread::yield();
          }
        }
        sent_ok[s] = number;
      });
    }
    std::vector<std::uint32_t> next(senders, 0);
    auto drain = [&] {
      std::uint32_t drained = 0;
      while (auto got = c.try_receive()) {
        EXPECT_EQ((*got)->number, next[(*got)->sender]++);
        ++drained;
      }
      return drained;
    };
    for (std::uint32_t round = 0; round < 10'000 / scale; ++round) {
      for (std::uint32_t wanted = round % 4; wanted > 0;) {
        if (auto got = c.try_receive()) {
          EXPECT_EQ((*got)->number, next[(*got)->sender]++);
          --wanted;
        } else {
          std::this_thread::yield();
        }
      }
      c.close();
      ++era;
      drain();
      if (round % 16 == 0) std::this_thread::yield();
      EXPECT_EQ(drain(), 0u);  // nothing came after the closing
      EXPECT_TRUE(c.closed());
      ++era;
      c.reopen();
    }
    stop = true;
    for (auto& t : threads) t.join();
    c.close();
    drain();
    EXPECT_EQ(late.load(), 0u);
    for (std::uint32_t s = 0; s < senders; ++s) EXPECT_EQ(next[s], sent_ok[s]) << s;
  }
}

TEST(channel_stress, mpmc_delivers_each_message_exactly_once) {
  for (const auto& [senders, receivers] :
       {std::pair{1u, 3u}, std::pair{3u, 1u}, std::pair{2u, 2u}, std::pair{4u, 4u}}) {
    for (const std::size_t capacity : {1u, 2u, 3u, 50u}) {
      leat::channels::mpmc<native, post> c(capacity, first);
      const std::uint32_t count = (capacity == 1 ? 1'000 : 4'000) / scale;
      std::vector<std::atomic<std::uint32_t>> received(senders * count);
      std::vector<std::thread> readers;
      for (std::uint32_t r = 0; r < receivers; ++r) {
        readers.emplace_back([&, n = senders] {
          std::vector<std::uint32_t> next(n, 0);
          while (!c.drained()) {
            if (auto got = c.try_receive()) {
              const letter& l = **got;
              EXPECT_GE(l.number, next[l.sender]);  // each receiver sees each sender's letters in their order
              next[l.sender] = l.number + 1;
              ++received[l.sender * count + l.number];
            } else {
              std::this_thread::yield();
            }
          }
        });
      }
      std::vector<std::thread> writers;
      for (std::uint32_t s = 0; s < senders; ++s) writers.emplace_back([&, s] { send_letters(c, s, count); });
      for (auto& t : writers) t.join();
      c.close();
      for (auto& t : readers) t.join();
      for (const auto& times : received) ASSERT_EQ(times.load(), 1u);
      EXPECT_EQ(c.size(), 0u);
    }
  }
}

// What got its ticket before the closing is received, and nothing else (MPMC-6).
TEST(channel_stress, mpmc_closes_exactly) {
  for (std::uint32_t round = 0; round < 400 / scale; ++round) {
    leat::channels::mpmc<native, post> c(1 + round % 4, first);
    std::atomic<std::uint32_t> sent_ok{0};
    std::atomic<std::uint32_t> received{0};
    std::vector<std::thread> threads;
    for (std::uint32_t s = 0; s < 2; ++s) {
      threads.emplace_back([&, s] {
        for (std::uint32_t number = 0;;) {
          const sent answer = c.try_send(std::make_unique<letter>(letter{s, number}));
          if (answer == sent::closed) break;
          if (answer == sent::full) std::this_thread::yield();
          if (answer == sent::ok) ++number, ++sent_ok;
        }
      });
      threads.emplace_back([&] {
        while (!c.drained()) {
          if (c.try_receive()) {
            ++received;
          } else {
            std::this_thread::yield();
          }
        }
      });
    }
    while (sent_ok.load() < round % 64) std::this_thread::yield();
    c.close();
    for (auto& t : threads) t.join();
    ASSERT_EQ(received.load(), sent_ok.load());
  }
}

}  // namespace
