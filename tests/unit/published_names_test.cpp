// The schedulers of the papers as values: their names, and what sets one apart from another.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "leat/options.hpp"
#include "leat/protocol/published.hpp"

namespace {

using leat::protocol::exposed;
using leat::protocol::published_of;
using leat::protocol::signals;

TEST(published_names, say_how_much_becomes_public_at_once) {
  const auto amounts = [](const char* scheduler) {
    const auto p = published_of(scheduler);
    return std::array<std::size_t, 6>{exposed(p, 0), exposed(p, 1), exposed(p, 2),
                                      exposed(p, 3), exposed(p, 5), exposed(p, 8)};
  };
  EXPECT_EQ(amounts("lcws-user"), (std::array<std::size_t, 6>{0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(amounts("lcws-signal"), (std::array<std::size_t, 6>{0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(amounts("lcws-conservative"), (std::array<std::size_t, 6>{0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(amounts("lcws-half"), (std::array<std::size_t, 6>{0, 1, 1, 2, 2, 4}))
      << "1.5 and 2.5 go to the even number";
}

TEST(published_names, say_whether_a_thief_sends_a_signal) {
  for (const char* s : {"channel", "prell", "work-stealing", "lcws-user"}) EXPECT_FALSE(signals(published_of(s))) << s;
  for (const char* s : {"lcws-signal", "lcws-conservative", "lcws-half"}) EXPECT_TRUE(signals(published_of(s))) << s;
}

TEST(published_names, of_before_say_where_they_went) {
  for (const auto& [before, now] :
       std::array<std::array<const char*, 2>, 5>{{{"chase-lev", "work-stealing"},
                                                  {"split-user", "lcws-user"},
                                                  {"split-signal", "lcws-signal"},
                                                  {"split-conservative", "lcws-conservative"},
                                                  {"split-half", "lcws-half"}}}) {
    leat::options o;
    o.scheduler = before;
    try {
      static_cast<void>(o.resolved());
      ADD_FAILURE() << before;
    } catch (const std::invalid_argument& e) {
      EXPECT_EQ(std::string(e.what()),
                std::string("leat: scheduler = '") + before + "': this scheduler is " + now + " now");
    }
  }
}

}  // namespace
