// What ranks, the manager of requests and thieves decide, as pure functions.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leat/cluster/arena.hpp"
#include "leat/cluster/messages_protocol.hpp"
#include "leat/cluster/rank_run.hpp"
#include "leat/cluster/rma_protocol.hpp"
#include "leat/cluster/tree.hpp"
#include "leat/cluster/two_sided_protocol.hpp"

namespace {

struct unsaid {};
struct untaken {};

}  // namespace

// What says too little of itself.
template <>
struct leat::packing<unsaid> {
  static void pack(const unsaid&, std::vector<std::byte>&) {}
  static unsaid unpack(std::span<const std::byte>&) { return {}; }
};
template <>
struct leat::packing<untaken> {
  static void pack(const untaken&, std::vector<std::byte>& out) { out.emplace_back(); }
  static untaken unpack(std::span<const std::byte>&) { return {}; }
};

namespace {

using namespace leat::ranks;

using at = routing::kind;

TEST(ClusterRouting, ANewRequestGoesToTheLastVictim) {
  EXPECT_EQ(begin_request(4, 8, 2), (routing{at::forward, 2}));
  EXPECT_EQ(begin_request(4, 0, 2).what, at::pool);
  EXPECT_EQ(begin_request(1, 8, 0).what, at::pool);
}

TEST(ClusterRouting, AHolderGivesForwardsOrLetsItRest) {
  request r{0, 1, 0};
  EXPECT_EQ(on_request({2, 4, 5}, r, 8), (routing{at::give, 0}));
  EXPECT_EQ(on_request({2, 4, 0}, r, 8), (routing{at::forward, 3}));
  EXPECT_EQ(on_request({3, 4, 0}, r, 8), (routing{at::forward, 1}));  // past its thief
  EXPECT_EQ(on_request({1, 4, 0}, r, 8).what, at::pool);  // all have been asked
  request hasty{0, 1, 0};
  EXPECT_EQ(on_request({2, 4, 0}, hasty, 1).what, at::pool);
}

TEST(ClusterManager, EndsWhenAllRequestsRest) {
  request_manager m(3);
  m.pool({0, 1}, 0);
  m.pool({1, 1}, 1);
  EXPECT_FALSE(m.ended());
  m.pool({2, 1}, 2);
  EXPECT_TRUE(m.ended());
  EXPECT_FALSE(m.next_hand());
}

TEST(ClusterManager, HandsRequestsToRanksThatMayHaveWork) {
  request_manager m(3);
  m.pool({0, 1}, 1);
  const auto first = m.next_hand();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->what.thief, 0U);
  EXPECT_EQ(first->to, 2U);  // not to the one that it came from
  EXPECT_FALSE(m.next_hand());  // nothing is pooled
  m.pool({0, 1}, 2);
  const auto second = m.next_hand();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->to, 1U);  // in turn
}

TEST(ClusterManager, DoesNotSendARequestToAndFroBetweenIdleRanks) {
  request_manager m(2);
  m.pool({0, 1}, 1);
  ASSERT_TRUE(m.next_hand());
  request spurned{0, 1, 0, 1};
  m.pool(spurned, 1);
  EXPECT_FALSE(m.next_hand());  // until something happens
  m.pool({1, 1}, 1);
  EXPECT_TRUE(m.ended());
}

TEST(ClusterManager, DoesNotSendARequestRoundAmongIdleRanks) {
  request_manager m(4);
  m.pool({0, 1}, 1);
  for (int hands = 0; hands < 3; ++hands) {
    const auto h = m.next_hand();
    ASSERT_TRUE(h);
    m.pool({0, 1, 0, 1}, h->to);
  }
  EXPECT_FALSE(m.next_hand());  // each has spurned it
  m.pool({1, 1}, 1);  // news
  EXPECT_TRUE(m.next_hand());
}

TEST(ClusterManager, HeedsNewsThatCameBeforeARequestWasBack) {
  request_manager m(2);
  m.pool({0, 1}, 1);
  ASSERT_TRUE(m.next_hand());
  m.served(1, 1);  // rank 1 had no work when it was handed the request, but has some now
  m.pool({0, 1, 0, 1}, 1);
  EXPECT_TRUE(m.next_hand());
}

TEST(ClusterManager, KnowsAThiefThatWasServed) {
  request_manager m(3);
  m.pool({0, 7}, 0);
  m.pool({1, 1}, 1);
  const auto handed = m.next_hand();
  ASSERT_TRUE(handed);
  ASSERT_EQ(handed->what.thief, 0U);
  ASSERT_EQ(handed->to, 2U);
  ASSERT_TRUE(m.next_hand());  // rank 1's, to rank 2 as well: rank 0 is not known to have work
  m.pool({1, 1}, 2);
  m.served(0, 6);  // an old one
  auto again = m.next_hand();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->to, 2U);
  m.pool({1, 1}, 2);
  m.served(0, 7);
  again = m.next_hand();
  ASSERT_TRUE(again);
  EXPECT_EQ(again->to, 0U);
}

TEST(ClusterWords, SayWhatTheyWereMadeOf) {
  const rank_status s = status_in(status_word(7, true, 300), 7);
  EXPECT_TRUE(s.here);
  EXPECT_TRUE(s.busy);
  EXPECT_EQ(s.shared, 300U);
  EXPECT_FALSE(status_in(status_word(7, false, 0), 8).here);
  EXPECT_EQ(status_in(status_word(1, true, std::size_t{1} << 40), 1).shared, 0x7fffffffU);
  const answer_word a = answer_word::in(answer_word{0xfffffff0, answer::nothing, batch_bytes_max}.word());
  EXPECT_EQ(a.serial, 0xfffffff0U);
  EXPECT_EQ(a.what, answer::nothing);
  EXPECT_EQ(a.bytes, batch_bytes_max);
}

TEST(ClusterPrefetch, AsksEachOfTheOthersAndNeverItself) {
  leat::protocol::random drawn(7);
  for (const rank_id ranks : {2u, 3u, 5u}) {
    for (rank_id self = 0; self < ranks; ++self) {
      std::vector<int> asked(ranks);
      for (int i = 0; i < 1000; ++i) ++asked.at(some_other(self, ranks, drawn));
      for (rank_id r = 0; r < ranks; ++r) EXPECT_EQ(asked[r] != 0, r != self) << r << " of " << ranks;
    }
  }
}

TEST(ClusterTour, GoesRoundTheRingAndRemembersWhoHadWork) {
  tour t(1, 4);
  const rank_status idle{true, false, 0};
  EXPECT_EQ(t.begin().who, 2U);
  EXPECT_EQ(t.on_status(idle).who, 3U);
  EXPECT_EQ(t.on_status(idle).who, 0U);
  const tour::move asked = t.on_status({true, true, 9});
  EXPECT_EQ(asked.what, tour::act::ask);
  EXPECT_EQ(asked.who, 0U);
  // It gave. The next tour begins there, and leaves itself out.
  EXPECT_EQ(t.begin().who, 0U);
  EXPECT_EQ(t.on_status(idle).who, 2U);
}

TEST(ClusterTour, IsOverWhenAllWereVisited) {
  tour t(0, 3);
  const rank_status idle{true, false, 0};
  EXPECT_EQ(t.begin().who, 1U);
  EXPECT_EQ(t.on_status({true, true, 4}).what, tour::act::ask);
  EXPECT_EQ(t.on_refusal(answer::nothing).who, 2U);
  EXPECT_EQ(t.on_status(idle).what, tour::act::over);
  EXPECT_FALSE(t.all_nothing());  // rank 1 said that it was busy
  EXPECT_EQ(t.begin().who, 1U);
  EXPECT_EQ(t.on_status(idle).who, 2U);
  EXPECT_EQ(t.on_status({false, false, 0}).what, tour::act::over);
  EXPECT_FALSE(t.all_nothing());  // rank 2 has not even begun
  (void)t.begin();
  (void)t.on_status(idle);
  EXPECT_EQ(t.on_status(idle).what, tour::act::over);
  EXPECT_TRUE(t.all_nothing());
}

TEST(ClusterTour, OfOneRankIsOverAtOnce) {
  tour t(0, 1);
  EXPECT_EQ(t.begin().what, tour::act::over);
  EXPECT_TRUE(t.all_nothing());
}

using token_act = token_tour::move::act;

TEST(ClusterToken, EndsWhenItWasWhiteAllTheWay) {
  token_tour first(0, 2);
  token_tour second(1, 2);
  EXPECT_TRUE(first.here());
  EXPECT_FALSE(second.here());
  const token_tour::move sent = first.pass();
  EXPECT_EQ(sent.what, token_act::pass);
  EXPECT_EQ(sent.to, 1U);
  EXPECT_FALSE(first.here());
  second.take(sent.as);
  const token_tour::move back = second.pass();
  EXPECT_EQ(back.to, 0U);
  first.take(back.as);
  EXPECT_EQ(first.pass().what, token_act::end);
}

TEST(ClusterToken, GoesRoundAgainWhenSomeRankGave) {
  for (const rank_id giver : {0U, 1U, 2U}) {
    std::vector<token_tour> all;
    for (rank_id r = 0; r < 3; ++r) all.emplace_back(r, 3);
    const auto tour_ends = [&](bool gives) {
      for (rank_id r = 0; r < 3; ++r) {
        const token_tour::move m = all[r].pass();
        if (m.what == token_act::end) return true;
        if (gives && r == 0) all[giver].gave();
        all[m.to].take(m.as);
      }
      return false;
    };
    EXPECT_FALSE(tour_ends(true)) << giver;
    EXPECT_FALSE(tour_ends(false)) << giver;  // the token comes back black, or to a black rank 0
    EXPECT_TRUE(tour_ends(false)) << giver;
  }
}

TEST(ClusterToken, OfOneRankEndsAtOnce) { EXPECT_EQ(token_tour(0, 1).pass().what, token_act::end); }

TEST(ClusterTree, EveryRankIsTheChildOfItsParent) {
  for (const rank_id ranks : {1U, 2U, 3U, 8U, 64U}) {
    std::size_t seen = 1;
    for (rank_id r = 0; r < ranks; ++r) {
      for (const rank_id child : children_of(r, ranks)) {
        EXPECT_EQ(parent_of(child), r);
        ++seen;
      }
    }
    EXPECT_EQ(seen, ranks);
  }
}

TEST(ClusterArena, SharesAndGivesByChunks) {
  arena<int> a({.chunk = 3, .threshold = 7});
  for (int i = 0; i < 6; ++i) a.push(i);
  EXPECT_FALSE(a.share());  // fewer than the threshold
  a.push(6);
  EXPECT_TRUE(a.share());
  EXPECT_EQ(a.shared(), 3U);
  for (int i = 7; i < 13; ++i) a.push(i);
  EXPECT_TRUE(a.share());  // though some are shared already, and as many chunks as it takes
  EXPECT_EQ(a.shared(), 9U);
  std::vector<std::byte> out;
  EXPECT_EQ(a.give(out), 3U);
  EXPECT_EQ(a.shared(), 6U);
  for (int i = 0; i < 4; ++i) (void)a.pop();
  EXPECT_FALSE(a.has_private());
  EXPECT_TRUE(a.reacquire());
  EXPECT_EQ(a.shared(), 3U);
  EXPECT_EQ(a.pop(), 8);  // of the newest chunk
}

TEST(ClusterArena, GivesTheOldestAndKeepsTheNewest) {
  arena<int> a;
  for (int i = 0; i < 10; ++i) a.push(i);
  EXPECT_EQ(a.shared(), 0U);
  a.release();
  EXPECT_EQ(a.shared(), 5U);
  std::vector<std::byte> out;
  EXPECT_EQ(a.give(out), 5U);
  EXPECT_EQ(a.shared(), 2U);  // released anew
  arena<int> b;
  EXPECT_EQ(b.take(out), 5U);
  EXPECT_EQ(b.size(), 5U);
  EXPECT_EQ(b.pop(), 4);
  EXPECT_EQ(a.pop(), 9);
  EXPECT_EQ(a.pop(), 8);
  EXPECT_EQ(a.pop(), 7);
  EXPECT_FALSE(a.has_private());
  EXPECT_TRUE(a.reacquire());
  EXPECT_EQ(a.pop(), 6);
  EXPECT_TRUE(a.reacquire());
  EXPECT_EQ(a.pop(), 5);
  EXPECT_FALSE(a.reacquire());
  EXPECT_FALSE(a.busy());
}

TEST(ClusterArena, GivesNoMoreThanTravelsAtOnce) {
  struct large {
    std::byte bytes[batch_bytes_max / 4];
  };
  arena<large> a;
  for (int i = 0; i < 20; ++i) a.push({});
  a.release();
  std::vector<std::byte> out;
  EXPECT_EQ(a.give(out), 4U);
  EXPECT_EQ(out.size(), batch_bytes_max);
  EXPECT_EQ(a.size(), 16U);
}

TEST(ClusterArena, NamesATaskThatIsTooLarge) {
  struct huge {
    std::byte bytes[batch_bytes_max + 1];
  };
  arena<huge> a;
  a.push({});
  a.push({});
  a.release();
  std::vector<std::byte> out;
  EXPECT_THROW(a.give(out), std::length_error);
}

TEST(ClusterArena, LosesNoTaskThatIsPackedAsNothing) {
  arena<unsaid> a;
  a.push({});
  a.push({});
  a.release();
  std::vector<std::byte> out;
  EXPECT_THROW(a.give(out), std::length_error);
  EXPECT_THROW(a.pack_all(out), std::length_error);
  EXPECT_EQ(a.size(), 2U);
}

TEST(ClusterArena, TakesNoTaskOfNoBytes) {
  arena<untaken> a;
  const std::vector<std::byte> two(2);
  EXPECT_THROW(a.take(two), std::length_error);
}

TEST(ClusterPollClock, PollsAsOftenAsItShould) {
  poll_clock c(30'000);
  std::uint64_t now = 0;
  c.begin(now);
  for (int i = 0; i < 30; ++i) c.polled(now += 50 * c.tasks(), c.tasks());
  EXPECT_GE(50 * c.tasks(), 20'000U);
  EXPECT_LE(50 * c.tasks(), 45'000U);
  for (int i = 0; i < 30; ++i) c.polled(now += 1'000'000 * c.tasks(), c.tasks());
  EXPECT_EQ(c.tasks(), 1U);
}

TEST(ClusterPollClock, LearnsNothingFromFewTasks) {
  poll_clock c(30'000);
  std::uint64_t now = 0;
  c.begin(now);
  for (int i = 0; i < 30; ++i) c.polled(now += 1000 * c.tasks(), c.tasks());
  const std::uint32_t learned = c.tasks();
  for (int i = 0; i < 30; ++i) c.polled(now += 1000, 1);  // nothing else was there
  EXPECT_EQ(c.tasks(), learned);
  c.polled(now += 1'000'000, 10);  // of 100 us each
  EXPECT_EQ(c.tasks(), 1U);
}

TEST(ClusterPollClock, SeesThatTasksTakeLonger) {
  poll_clock c(30'000);
  std::uint64_t now = 0;
  c.begin(now);
  for (int i = 0; i < 30; ++i) c.polled(now += 50 * c.tasks(), c.tasks());
  ASSERT_GT(c.tasks(), 100U);
  EXPECT_FALSE(c.late(now + 40'000));
  EXPECT_TRUE(c.late(now + 50'000));
}

}  // namespace
