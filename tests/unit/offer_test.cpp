// What becomes of an offer: rules T1 and T2 of scheduler/offer.hpp.
#include "leat/scheduler/offer.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "engines.hpp"
#include "leat/platform/native.hpp"

namespace {

using offer = leat::scheduler::offer<leat::platform::native>;
using leat::protocol::request;

request of(std::uint32_t thief) {
  request s;
  s.thief = thief;
  return s;
}

TEST(offer, is_met_with_a_request) {
  offer o;
  EXPECT_TRUE(o.may_be_made());
  o.make();
  EXPECT_FALSE(o.may_be_made());
  EXPECT_TRUE(o.meet(of(3)));
  EXPECT_FALSE(o.end());
  EXPECT_EQ(o.wait(), offer::outcome::met);
  EXPECT_EQ(o.handed().thief, 3u);
  EXPECT_TRUE(o.may_be_made());
}

TEST(offer, ends_with_nothing) {
  offer o;
  o.make();
  EXPECT_FALSE(o.end());
  EXPECT_EQ(o.wait(), offer::outcome::nothing);
  EXPECT_TRUE(o.may_be_made());
}

TEST(offer, that_is_given_up_is_not_met) {
  offer o;
  o.make();
  EXPECT_EQ(o.wait(), offer::outcome::given_up);
  EXPECT_FALSE(o.may_be_made()) << "it is still to be dealt with (T1)";
  EXPECT_FALSE(o.meet(of(3)));
  EXPECT_TRUE(o.end());
  EXPECT_TRUE(o.may_be_made());
}

// The worker may have made the next one before the attendant is done with the last.
TEST(offer, that_is_made_after_one_that_was_met_stays) {
  offer o;
  o.make();
  EXPECT_TRUE(o.meet(of(1)));
  EXPECT_EQ(o.wait(), offer::outcome::met);
  o.make();
  EXPECT_FALSE(o.end());
  EXPECT_FALSE(o.may_be_made());
  EXPECT_TRUE(o.meet(of(2)));
  EXPECT_FALSE(o.end());
  EXPECT_EQ(o.wait(), offer::outcome::met);
  EXPECT_EQ(o.handed().thief, 2u);
}

// Each request that an offer is met with is held by one: by the worker, or still by who attends.
TEST(offer, hands_each_request_to_one) {
  const std::uint32_t offers = static_cast<std::uint32_t>(leat_test::reps(2000));
  offer o;
  std::atomic<std::uint32_t> made{0};
  std::uint64_t held = 0, kept = 0;
  std::thread attendant([&] {
    for (std::uint32_t n = 1; n <= offers; ++n) {
      while (made.load() < n) std::this_thread::yield();
      if (n % 3 != 0 && !o.meet(of(n))) kept += n;
      o.end();
    }
  });
  for (std::uint32_t n = 1; n <= offers; ++n) {
    o.make();
    made.store(n);
    if (o.wait() == offer::outcome::met) held += o.handed().thief;
    while (!o.may_be_made()) std::this_thread::yield();
  }
  attendant.join();
  std::uint64_t all = 0;
  for (std::uint32_t n = 1; n <= offers; ++n) all += n % 3 != 0 ? n : 0;
  EXPECT_EQ(held + kept, all);
}

}  // namespace
