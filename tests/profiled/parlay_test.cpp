// Parlay's forks and loops, measured. With one thread they fork, too, so that one recording tells about many threads.
#include <gtest/gtest.h>

#include <cstddef>

#include "leat_parlay.hpp"
#include "profiled/measuring.hpp"

namespace {

using leat_test::session;
using leat_test::take;

}  // namespace

TEST(parlay, forks_with_one_thread_as_with_several) {
  leat_test::profiled::strand_clock = &leat_test::read_thread_ns;
  ASSERT_TRUE(session::begin(nullptr));
  {
    leat::adapters::parlay_team one(1);
    auto body = [](std::size_t) { take(1'000); };
    one.parallel_for(0, 256, body, 4);
    one.par_do([] { take(5'000); }, [] { take(7'000); });
  }
  const leat_test::measured m = leat_test::read_spans();
  session::turn_off();
  EXPECT_EQ(m.whole.work, 256'000u + 12'000u);
  EXPECT_EQ(m.whole.span, 4'000u + 7'000u);
}
