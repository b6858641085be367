// The private deque with others around it: they ask, and they read what they were lent.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "engines.hpp"
#include "leat/deque/private.hpp"
#include "leat/platform/native.hpp"

namespace {

using task = std::array<std::uint64_t, 4>;
using deque = leat::deque::private_deque<leat::platform::native, task>;

constexpr task task_of(std::uint64_t i) { return {i, ~i, i * 3, i ^ 0x5555}; }

// DEQUE-2: a request that was sent before a raise is seen by the look that the raise brings about. An asker whose
// request was missed would wait for ever; it gives up after a while.
TEST(deque_stress, no_request_is_overlooked) {
  for (const std::size_t capacity : {1u, 2u, 4u, 64u}) {
    deque d(capacity);
    constexpr int askers = 3;
    const std::uint32_t requests_each = static_cast<std::uint32_t>(leat_test::reps(10'000));
    std::array<std::atomic<std::uint32_t>, askers> sent{};
    std::array<std::atomic<std::uint32_t>, askers> answered{};
    std::atomic<int> asking{askers};
    std::atomic<bool> overlooked{false};

    std::vector<std::thread> threads;
    for (std::size_t a = 0; a < askers; ++a) {
      threads.emplace_back([&, a] {
        for (std::uint32_t i = 1; i <= requests_each && !overlooked; ++i) {
          sent[a].store(i, std::memory_order_relaxed);  // relaxed: the raise has to order it
          d.signal();
          if (!leat_test::comes_true([&] { return answered[a] == i || overlooked; })) overlooked = true;
        }
        --asking;
      });
    }

    // The owner pushes and pops, and looks only when it is asked.
    std::uint64_t looks = 0;
    const auto look = [&] {
      ++looks;
      d.acknowledge();
      for (std::size_t a = 0; a < askers; ++a) answered[a] = sent[a].load(std::memory_order_relaxed);
      const bool lends = d.size() > 1;
      if (lends) d.lend(1);
      d.rearm(false);
      if (lends) d.give_back();
    };
    while (asking != 0) {
      for (std::uint64_t i = 0; i < capacity; ++i) {
        task* slot = d.room();
        if (slot == nullptr) break;
        *slot = task_of(i);
        d.push();
        if (d.is_poll_due()) look();
      }
      while (!d.empty()) {
        if (d.pop() == nullptr) {
          d.pop_without_poll();
          look();
        }
      }
      std::this_thread::yield();
    }
    for (auto& t : threads) t.join();
    EXPECT_FALSE(overlooked) << "capacity " << capacity;
    EXPECT_GE(looks, requests_each);
  }
}

// DEQUE-3: nothing is written where a loan still stands, however slow the reader is.
TEST(deque_stress, a_loan_can_be_read_until_it_is_given_back) {
  for (const std::size_t capacity : {1u, 2u, 3u, 8u}) {
    deque d(capacity);
    struct offer {
      deque::run lent;
      std::uint64_t first;
    };
    offer current;
    std::atomic<bool> there{false};
    std::atomic<bool> stop{false};
    std::atomic<std::uint64_t> torn{0};
    std::atomic<std::uint64_t> read{0};

    std::thread reader([&] {
      while (!stop) {
        if (!there.load(std::memory_order_acquire)) {
          std::this_thread::yield();
          continue;
        }
        const offer mine = current;
        there.store(false, std::memory_order_release);  // the owner may offer again while we read
        if (mine.first % 64 == 0) std::this_thread::yield();
        for (std::size_t i = 0; i < mine.lent.count; ++i) {
          if (mine.lent.first[i] != task_of(mine.first + i)) ++torn;
        }
        read += mine.lent.count;
        d.give_back();
      }
    });

    const auto wanted = static_cast<std::uint64_t>(leat_test::reps(50'000));
    std::uint64_t oldest = 0;
    std::uint64_t next = 0;
    while (next < wanted) {
      task* slot = d.room();
      if (slot != nullptr) {
        *slot = task_of(next++);
        d.push();
      }
      if (!d.empty() && !there.load(std::memory_order_acquire)) {
        const std::size_t count = d.size() - d.size() / 2;
        d.acknowledge();
        current = {d.lend(count), oldest};
        d.rearm(false);
        there.store(true, std::memory_order_release);
        oldest += count;
      } else if (slot == nullptr) {
        std::this_thread::yield();
      }
    }
    EXPECT_TRUE(leat_test::comes_true([&] { return read == oldest; }));
    stop = true;
    reader.join();
    EXPECT_EQ(torn, 0u) << "capacity " << capacity;
  }
}

}  // namespace
