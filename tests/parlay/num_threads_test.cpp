// PARLAY_NUM_THREADS, where Parlay leaves it to its scheduler: 2.0 to 2.1.3.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "parallel.h"
#include "variable.hpp"

#include <leat/options.hpp>

namespace {

std::string complaint(const char* value) {
  const leat_test::num_threads_for_now whatever(1);
  setenv("PARLAY_NUM_THREADS", value, 1);
  try {
    parlay::fork_join_scheduler s;
    return "accepts " + std::to_string(s.num_workers());
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
}

TEST(num_threads, is_what_the_environment_says) {
  EXPECT_EQ(complaint("1"), "accepts 1");
  EXPECT_EQ(complaint("4096"), "accepts 4096");
  EXPECT_EQ(complaint(""), "accepts " + std::to_string(*leat::options().resolved().workers));
  const leat_test::num_threads_for_now whatever(1);
  unsetenv("PARLAY_NUM_THREADS");
  EXPECT_EQ(parlay::fork_join_scheduler().num_workers(), *leat::options().resolved().workers);
}

// Parlay divides among 16, and one thread executes it.
TEST(num_threads, may_be_more_than_those_that_execute) {
  const leat_test::num_threads_for_now whatever(16);
  for (const std::size_t executing : {1, 3}) {
    const leat_test::variable leats("LEAT_NUM_WORKERS", std::to_string(executing).c_str());
    parlay::fork_join_scheduler s;
    EXPECT_EQ(s.num_workers(), 16u);
    std::mutex m;
    std::set<std::thread::id> threads;
    std::size_t parts = 0;
    s.parfor(
        0, 1000,
        [&](std::size_t) {
          std::this_thread::sleep_for(std::chrono::microseconds(50));  // long enough for thieves to come
          const std::lock_guard lock(m);
          threads.insert(std::this_thread::get_id());
          ++parts;
        },
        1);
    EXPECT_EQ(parts, 1000u);
    EXPECT_LE(threads.size(), executing);
  }
}

// The smaller of the two numbers executes.
TEST(num_threads, of_leat_may_be_more) {
  const leat_test::num_threads_for_now whatever(2);
  const leat_test::variable leats("LEAT_NUM_WORKERS", "4");
  EXPECT_EQ(parlay::fork_join_scheduler().num_workers(), 2u);
}

TEST(num_threads, is_refused_with_its_value) {
  for (const char* value : {"0", "-1", "4097", "99999999999999999999", "four", "4 ", "4x"}) {
    EXPECT_EQ(complaint(value),
              std::string("leat: PARLAY_NUM_THREADS = '") + value + "': must be a whole number between 1 and 4096");
  }
}

TEST(num_threads, cannot_be_set_later) {
  parlay::fork_join_scheduler s;
  EXPECT_THROW(s.set_num_workers(2), std::logic_error);
}

}  // namespace
