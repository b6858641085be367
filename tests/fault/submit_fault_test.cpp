// Submissions where memory is short, and how much memory they need.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <vector>

#include "engines.hpp"
#include "fault/memory.hpp"
#include "leat/leat.hpp"

namespace {

// Whichever allocation of the submitting thread fails: the task is executed, or submit throws; nothing is left half done.
TEST(submit_memory, is_either_accepted_or_refused) {
  for (const leat::options& o : {leat::options{.workers = 2}, leat::options{.workers = 2, .scheduler = "prell"}}) {
    bool met = true;
    for (long k = 0; met && k < 200; ++k) {
      leat::runtime rt(o);
      std::atomic<int> executed{0};
      int accepted = 0;
      {
        const leat_test::failing_allocation failing(k);
        const std::array<char, 600> large{};
        for (int i = 0; i < 3; ++i) {
          try {
            static_cast<void>(rt.submit([&executed] { ++executed; }));
            ++accepted;
            static_cast<void>(rt.submit([&executed, large] { executed += 1 + large[5]; }));
            ++accepted;
          } catch (const std::bad_alloc&) {
          }
        }
        met = failing.met();
      }
      EXPECT_GE(accepted, 3);
      EXPECT_TRUE(leat_test::comes_true([&] { return executed == accepted; }));
      EXPECT_EQ(rt.submit([] { return 4; }).get(), 4);
    }
    EXPECT_FALSE(met);
  }
}

TEST(submit_memory, goes_round) {
  if (leat_test::sanitized) GTEST_SKIP() << "a sanitizer allocates, too";
  leat::runtime rt({.workers = 2});
  const auto round = [&] {
    std::array<leat::future<int>, 200> open;
    for (auto& f : open) f = rt.submit([] { return 1; });
    for (auto& f : open) f.get();
  };
  for (int i = 0; i < 50; ++i) round();
  const std::uint64_t before = leat_test::allocations_of_all();
  constexpr int rounds = 100;
  for (int i = 0; i < rounds; ++i) round();
  EXPECT_LT(leat_test::allocations_of_all() - before, rounds * 200 / 20) << "nearly all blocks are used again";
}

}  // namespace
