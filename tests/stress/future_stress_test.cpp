// Futures under load: recursion, results freed by whichever side comes last, results dropped at the last moment.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "engines.hpp"

namespace {

using leat_test::engine;
using leat_test::reps;
using leat_test::shape;

template <class E>
std::uint64_t fib(int n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  auto a = E::async([n] { return fib<E>(n - 1); });
  auto b = E::async([n] { return fib<E>(n - 2); });
  return a.get() + b.get();
}

TEST(future_stress, two_futures_in_every_node_of_a_recursion) {
  for (const std::uint32_t workers : {1u, 2u, 8u, 64u}) {
    for (const std::size_t capacity : {std::size_t{2}, shape{}.deque_capacity}) {
      const shape s{workers, capacity};
      SCOPED_TRACE(s.name());
      engine e(s);
      constexpr int n = leat_test::sanitized ? 16 : 22;
      EXPECT_EQ(e.run([] { return fib<engine>(n); }), n == 16 ? 987u : 17'711u);
    }
  }
}

// The reader goes away while the task delivers: one of the two frees the channel and the result, never both.
TEST(future_stress, results_are_dropped_while_they_arrive) {
  for (const std::uint32_t workers : {2u, 8u}) {
    engine e(shape{workers});
    const auto token = std::make_shared<int>(0);
    for (int round = 0; round < reps(200); ++round) {
      e.run([&] {
        for (int i = 0; i < 50; ++i) {
          auto f = engine::async([token, i] {
            if (i % 3 == 0) throw i;
            return token;
          });
          for (int k = 0; k < i % 5; ++k) engine::poll();
          if (i % 7 == 0) f.wait();
        }
      });
      ASSERT_EQ(token.use_count(), 1);
    }
  }
}

// The result comes while the reader announces itself, or goes to sleep: no wake-up is lost.
TEST(future_stress, a_reader_meets_its_result_at_every_moment) {
  engine e(shape{2});
  for (int round = 0; round < reps(300); ++round) {
    e.run([&] {
      for (int i = 0; i < 100; ++i) {
        std::atomic<bool> taken{false};
        auto f = engine::async([&taken, i] {
          taken = true;
          for (int k = 0; k < i; ++k) engine::platform::relax();
          return i;
        });
        for (int k = 0; k < 1000 && !taken; ++k) engine::poll();
        ASSERT_EQ(f.get(), i);
      }
    });
  }
}

}  // namespace
