// The manager and the spares that compensate for blocked workers (docs/internals/protocol.md, MANAGER-8 and
// MANAGER-9).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "leat/protocol/manager.hpp"
#include "leat/protocol/random.hpp"

namespace {

using namespace leat::protocol;
using actions = std::vector<action>;

constexpr run_id r1 = 1;
constexpr run_id r2 = 2;

// Workers 0 and 1, spares 2, 3 and 4.
class manager_spares : public ::testing::Test {
 protected:
  static constexpr worker_id workers = 2;
  static constexpr worker_id all = 5;

  // What the manager does when `thief` registers as idle, coming from `known`.
  actions idle(worker_id thief, run_id known = no_run) {
    actions out;
    request s;
    s.thief = thief;
    s.status = status::idle;
    s.known = known;
    m.on_request(s, out);
    return out;
  }
  actions blocks() {
    actions out;
    m.on_block(out);
    return out;
  }
  actions submits(run_id run) {
    actions out;
    m.on_submit(run, out);
    return out;
  }
  actions offers(worker_id worker, run_id run) {
    actions out;
    m.on_offer(worker, run, out);
    return out;
  }
  void works(worker_id w, run_id run) {
    actions out;
    m.on_update(w, run, out);
    ASSERT_TRUE(out.empty());
  }

  // That `out` is one action of that kind about that thief.
  static void expect_one(const actions& out, action::kind what, worker_id thief) {
    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(out[0].what, what);
    EXPECT_EQ(out[0].about.thief, thief);
  }

  manager m{workers, all - workers};
};

TEST_F(manager_spares, go_dormant_when_nobody_blocks) {
  EXPECT_TRUE(idle(2).empty());
  EXPECT_EQ(m.pooled(), 0u) << "nobody is to offer to it";
  EXPECT_EQ(m.dormant(), 1u);
  EXPECT_TRUE(offers(0, r1).empty());
  EXPECT_TRUE(submits(r1).empty()) << "nor does it begin a run";
  EXPECT_EQ(m.waiting(), 1u);
}

TEST_F(manager_spares, compensate_when_they_come_while_a_worker_blocks) {
  EXPECT_TRUE(blocks().empty());
  EXPECT_TRUE(idle(2).empty());
  EXPECT_EQ(m.pooled(), 1u);
  EXPECT_TRUE(idle(3).empty());
  EXPECT_EQ(m.pooled(), 1u) << "one is enough for one";
  EXPECT_EQ(m.dormant(), 1u);
  expect_one(offers(0, r1), action::kind::hand, 2);
  EXPECT_EQ(m.known(2), r1);
}

TEST_F(manager_spares, are_pooled_when_a_worker_blocks) {
  idle(2);
  idle(3);
  EXPECT_TRUE(blocks().empty());
  EXPECT_EQ(m.pooled(), 1u);
  EXPECT_EQ(m.dormant(), 1u);
  EXPECT_TRUE(blocks().empty());
  EXPECT_EQ(m.pooled(), 2u);
  EXPECT_TRUE(blocks().empty()) << "there are no more";
  EXPECT_EQ(m.pooled(), 2u);
}

TEST_F(manager_spares, begin_a_run_that_waited_for_them) {
  works(0, r1);
  works(1, r1);
  idle(2);
  EXPECT_TRUE(submits(r2).empty());
  expect_one(blocks(), action::kind::root, 2);
  EXPECT_EQ(m.known(2), r2);
}

TEST_F(manager_spares, that_are_idle_go_dormant_when_a_worker_is_back) {
  idle(2);
  blocks();
  ASSERT_EQ(m.pooled(), 1u);
  m.on_return();
  EXPECT_EQ(m.pooled(), 0u);
  EXPECT_EQ(m.dormant(), 1u);
}

TEST_F(manager_spares, that_work_go_dormant_when_they_are_done) {
  works(0, r1);
  idle(2);
  blocks();
  expect_one(offers(0, r1), action::kind::hand, 2);
  m.on_return();
  EXPECT_EQ(m.known(2), r1) << "it finishes what it has";
  EXPECT_TRUE(idle(2, r1).empty());
  EXPECT_EQ(m.pooled(), 0u);
  EXPECT_EQ(m.dormant(), 1u);
  EXPECT_EQ(m.known(2), no_run);
}

TEST_F(manager_spares, that_work_compensate_for_the_next_that_blocks) {
  works(0, r1);
  idle(2);
  idle(3);
  blocks();
  expect_one(offers(0, r1), action::kind::hand, 3);
  m.on_return();
  EXPECT_TRUE(blocks().empty());
  EXPECT_EQ(m.pooled(), 0u) << "3 has not yet left";
  EXPECT_TRUE(idle(3, r1).empty());
  EXPECT_EQ(m.pooled(), 1u) << "and stays";
  EXPECT_EQ(m.dormant(), 1u);
}

TEST_F(manager_spares, of_which_too_few_came_are_all_kept_until_few_enough_block) {
  for (int i = 0; i < 4; ++i) blocks();
  idle(2);
  idle(3);
  m.on_return();
  m.on_return();
  EXPECT_EQ(m.pooled(), 2u);
  m.on_return();
  EXPECT_EQ(m.pooled(), 1u);
  EXPECT_EQ(m.dormant(), 1u);
}

TEST_F(manager_spares, in_their_barrier_or_a_wait_are_not_idle) {
  works(0, r1);
  blocks();
  actions out;
  works(2, r1);  // not heard of before: it was given work by a victim
  m.on_request({.thief = 2, .status = status::idle, .known = r1, .only = r1}, out);
  works(3, r1);
  m.on_request({.thief = 3, .status = status::working, .known = r1, .only = r1}, out);
  EXPECT_TRUE(out.empty());
  EXPECT_EQ(m.pooled(), 2u);
  m.on_return();
  EXPECT_EQ(m.pooled(), 2u) << "they go on when their waits end";
  EXPECT_EQ(m.dormant(), 0u);
}

TEST_F(manager_spares, finish_a_run_by_going_dormant) {
  blocks();
  idle(2);
  expect_one(submits(r1), action::kind::root, 2);
  m.on_return();
  const actions out = idle(2, r1);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].what, action::kind::finished);
  EXPECT_EQ(out[0].run, r1);
  EXPECT_EQ(m.dormant(), 1u);
}

TEST_F(manager_spares, leave_at_the_stop_dormant_or_not) {
  idle(0);
  idle(2);
  idle(3);
  blocks();
  actions out;
  m.on_stop(out);
  EXPECT_EQ(out.size(), 3u);
  for (const action& a : out) EXPECT_EQ(a.what, action::kind::stop);
  EXPECT_EQ(m.pooled(), 0u);
  EXPECT_EQ(m.dormant(), 0u);
  expect_one(idle(4), action::kind::stop, 4);
  m.on_return();
  expect_one(idle(1), action::kind::stop, 1);
}

// Whatever happens in whatever order: as many spares are within reach as workers block, if so many have come, but for those
// that still have work; and when nobody blocks and all are idle, all are dormant.
TEST_F(manager_spares, are_as_many_as_needed_in_any_order) {
  leat::protocol::random draw(7);
  for (int game = 0; game < 200; ++game) {
    manager any(workers, all - workers);
    std::vector<bool> at_work(all, true);  // before the first request, too
    std::size_t blocked = 0;
    actions out;
    any.on_update(0, r1, out);  // the run goes on
    for (int step = 0; step < 100; ++step) {
      const auto spare = workers + draw.below(all - workers);
      switch (draw.below(4)) {
        case 0:
          if (blocked < all) any.on_block(out), ++blocked;
          break;
        case 1:
          if (blocked > 0) any.on_return(), --blocked;
          break;
        case 2:
          if (at_work[spare]) any.on_request({.thief = spare, .status = status::idle, .known = any.known(spare)}, out);
          at_work[spare] = false;
          break;
        default:
          any.on_offer(0, r1, out);
          for (const action& a : out) at_work[a.about.thief] = a.what == action::kind::hand;
      }
      for (const action& a : out) EXPECT_EQ(a.what, action::kind::hand);
      out.clear();
      const auto idle = static_cast<std::size_t>(std::count(at_work.begin() + workers, at_work.end(), false));
      EXPECT_EQ(any.pooled() + any.dormant(), idle);
      EXPECT_LE(any.pooled(), blocked);
      if (any.dormant() != 0) {
        EXPECT_GE(any.pooled() + (all - workers - idle), blocked);
      }
    }
  }
}

}  // namespace
