// How long the chunks of a loop take: 8 us, more and more while nobody asks, and 8 us again.
#include <gtest/gtest.h>

#include <cstdint>

#include "leat/loop/chunk_clock.hpp"

namespace {

struct hand_turned {
  static inline std::uint64_t ns = 0;
  static std::uint64_t now_ns() noexcept { return ns; }
};
using chunk_clock = leat::loop::chunk_clock<hand_turned>;

// Runs the next chunk, of iterations that take so long. Gives what it took.
std::uint64_t run(chunk_clock& chunks, std::uint64_t each_ns) {
  const std::uint64_t iterations = chunks.size(), took = iterations * each_ns;
  hand_turned::ns += took;
  chunks.ran(iterations);
  return took;
}

void run_for_long(chunk_clock& chunks, std::uint64_t each_ns) {
  for (int i = 0; i < 20; ++i) run(chunks, each_ns);
}

TEST(chunks, grow_while_nobody_asks) {
  chunk_clock chunks(1);
  std::uint64_t last = 0;
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t took = run(chunks, 100);
    EXPECT_LE(took, chunk_clock::chunk_ns_max);
    if (last >= chunk_clock::chunk_ns) {
      EXPECT_LE(took, 2 * last);
    }
    last = took;
  }
  EXPECT_EQ(last, chunk_clock::chunk_ns_max);
}

TEST(chunks, begin_with_a_size_that_is_known) {
  EXPECT_EQ(chunk_clock(1).size(), 1u);
  EXPECT_EQ(chunk_clock(1, 64).size(), 64u);
  EXPECT_EQ(chunk_clock(100, 64).size(), 100u);
  chunk_clock chunks(1, 10);
  run(chunks, 100);
  EXPECT_EQ(chunks.size(), 80u);  // as 1 us filled an eighth of the time
}

TEST(chunks, take_8_us_when_somebody_has_asked) {
  chunk_clock chunks(1);
  run_for_long(chunks, 100);
  chunks.restart();
  EXPECT_EQ(run(chunks, 100), chunk_clock::chunk_ns);
  EXPECT_LE(run(chunks, 100), 2 * chunk_clock::chunk_ns);
}

TEST(chunks, of_few_iterations_do_not_grow) {
  chunk_clock chunks(1);
  run_for_long(chunks, 2'000);
  EXPECT_EQ(chunks.size(), chunk_clock::chunk_ns / 2'000);
  run_for_long(chunks, 100);
  run(chunks, 20'000);  // dear ones follow on cheap ones
  run(chunks, 20'000);
  EXPECT_EQ(chunks.size(), 1u);
}

// LOOP-16.
TEST(chunks, expect_what_the_last_one_took) {
  chunk_clock chunks(1);
  EXPECT_GT(chunks.expected_ns(1), 1e18) << "nothing is known";
  run(chunks, 100);
  EXPECT_GT(chunks.expected_ns(1), 1e18) << "one iteration says little";
  run_for_long(chunks, 100);
  EXPECT_NEAR(chunks.expected_ns(30), 3'000, 30);
  chunks.restart();
  EXPECT_NEAR(chunks.expected_ns(30), 3'000, 30);
  EXPECT_NEAR(chunks.mean_ns(), 100, 1);
}

TEST(chunks, have_no_fewer_than_the_least) {
  chunk_clock chunks(5);
  run_for_long(chunks, 1'000'000);
  EXPECT_EQ(chunks.size(), 5u);
  chunks.restart();
  EXPECT_EQ(chunks.size(), 5u);
}

}  // namespace
