// Asking ahead: a thief that begins the last of its tasks has asked for more, and what comes meanwhile is in nobody's way (W9).
// When who asks, and what comes then, is tested where time is simulated: tests/simulated/ahead_test.cpp.
#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>

#include "engines.hpp"
#include "leat/task/task_group.hpp"

namespace {

using leat::event;
using leat_test::shape;

// Never calls the runtime. TSan delivers signals at the calls that it knows.
void compute_for(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
#if defined(LEAT_UNDER_TSAN)
    usleep(0);
#endif
  }
}

// Long enough for a steal to have been worth it, and short enough for the next to matter.
constexpr std::chrono::microseconds worth_it{20};

constexpr std::uint64_t spin_ns = 20'000;

template <class E>
class ahead : public ::testing::Test {
 protected:
  void SetUp() override {
    if (leat_test::exposure() != leat::protocol::exposure::none) GTEST_SKIP() << "thieves hunt";
  }
};
TYPED_TEST_SUITE(ahead, leat_test::engines);

// Producers and consumers, as in the benchmark of that name.
template <class E>
void produce(int producers_left, int consumers, std::atomic<int>& ran) {
  ++ran;
  if (producers_left > 1) E::spawn([=, &ran] { produce<E>(producers_left - 1, consumers, ran); });
  for (int i = 0; i < consumers; ++i) {
    E::spawn([&ran] {
      compute_for(worth_it);
      ++ran;
    });
  }
}

TYPED_TEST(ahead, executes_every_task_once) {
  constexpr int producers = 50, consumers = 5;
  for (const shape& s : leat_test::shapes({1, 2, 3, 8})) {
    SCOPED_TRACE(s.name());
    TypeParam e(s);
    std::atomic<int> ran{0};
    e.run([&] {
      TypeParam::spawn([&] { produce<TypeParam>(producers, consumers, ran); });
      TypeParam::barrier();
      EXPECT_EQ(ran, producers * (1 + consumers)) << "at the barrier";
      TypeParam::spawn([&] { produce<TypeParam>(producers, consumers, ran); });
    });
    EXPECT_EQ(ran, 2 * producers * (1 + consumers));
    if (s.workers == 1 || s.spin_ns == 0) {
      EXPECT_EQ(e.counters()[event::requests_ahead], 0u);
    }
  }
}

// What came for who asked ahead is executed even if that one is in the midst of a wait, or leaves.
TYPED_TEST(ahead, is_no_matter_to_waits_and_absence) {
  TypeParam e({3, shape{}.deque_capacity, spin_ns});
  std::atomic<int> ran{0};
  constexpr int rounds = 40;
  e.run([&] {
    for (int i = 0; i < rounds; ++i) {
      typename TypeParam::task_group group;
      for (int k = 0; k < 3; ++k) {
        group.spawn([&] {
          compute_for(worth_it);
          TypeParam::spawn([&] {
            TypeParam::blocking([] { compute_for(worth_it); });
            auto [a, b] =
                TypeParam::fork_join([] { return compute_for(worth_it), 1; }, [] { return compute_for(worth_it), 1; });
            ran += a + b;
          });
          TypeParam::spawn([&] {
            auto f = TypeParam::async([] { return compute_for(worth_it), 1; });
            ran += f.get();
          });
        });
      }
      group.wait();
    }
  });
  EXPECT_EQ(ran, rounds * 3 * 3);
}

// A thread that leaves a call leaves nothing there that it has asked for.
TYPED_TEST(ahead, ends_with_the_call_of_a_primary_thread) {
  typename TypeParam::team team({2, shape{}.deque_capacity, spin_ns});
  for (int i = 0; i < 50; ++i) {
    std::atomic<int> ran{0};
    team.call([&] {
      typename TypeParam::task_group group;
      for (int k = 0; k < 4; ++k) {
        group.spawn([&] {
          for (int c = 0; c < 3; ++c) {
            group.spawn([&ran] {
              compute_for(worth_it);
              ++ran;
            });
          }
        });
      }
      group.wait();
    });
    EXPECT_EQ(ran, 12);
  }
}

}  // namespace
