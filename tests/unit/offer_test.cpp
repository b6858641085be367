// What becomes of an offer: rules OFFER-1 to OFFER-3 of handshake/offer.hpp.
#include "leat/handshake/offer.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "engines.hpp"
#include "leat/platform/native.hpp"

namespace {

using offer = leat::handshake::offer<leat::platform::native>;
using leat::protocol::request;

request of(std::uint32_t thief) {
  request s;
  s.thief = thief;
  return s;
}

constexpr auto nobody_asks = [] { return false; };

TEST(offer, is_met_with_a_request) {
  offer o;
  EXPECT_TRUE(o.may_be_made());
  o.make();
  EXPECT_FALSE(o.may_be_made());
  EXPECT_TRUE(o.meet(of(3)));
  EXPECT_EQ(o.end(), offer::outcome::met);
  EXPECT_EQ(o.wait(nobody_asks), offer::outcome::met);
  EXPECT_EQ(o.handed().thief, 3u);
  EXPECT_TRUE(o.may_be_made());
}

TEST(offer, ends_with_nothing) {
  offer o;
  o.make();
  EXPECT_EQ(o.end(), offer::outcome::nothing);
  EXPECT_EQ(o.wait(nobody_asks), offer::outcome::nothing);
  EXPECT_TRUE(o.may_be_made());
}

TEST(offer, that_is_given_up_is_not_met) {
  offer o;
  o.make();
  EXPECT_EQ(o.wait(nobody_asks), offer::outcome::given_up);
  EXPECT_FALSE(o.may_be_made()) << "it is still to be dealt with (OFFER-1)";
  EXPECT_FALSE(o.meet(of(3)));
  EXPECT_TRUE(o.given_up());
  EXPECT_EQ(o.end(), offer::outcome::given_up);
  EXPECT_FALSE(o.given_up());
  EXPECT_TRUE(o.may_be_made());
}

// It may have been met before that; then it has.
TEST(offer, is_given_up_as_soon_as_others_ask) {
  for (const bool met : {false, true}) {
    offer o;
    int looks = 0;
    o.make();
    ASSERT_EQ(met && o.meet(of(3)), met);
    EXPECT_EQ(o.wait([&] { return ++looks, true; }), met ? offer::outcome::met : offer::outcome::given_up);
    EXPECT_EQ(looks, 1);
    EXPECT_EQ(o.given_up(), !met);
  }
}

// The worker may have made the next one before the combiner is done with the last.
TEST(offer, that_is_made_after_one_that_was_met_stays) {
  offer o;
  o.make();
  EXPECT_TRUE(o.meet(of(1)));
  EXPECT_EQ(o.wait(nobody_asks), offer::outcome::met);
  o.make();
  EXPECT_EQ(o.end(), offer::outcome::met);
  EXPECT_FALSE(o.may_be_made());
  EXPECT_TRUE(o.meet(of(2)));
  EXPECT_EQ(o.end(), offer::outcome::met);
  EXPECT_EQ(o.wait(nobody_asks), offer::outcome::met);
  EXPECT_EQ(o.handed().thief, 2u);
}

// Each request that an offer is met with is held by one: by the worker, or still by the combiner.
TEST(offer, hands_each_request_to_one) {
  const std::uint32_t offers = static_cast<std::uint32_t>(leat_test::reps(2000));
  offer o;
  std::atomic<std::uint32_t> made{0};
  std::uint64_t held = 0, kept = 0;
  std::thread combiner([&] {
    for (std::uint32_t n = 1; n <= offers; ++n) {
      while (made.load() < n) std::this_thread::yield();
      if (n % 3 != 0 && !o.meet(of(n))) kept += n;
      o.end();
    }
  });
  for (std::uint32_t n = 1; n <= offers; ++n) {
    o.make();
    made.store(n);
    if (o.wait(nobody_asks) == offer::outcome::met) held += o.handed().thief;
    while (!o.may_be_made()) std::this_thread::yield();
  }
  combiner.join();
  std::uint64_t all = 0;
  for (std::uint32_t n = 1; n <= offers; ++n) all += n % 3 != 0 ? n : 0;
  EXPECT_EQ(held + kept, all);
}

}  // namespace
