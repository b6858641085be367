// The manager, one transition after the other (docs/internals/protocol.md, MANAGER-1 to MANAGER-7).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <vector>

#include "leat/protocol/manager.hpp"

namespace leat::inline LEAT_ABI::protocol {

std::ostream& operator<<(std::ostream& out, const action& a) {
  static constexpr const char* kinds[] = {"hand", "root", "dummy", "stop", "finished"};
  return out << kinds[static_cast<unsigned>(a.what)] << " about " << a.about.thief << " status "
             << static_cast<unsigned>(a.about.status) << " known " << a.about.known << " only " << a.about.only
             << " to " << a.to << " run " << a.run;
}

}  // namespace leat::inline LEAT_ABI::protocol

namespace {

using namespace leat::protocol;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using actions = std::vector<action>;

constexpr run_id r1 = 1;
constexpr run_id r2 = 2;

request of(worker_id thief, status s, run_id known = no_run, run_id only = no_run) {
  request r;
  r.thief = thief;
  r.status = s;
  r.known = known;
  r.only = only;
  return r;
}
request idle(worker_id thief, run_id known = no_run) { return of(thief, status::idle, known); }
request in_barrier(worker_id thief, run_id run) { return of(thief, status::idle, run, run); }
request in_wait(worker_id thief, run_id run) { return of(thief, status::working, run, run); }

action hand(const request& r, worker_id to) { return {action::kind::hand, r, to, no_run}; }
action root(worker_id thief, run_id run) { return {action::kind::root, of(thief, status::idle, run), 0, run}; }
action dummy(const request& r) { return {action::kind::dummy, r, 0, no_run}; }
action release(worker_id thief, run_id run) { return {action::kind::dummy, in_barrier(thief, run), 0, run}; }
action stop(worker_id thief) { return {action::kind::stop, of(thief, status::registered_idle), 0, no_run}; }
action finished(run_id run) { return {action::kind::finished, {}, 0, run}; }

// A manager that returns what each message makes it do.
class managed : public ::testing::Test {
 protected:
  actions takes(const request& s) {
    return of([&](actions& out) { m.on_request(s, out); });
  }
  actions update(worker_id thief, run_id run) {
    return of([&](actions& out) { m.on_update(thief, run, out); });
  }
  actions offer(worker_id w, run_id run, bool has_room = true) {
    return of([&](actions& out) { m.on_offer(w, run, out, has_room); });
  }
  actions submit(run_id run) {
    return of([&](actions& out) { m.on_submit(run, out); });
  }
  actions recall(worker_id thief) {
    return of([&](actions& out) { m.on_recall(thief, out); });
  }
  actions stops() {
    return of([&](actions& out) { m.on_stop(out); });
  }

  // Worker `w` works for `run`, as its root if nobody did before.
  void works(worker_id w, run_id run) { ASSERT_THAT(update(w, run), IsEmpty()); }

  manager m{4};

 private:
  template <class F>
  static actions of(F f) {
    actions out;
    f(out);
    return out;
  }
  static request of(worker_id thief, status s, run_id known = no_run, run_id only = no_run) {
    return ::of(thief, s, known, only);
  }
};

// -- MANAGER-1, requests are pooled

TEST_F(managed, tells_who_is_idle_the_last_one_first) {
  works(3, r1);
  EXPECT_THAT(takes(idle(1)), IsEmpty());
  EXPECT_THAT(takes(in_wait(3, r1)), IsEmpty());
  EXPECT_THAT(takes(idle(0)), IsEmpty());
  EXPECT_EQ(m.idle(0), 0u);
  EXPECT_EQ(m.idle(1), 1u);
  EXPECT_FALSE(m.idle(2)) << "who waits inside a task is not idle";
}

TEST_F(managed, keeps_the_first_requests) {
  EXPECT_THAT(takes(idle(0)), IsEmpty());
  EXPECT_THAT(takes(idle(1)), IsEmpty());
  EXPECT_EQ(m.pooled(), 2u);
  EXPECT_EQ(m.known(0), no_run);
}

TEST_F(managed, counts_an_idle_thief_and_finishes_its_run) {
  works(0, r1);
  works(1, r1);
  EXPECT_THAT(takes(idle(0, r1)), IsEmpty());
  EXPECT_EQ(m.known(0), no_run);
  EXPECT_EQ(m.known(1), r1);
  EXPECT_THAT(takes(idle(1, r1)), ElementsAre(finished(r1)));
  EXPECT_EQ(m.pooled(), 2u);
}

TEST_F(managed, does_not_count_a_working_thief_as_idle) {
  works(0, r1);
  EXPECT_THAT(takes(in_wait(0, r1)), IsEmpty());
  EXPECT_EQ(m.pooled(), 1u);
  EXPECT_EQ(m.known(0), r1);
}

// -- MANAGER-2, updates

TEST_F(managed, is_told_by_the_victim_who_works) {
  EXPECT_THAT(update(2, r1), IsEmpty());
  EXPECT_EQ(m.known(2), r1);
  EXPECT_THAT(update(2, r1), IsEmpty()) << "twice is once";
  EXPECT_THAT(takes(idle(2, r1)), ElementsAre(finished(r1)));
}

TEST_F(managed, finishes_the_run_that_the_last_worker_leaves_for_another) {
  works(0, r1);
  works(1, r2);
  EXPECT_THAT(update(0, r2), ElementsAre(finished(r1)));
  EXPECT_THAT(takes(idle(0, r2)), IsEmpty());
  EXPECT_THAT(takes(idle(1, r2)), ElementsAre(finished(r2)));
}

TEST_F(managed, releases_the_barrier_of_a_run_that_the_last_worker_leaves_for_another) {
  works(0, r1);
  works(1, r1);
  works(2, r2);
  ASSERT_THAT(takes(in_barrier(0, r1)), IsEmpty());
  EXPECT_THAT(update(1, r2), ElementsAre(release(0, r1)));
  EXPECT_EQ(m.known(0), r1);
}

// -- MANAGER-3, offers

TEST_F(managed, hands_over_the_youngest_request) {
  works(0, r1);
  ASSERT_THAT(takes(idle(1)), IsEmpty());
  ASSERT_THAT(takes(idle(2)), IsEmpty());
  EXPECT_THAT(offer(0, r1), ElementsAre(hand(idle(2, r1), 0)));
  EXPECT_THAT(offer(0, r1), ElementsAre(hand(idle(1, r1), 0)));
  EXPECT_THAT(offer(0, r1), IsEmpty());
  EXPECT_EQ(m.pooled(), 0u);
}

TEST_F(managed, counts_the_thief_of_a_request_that_it_hands_over) {
  works(0, r1);
  ASSERT_THAT(takes(idle(1)), IsEmpty());
  ASSERT_THAT(offer(0, r1), ElementsAre(hand(idle(1, r1), 0)));
  EXPECT_EQ(m.known(1), r1);
  EXPECT_THAT(takes(idle(0, r1)), IsEmpty()) << "the thief works for the run";
  EXPECT_THAT(takes(idle(1, r1)), ElementsAre(finished(r1))) << "or comes back without having found anything";
}

TEST_F(managed, hands_over_requests_of_working_thieves_unchanged) {
  works(0, r1);
  works(1, r1);
  ASSERT_THAT(takes(in_wait(1, r1)), IsEmpty());
  EXPECT_THAT(offer(0, r1), ElementsAre(hand(in_wait(1, r1), 0)));
}

TEST_F(managed, hands_over_only_who_wants_tasks_of_that_run) {
  works(0, r1);
  works(1, r2);
  works(2, r2);
  ASSERT_THAT(takes(in_wait(1, r2)), IsEmpty());
  ASSERT_THAT(takes(in_barrier(2, r2)), IsEmpty());
  EXPECT_THAT(offer(0, r1), IsEmpty());
  ASSERT_THAT(takes(idle(3)), IsEmpty());
  EXPECT_THAT(offer(0, r1), ElementsAre(hand(idle(3, r1), 0)));
  EXPECT_THAT(offer(0, r2), ElementsAre(hand(in_barrier(2, r2), 0)));
}

TEST_F(managed, hands_nobody_its_own_request) {
  works(0, r1);
  ASSERT_THAT(takes(in_wait(0, r1)), IsEmpty());
  EXPECT_THAT(offer(0, r1), IsEmpty());
}

// -- MANAGER-4, runs begin

TEST_F(managed, gives_the_root_to_the_youngest_idle_worker) {
  ASSERT_THAT(takes(idle(0)), IsEmpty());
  ASSERT_THAT(takes(idle(1)), IsEmpty());
  EXPECT_THAT(submit(r1), ElementsAre(root(1, r1)));
  EXPECT_EQ(m.known(1), r1);
  EXPECT_EQ(m.waiting(), 0u);
  EXPECT_EQ(m.pooled(), 1u);
}

TEST_F(managed, keeps_runs_in_order_until_a_worker_is_idle) {
  EXPECT_THAT(submit(r1), IsEmpty());
  EXPECT_THAT(submit(r2), IsEmpty());
  EXPECT_EQ(m.waiting(), 2u);
  EXPECT_THAT(takes(idle(3)), ElementsAre(root(3, r1)));
  EXPECT_THAT(takes(idle(0)), ElementsAre(root(0, r2)));
  EXPECT_EQ(m.waiting(), 0u);
  EXPECT_THAT(takes(idle(1)), IsEmpty());
}

TEST_F(managed, gives_roots_to_nobody_who_waits_for_its_run) {
  works(0, r1);
  works(1, r1);
  works(2, r1);
  ASSERT_THAT(takes(in_barrier(0, r1)), IsEmpty());
  ASSERT_THAT(takes(in_wait(1, r1)), IsEmpty());
  EXPECT_THAT(submit(r2), IsEmpty());
  EXPECT_EQ(m.pooled(), 2u);
  EXPECT_THAT(takes(idle(2, r1)), ElementsAre(root(2, r2)));
}

TEST_F(managed, finishes_a_run_before_its_last_worker_takes_the_next_root) {
  works(0, r1);
  ASSERT_THAT(submit(r2), IsEmpty());
  EXPECT_THAT(takes(idle(0, r1)), ElementsAre(finished(r1), root(0, r2)));
}

// -- MANAGER-5, barriers

TEST_F(managed, releases_a_barrier_when_all_others_are_idle) {
  works(0, r1);
  works(1, r1);
  ASSERT_THAT(takes(in_barrier(0, r1)), IsEmpty());
  EXPECT_EQ(m.known(0), no_run);
  EXPECT_THAT(takes(idle(1, r1)), ElementsAre(release(0, r1)));
  EXPECT_EQ(m.known(0), r1) << "counted again before anything else can happen";
  EXPECT_THAT(takes(idle(0, r1)), ElementsAre(finished(r1)));
}

TEST_F(managed, releases_a_barrier_with_no_tasks_at_once) {
  works(0, r1);
  EXPECT_THAT(takes(in_barrier(0, r1)), ElementsAre(release(0, r1)));
  EXPECT_THAT(takes(in_barrier(0, r1)), ElementsAre(release(0, r1))) << "two in a row";
  EXPECT_EQ(m.pooled(), 0u);
}

TEST_F(managed, releases_no_barrier_while_a_worker_waits_inside_a_task) {
  works(0, r1);
  works(1, r1);
  works(2, r1);
  ASSERT_THAT(takes(in_barrier(0, r1)), IsEmpty());
  ASSERT_THAT(takes(in_wait(1, r1)), IsEmpty());
  EXPECT_THAT(takes(idle(2, r1)), IsEmpty());
}

TEST_F(managed, releases_the_barrier_of_the_right_run) {
  works(0, r1);
  works(1, r2);
  works(2, r1);
  works(3, r2);
  ASSERT_THAT(takes(in_barrier(0, r1)), IsEmpty());
  ASSERT_THAT(takes(in_barrier(1, r2)), IsEmpty());
  EXPECT_THAT(takes(idle(3, r2)), ElementsAre(release(1, r2)));
  EXPECT_THAT(takes(idle(2, r1)), ElementsAre(release(0, r1)));
}

TEST_F(managed, releases_the_barrier_of_a_root_that_was_handed_over_in_vain) {
  works(0, r1);
  works(1, r1);
  ASSERT_THAT(takes(in_barrier(0, r1)), IsEmpty());
  ASSERT_THAT(offer(1, r1), ElementsAre(hand(in_barrier(0, r1), 1)));
  ASSERT_THAT(takes(idle(1, r1)), IsEmpty()) << "the root may have got a task";
  EXPECT_THAT(takes(in_barrier(0, r1)), ElementsAre(release(0, r1)));
}

// -- MANAGER-6, recalls

TEST_F(managed, revokes_a_recalled_request_of_the_pool) {
  works(0, r1);
  ASSERT_THAT(takes(in_wait(0, r1)), IsEmpty());
  EXPECT_THAT(recall(0), ElementsAre(dummy(in_wait(0, r1))));
  EXPECT_EQ(m.pooled(), 0u);
  EXPECT_EQ(m.known(0), r1);
}

TEST_F(managed, revokes_a_recalled_request_when_it_is_pooled) {
  works(0, r1);
  EXPECT_THAT(recall(0), IsEmpty());
  EXPECT_THAT(takes(in_wait(0, r1)), ElementsAre(dummy(in_wait(0, r1))));
  EXPECT_THAT(takes(in_wait(0, r1)), IsEmpty()) << "once";
}

TEST_F(managed, forgets_a_recall_when_the_thief_is_idle) {
  works(0, r1);
  works(1, r1);
  ASSERT_THAT(recall(0), IsEmpty());
  EXPECT_THAT(takes(idle(0, r1)), IsEmpty());
  works(0, r1);
  EXPECT_THAT(takes(in_wait(0, r1)), IsEmpty());
}

TEST_F(managed, recalls_nobody_else) {
  works(0, r1);
  works(1, r1);
  ASSERT_THAT(takes(in_wait(1, r1)), IsEmpty());
  EXPECT_THAT(recall(0), IsEmpty());
  EXPECT_EQ(m.pooled(), 1u);
}

// -- MANAGER-7, the end

TEST_F(managed, lets_idle_workers_leave) {
  ASSERT_THAT(takes(idle(0)), IsEmpty());
  ASSERT_THAT(takes(idle(2)), IsEmpty());
  EXPECT_THAT(stops(), ElementsAre(stop(0), stop(2)));
  EXPECT_EQ(m.pooled(), 0u);
  EXPECT_THAT(takes(idle(1)), ElementsAre(stop(1))) << "and those who become idle";
}

TEST_F(managed, gives_roots_that_wait_before_it_lets_workers_leave) {
  ASSERT_THAT(submit(r1), IsEmpty());
  ASSERT_THAT(stops(), IsEmpty());
  EXPECT_THAT(takes(idle(0)), ElementsAre(root(0, r1)));
  EXPECT_THAT(takes(idle(1)), ElementsAre(stop(1)));
  EXPECT_THAT(takes(idle(0, r1)), ElementsAre(finished(r1), stop(0)));
}

TEST_F(managed, keeps_those_who_wait_inside_a_run) {
  works(0, r1);
  works(1, r1);
  works(2, r1);
  ASSERT_THAT(takes(in_barrier(0, r1)), IsEmpty());
  ASSERT_THAT(takes(in_wait(1, r1)), IsEmpty());
  EXPECT_THAT(stops(), IsEmpty());
  EXPECT_EQ(m.pooled(), 2u);
}

TEST(manager, makes_no_more_actions_than_it_says) {
  constexpr worker_id workers = 20;
  manager m(workers);
  actions out;
  for (worker_id w = 0; w < workers; ++w) m.on_request(idle(w), out);
  ASSERT_THAT(out, IsEmpty());
  m.on_stop(out);
  EXPECT_EQ(out.size(), workers);
  EXPECT_LE(out.size(), manager::actions_max(workers));
}

TEST(manager, is_a_value) {
  manager a(2);
  actions out;
  a.on_request(idle(0), out);
  manager b = a;
  EXPECT_EQ(a, b);
  b.on_request(idle(1), out);
  EXPECT_NE(a, b);
  EXPECT_EQ(a.pooled(), 1u);
}

// CAP-4: the youngest request is of a thief that may not enter; an older one, of a worker that waits in the run.
TEST_F(managed, hands_an_offer_of_a_full_run_to_its_own_workers_alone) {
  update(2, r1);
  EXPECT_THAT(takes(in_wait(2, r1)), IsEmpty());
  EXPECT_THAT(takes(idle(1)), IsEmpty());
  EXPECT_THAT(offer(0, r1, false), ElementsAre(hand(in_wait(2, r1), 0)));
  EXPECT_THAT(offer(0, r1, false), IsEmpty());
  EXPECT_EQ(offer(0, r1, true).size(), 1u);
}

}  // namespace
