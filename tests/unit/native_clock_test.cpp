// The clock of the native platform, which may be the processor's counter of ticks, beside the system's.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "leat/platform/native.hpp"

namespace {

using leat::platform::native;

std::uint64_t system_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

// The rate is measured in the first 20 ms and more in which the clock is read.
void let_measure() {
  for (int i = 0; i < 50; ++i) {
    static_cast<void>(native::now_ns());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Both clocks at once: the pair between which the least time passed.
struct pair {
  std::uint64_t native_ns, system_ns;
};
pair read_both() {
  pair best{};
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t before = system_ns();
    const std::uint64_t ns = native::now_ns();
    const std::uint64_t after = system_ns();
    if (after - before >= least) continue;
    least = after - before;
    best = {ns, before + (after - before) / 2};
  }
  return best;
}

// The first of its process: it sees how the counter takes over.
TEST(native_clock, does_not_go_back_while_its_rate_is_measured_or_after) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      const std::uint64_t begun = native::now_ns();
      for (std::uint64_t last = begun; last - begun < 60'000'000;) {
        const std::uint64_t now = native::now_ns();
        ASSERT_GE(now, last);
        last = now;
      }
    });
  }
  for (auto& t : threads) t.join();
}

TEST(native_clock, goes_as_fast_as_that_of_the_system) {
  let_measure();
  const pair first = read_both();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const pair last = read_both();
  const auto passed = static_cast<double>(last.system_ns - first.system_ns);
  EXPECT_NEAR(static_cast<double>(last.native_ns - first.native_ns), passed, 0.002 * passed);
}

TEST(native_clock, tells_about_the_time_of_the_system) {
  let_measure();
  const pair now = read_both();
  EXPECT_NEAR(static_cast<double>(now.native_ns), static_cast<double>(now.system_ns), 1e9);
}

}  // namespace
