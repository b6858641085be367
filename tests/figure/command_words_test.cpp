// How commands are put together.

#include "command_words.hpp"

#include <gtest/gtest.h>

namespace leat::cli {

TEST(command_words, a_later_option_takes_the_place_of_an_earlier_one) {
  command_words c("sim spc --tasks 1000 --us 10");
  c.add("--workers 48 --tasks 20");
  EXPECT_EQ(c.text(), "sim spc --tasks 20 --us 10 --workers 48");
}

TEST(command_words, words_before_options_follow_those_that_are_there) {
  command_words c("sim --machine opteron-4x12");
  c.add("bpc -n 9 -d 10 --polls");
  EXPECT_EQ(c.command(), "sim");
  EXPECT_EQ(c.kernel(), "bpc");
  EXPECT_EQ(c.text(), "sim bpc --machine opteron-4x12 -n 9 -d 10 --polls");
}

TEST(command_words, a_negative_number_is_a_value) {
  command_words c("bench fib -n -1 --json");
  EXPECT_EQ(c.values_of("-n"), std::vector<std::string>{"-1"});
  EXPECT_TRUE(c.values_of("--json").empty());
  EXPECT_TRUE(c.values_of("--nonesuch").empty());
}

TEST(command_words, nothing_is_added_by_nothing) {
  command_words c("sim");
  c.add("");
  EXPECT_EQ(c.text(), "sim");
  EXPECT_EQ(c.kernel(), "");
}

}  // namespace leat::cli
