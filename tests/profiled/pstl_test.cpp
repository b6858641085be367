// Standard algorithms, measured: one thread divides as many would.
#include <gtest/gtest.h>

#include <cstddef>

#include "leat_pstl_workers.hpp"
#include "profiled/measuring.hpp"

namespace {

using leat_test::session;

std::size_t workers_told(std::uint64_t least) {
  std::size_t told = 0;
  session::workers_least = least;
  leat_test::measure(2, [&] { told = leat::adapters::pstl::workers(); });
  session::workers_least = 0;
  return told;
}

TEST(pstl, divides_among_its_workers) { EXPECT_EQ(workers_told(0), 2u); }

TEST(pstl, divides_among_more_workers_if_asked) {
  EXPECT_EQ(workers_told(48), 48u);
  EXPECT_EQ(workers_told(1), 2u) << "no fewer than there are";
}

}  // namespace
