// The parts that move threads and bubbles from place to place: each by itself, without a carrier that executes.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>

#include "bubble_parts.hpp"
#include "leat/thread/slice_watch.hpp"

namespace {

using namespace leat_test;

// BUBBLE-1, BUBBLE-3
TEST(bubble_moves, a_bubble_goes_down_bursts_and_comes_back) {
  on_worker([] {
    const parts_of p;
    auto b = p.make({.depth = 1});
    still_thread s(*p.home), runs(*p.home);
    p.home->threads.release();
    for (still_thread* t : {&s, &runs}) p.home->members.insert(b, *t);
    p.home->members.wake(b);
    seen_carrier c(p, 2);
    p.home->bubbles.send_down(c.state);
    EXPECT_EQ(b.now, bubble_node<native>::phase::burst) << "in one step, on the side of the unit that looks";
    EXPECT_EQ(b.area.load(), node_1);
    EXPECT_EQ(p.first_on(node_1), &s);
    EXPECT_EQ(b.running, 1u);
    {
      const holding<native> all(p.home->bubbles.lock());
      p.home->bubbles.recall(b);
      EXPECT_EQ(b.now, bubble_node<native>::phase::recalled) << "s executes";
      EXPECT_FALSE(runs.listed);
    }
    p.home->places.put(s, green_thread<native>::phase::running);
    EXPECT_EQ(b.now, bubble_node<native>::phase::closed);
    EXPECT_TRUE(b.listed);
    EXPECT_EQ(b.area.load(), leat::topology::root_domain);
    EXPECT_EQ(p.home->counts().down, 1u);
    EXPECT_EQ(p.home->counts().bursts, 1u);
    for (still_thread* t : {&s, &runs}) end(p, *t);
    EXPECT_TRUE(p.home->members.join(b, nullptr));
  });
}

// BUBBLE-1: where less has gone down, if a carrier there takes it.
TEST(bubble_moves, a_bubble_goes_where_least_has_gone_down_and_a_carrier_is_free) {
  on_worker([] {
    const parts_of p;
    auto first = p.make({.depth = 1, .work = 1}), second = p.make({.depth = 1, .work = 1}),
         third = p.make({.depth = 1, .work = 1});
    still_thread s(*p.home), t(*p.home), u(*p.home);
    p.home->threads.release();
    p.home->members.insert(first, s);
    p.home->members.insert(second, t);
    p.home->members.insert(third, u);
    seen_carrier c0(p, 0), c2(p, 2);
    p.home->members.wake(first);
    p.home->bubbles.send_down(c0.state);
    EXPECT_EQ(first.area.load(), node_0);
    EXPECT_EQ(p.first_on(node_0), &s) << "it has burst";
    p.home->members.wake(second);
    c2.state.set_busy(true);
    p.home->bubbles.send_down(c0.state);
    EXPECT_EQ(second.area.load(), node_0) << "nobody takes it elsewhere";
    EXPECT_EQ(p.first_on(node_0), &t);
    p.home->members.wake(third);
    c2.state.set_busy(false);
    p.home->bubbles.send_down(c0.state);
    EXPECT_EQ(third.area.load(), node_1);
    EXPECT_TRUE(third.listed) << "for the carrier there, which bursts it";
    p.home->bubbles.send_down(c2.state);
    EXPECT_EQ(p.first_on(node_1), &u);
    for (still_thread* each : {&s, &t, &u}) end(p, *each);
    for (auto* b : {&first, &second, &third}) EXPECT_TRUE(p.home->members.join(*b, nullptr));
  });
}

// A bubble of two threads that has burst on node 0.
struct burst_on_node_0 {
  burst_on_node_0(const parts_of& parts, const bubble_plan& plan) : p(parts), b(p.make(plan)), s(*p.home), t(*p.home) {
    p.home->threads.release();
    p.home->members.insert(b, s);
    p.home->members.insert(b, t);
    p.home->members.wake(b);
    const holding<native> all(p.home->bubbles.lock());
    p.home->bubbles.take_off_list(b);
    b.released_on = 0;
    p.home->bubbles.burst(b, node_0);
  }
  ~burst_on_node_0() {
    for (still_thread* each : {&s, &t}) end(p, *each);
    EXPECT_TRUE(p.home->members.join(b, nullptr));
  }

  const parts_of& p;
  bubble_node<native> b;
  still_thread s, t;
};

// REGENERATION-1, REGENERATION-2
TEST(bubble_moves, an_idle_unit_moves_what_executes_nothing_and_widens_the_rest) {
  on_worker([] {
    const parts_of p;
    seen_carrier c0(p, 0), c2(p, 2);
    c0.state.set_busy(true);
    const auto take_over = [&](auto& c) { return p.home->regeneration.take_over(c.state, [] { return false; }); };
    {
      burst_on_node_0 all_wait(p, {});
      EXPECT_FALSE(take_over(c0)) << "it is in reach";
      EXPECT_TRUE(p.home->regeneration.take_over(c2.state, [] { return true; })) << "something came meanwhile";
      EXPECT_EQ(p.home->counts().moves, 0u);
      EXPECT_TRUE(take_over(c2));
      EXPECT_EQ(p.home->counts().moves, 1u);
      EXPECT_EQ(all_wait.b.now, bubble_node<native>::phase::closed);
      EXPECT_EQ(all_wait.b.area.load(), leat::topology::root_domain);
    }
    {
      burst_on_node_0 one_runs(p, {});
      EXPECT_EQ(p.first_on(node_0), &one_runs.s);
      EXPECT_TRUE(take_over(c2));
      EXPECT_EQ(p.home->counts().widenings, 1u);
      EXPECT_EQ(one_runs.t.area.load(), leat::topology::root_domain);
      EXPECT_TRUE(one_runs.t.listed);
    }
    {
      burst_on_node_0 stays(p, {.stays = true});
      EXPECT_FALSE(take_over(c2));
      c0.state.set_blocks(true);
      EXPECT_FALSE(take_over(c2)) << "a carrier compensates for the one that blocks";
      p.home->offers.leave_open(std::make_shared<offer<native>>(0u));
      EXPECT_TRUE(take_over(c2));
    }
  });
}

// REGENERATION-3
TEST(bubble_moves, a_slice_ends_where_others_wait) {
  on_worker([] {
    const parts_of p;
    burst_on_node_0 sliced(p, {.slice_ns = 1});
    EXPECT_EQ(p.first_on(node_0), &sliced.s);
    while (native::now_ns() - sliced.b.burst_ns.load() < 2) native::yield();
    leat::threads::slice_watch<native> clock;
    EXPECT_TRUE(clock.may_be_over(sliced.s));
    p.home->regeneration.check_slices(sliced.s);
    EXPECT_EQ(p.home->counts().recalls, 0u) << "nobody waits";
    still_thread other(*p.home);
    p.home->lists[0].push(other);
    p.home->regeneration.check_slices(sliced.s);
    EXPECT_EQ(p.home->counts().recalls, 1u);
    EXPECT_EQ(sliced.b.now, bubble_node<native>::phase::recalled);
    EXPECT_TRUE(clock.may_be_over(sliced.s)) << "it is recalled";
    p.home->lists[0].remove(other);
  });
}

TEST(bubble_moves, a_watch_looks_again_after_a_part_of_the_slice) {
  const parts_of p;
  auto plain = p.make(), hour = p.make({.slice_ns = 3'600'000'000'000});
  still_thread s(*p.home), t(*p.home);
  plain.add(s);
  hour.add(t);
  leat::threads::slice_watch<native> clock;
  EXPECT_FALSE(clock.may_be_over(s)) << "no slice";
  t.holder->burst_ns = native::now_ns();
  EXPECT_FALSE(clock.may_be_over(t)) << "not over";
  t.holder->burst_ns = native::now_ns() - 3'600'000'000'000;
  EXPECT_TRUE(clock.may_be_over(t));
  EXPECT_FALSE(clock.may_be_over(t)) << "it has just seen that";
  plain.remove(s);
  hour.remove(t);
}

// THREAD-2, THREAD-3
TEST(bubble_moves, a_thread_takes_the_place_of_one_that_goes_first) {
  const parts_of p;
  still_thread runs(*p.home, 1), low(*p.home, 0), high(*p.home, 1);
  const auto put = [&](still_thread& s) { p.home->places.put(s, green_thread<native>::phase::blocked); };
  EXPECT_EQ(p.home->places.exchange(runs, 0), nullptr) << "nobody is there";
  put(low);
  EXPECT_EQ(p.home->places.exchange(runs, 0), nullptr) << "of a lower priority";
  put(high);
  EXPECT_EQ(p.home->places.take_first(0, 2), nullptr);
  EXPECT_EQ(p.home->places.exchange(runs, node_0), nullptr) << "it belongs elsewhere";
  EXPECT_EQ(p.home->places.exchange(runs, 0), &high);
  EXPECT_EQ(p.first_on(0), &runs);
  EXPECT_EQ(p.first_on(0), &low);
}

// THREAD-5: those of one list come there together, the others are left to their own.
TEST(bubble_moves, waiters_of_one_list_are_woken_together) {
  const parts_of p, q;
  still_thread a(*p.home), b(*p.home), c(*p.home), stranger(*q.home);
  b.area = node_0;
  std::array<waiter<native>, 5> w;
  wait_line<native> line;
  still_thread* const threads[] = {&a, &b, nullptr, &stranger, &c};
  for (std::size_t i = 0; i < w.size(); ++i) {
    w[i].thread = threads[i];
    if (threads[i] != nullptr) w[i].places = &threads[i]->home.places;
    line.push(w[i]);
  }
  waiter<native>* told = line.take();
  p.home->places.wake_first(told);
  EXPECT_EQ(told, &w[1]);
  EXPECT_TRUE(a.listed && c.listed && !b.listed && !stranger.listed);
  EXPECT_EQ(p.first_on(0), &a);
  EXPECT_EQ(p.first_on(0), &c);
  tell_all(told);
  EXPECT_EQ(p.first_on(node_0), &b);
  EXPECT_EQ(q.first_on(0), &stranger);
  EXPECT_EQ(w[2].told.load(), 1u);
  p.home->places.wait_for_visitors();
}

// THREAD-10, THREAD-11
TEST(bubble_moves, a_bubble_that_was_never_woken_gives_back_what_has_a_handle) {
  const parts_of p;
  auto b = p.make(), inner = p.make();
  still_thread held(*p.home);
  p.home->hold(held);
  p.home->members.insert(b, held);
  p.home->members.insert(b, inner);
  EXPECT_THROW(p.home->members.insert(inner, b), std::logic_error);
  EXPECT_THROW(p.home->members.insert(b, held), std::logic_error);
  EXPECT_THROW(p.home->members.join(b, nullptr), std::logic_error);
  EXPECT_THROW(p.home->members.wake(b), std::logic_error) << "all threads have ended";
  EXPECT_TRUE(p.home->members.discard(b));
  EXPECT_EQ(held.holder, nullptr);
  EXPECT_EQ(inner.holder, nullptr);
  EXPECT_TRUE(p.home->members.take_back(held));
  EXPECT_EQ(p.home->threads.unbegun(), 0u);
  held.kept = nullptr;
}

TEST(bubble_moves, the_first_failure_is_kept) {
  const parts_of p;
  p.home->members.keep(nullptr);
  EXPECT_EQ(p.home->members.take_failure(), nullptr);
  const auto first = std::make_exception_ptr(1);
  p.home->members.keep(first);
  p.home->members.keep(std::make_exception_ptr(2));
  EXPECT_EQ(p.home->members.take_failure(), first);
  EXPECT_EQ(p.home->members.take_failure(), nullptr);
}

}  // namespace
