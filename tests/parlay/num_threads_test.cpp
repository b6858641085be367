// PARLAY_NUM_THREADS, where Parlay leaves it to its scheduler: 2.0 to 2.1.3.
#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "parallel.h"

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
