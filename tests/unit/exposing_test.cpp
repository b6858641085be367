// When a worker makes its oldest task public by itself.
#include <gtest/gtest.h>

#include <cstdint>

#include "leat/protocol/exposure.hpp"

namespace {

using leat::protocol::exposed;
using leat::protocol::exposing;
using leat::protocol::exposure;

// So many openings of which nobody took anything, with a task executed in each.
void keep(exposing& e, unsigned openings) {
  static std::uint64_t begun = 0;
  for (unsigned i = 0; i < openings; ++i) e.closed(0, ++begun);
}

TEST(exposing, makes_half_public_while_long_tasks_run) {
  exposing e(exposure::none);
  EXPECT_EQ(e.now(), exposure::none);
  e.tasks_are_long();
  EXPECT_EQ(e.now(), exposure::eager);
  EXPECT_EQ(exposed(e.now(), 0), 0u);
  EXPECT_EQ(exposed(e.now(), 1), 1u);
  EXPECT_EQ(exposed(e.now(), 8), 4u);
  e.tasks_are_short();
  EXPECT_EQ(e.now(), exposure::none);
}

TEST(exposing, ends_when_many_openings_were_in_vain) {
  exposing e(exposure::none);
  e.tasks_are_long();
  keep(e, exposing::kept_max - 1);
  e.closed(1, 0);
  keep(e, exposing::kept_max - 1);
  EXPECT_EQ(e.now(), exposure::eager);
  e.tasks_are_long();  // said again, it changes nothing
  keep(e, 1);
  EXPECT_EQ(e.now(), exposure::none);
}

TEST(exposing, counts_no_opening_in_which_it_only_spawned) {
  exposing e(exposure::none);
  e.tasks_are_long();
  for (unsigned i = 0; i < 2 * exposing::kept_max; ++i) e.closed(0, 7);
  EXPECT_EQ(e.now(), exposure::eager);
}

TEST(exposing, begins_to_count_anew) {
  exposing e(exposure::none);
  e.tasks_are_long();
  keep(e, exposing::kept_max - 1);
  e.tasks_are_short();
  e.tasks_are_long();
  keep(e, 1);
  EXPECT_EQ(e.now(), exposure::eager);
}

TEST(exposing, begins_a_stolen_task_that_is_alone_before_it_makes_anything_public) {
  exposing e(exposure::none);
  e.tasks_are_long();
  e.holds_stolen(true);
  EXPECT_TRUE(e.begins_stolen());
  EXPECT_FALSE(e.begins_stolen());
  e.holds_stolen(true);
  e.holds_stolen(false);
  EXPECT_FALSE(e.begins_stolen());
}

TEST(exposing, never_ends_where_it_is_the_least) {
  exposing e(exposure::eager);
  e.tasks_are_long();
  keep(e, 2 * exposing::kept_max);
  e.tasks_are_short();
  EXPECT_EQ(e.now(), exposure::eager);
}

}  // namespace
