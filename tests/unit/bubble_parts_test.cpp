// The parts that tell how many threads and carriers there are, and where: each by itself, without a carrier that executes.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string_view>
#include <thread>

#include "bubble_parts.hpp"
#include "leat/fibre/overflow.hpp"

namespace {

using namespace leat_test;

TEST(bubble_parts, a_wait_line_is_first_come_first_served) {
  std::array<waiter<native>, 4> w;
  wait_line<native> line;
  EXPECT_TRUE(line.empty());
  EXPECT_EQ(line.pop(), nullptr);
  line.push_first(w[1]);
  line.push(w[2]);
  line.push_first(w[0]);
  EXPECT_EQ(line.pop(), &w[0]);
  EXPECT_EQ(line.pop(), &w[1]);
  line.push(w[3]);
  waiter<native>* all = line.take();
  EXPECT_TRUE(line.empty());
  EXPECT_EQ(all, &w[2]);
  EXPECT_EQ(all->next, &w[3]);
  all->next = nullptr;
  line.push(w[0]);
  line.push(w[1]);
  line.take_into(all);
  int linked = 0;
  for (const waiter<native>* at = all; at != nullptr; at = at->next) ++linked;
  EXPECT_EQ(linked, 3);
  EXPECT_TRUE(line.empty());
}

TEST(bubble_parts, a_domain_around_another_has_the_unit) {
  const domain_lists<native> lists(two_nodes());
  EXPECT_EQ(lists.around(unit_0, 0), unit_0);
  EXPECT_EQ(lists.around(unit_0, 1), node_0);
  EXPECT_EQ(lists.around(unit_0, 2), leat::topology::root_domain);
}

TEST(bubble_parts, a_path_shows_the_highest_priority) {
  const parts_of p;
  still_thread low(*p.home, -1), high(*p.home, 1);
  EXPECT_FALSE(p.home->lists.peek(p.path(0)));
  p.home->lists[unit_0].push(low);
  p.home->lists[node_0].push(high);
  EXPECT_EQ(p.home->lists.peek(p.path(0)).place, 1u);
  EXPECT_EQ(p.home->lists.peek(p.path(1)).first().priority, 1);
  EXPECT_FALSE(p.home->lists.peek(p.path(2)));
}

// BUBBLE-4
TEST(bubble_parts, the_lock_of_an_area_follows_the_entity) {
  const parts_of p;
  still_thread s(*p.home);
  s.area = node_1;
  std::atomic<bool> has{false};
  std::thread other;
  {
    const domain_lists<native>::pair_lock both(p.home->lists, node_1, unit_0);
    other = std::thread([&] {
      const domain_lists<native>::area_lock at(p.home->lists, s);
      EXPECT_EQ(at.area(), unit_0);
      EXPECT_EQ(&at.list(), &p.home->lists[unit_0]);
      has = true;
    });
    std::this_thread::yield();
    EXPECT_FALSE(has);
    s.area = unit_0;
  }
  other.join();
  EXPECT_TRUE(has);
  const domain_lists<native>::pair_lock same(p.home->lists, node_1, node_1);  // once, not twice
}

TEST(bubble_parts, loads_count_where_a_bubble_has_gone_down) {
  const machine m = two_nodes();
  domain_loads loads(m);
  descent way, other;
  loads.sink(way, 3, node_0);
  loads.sink(way, 5, unit_1);  // as much as at first, whatever has ended since
  loads.sink(other, 1, node_0);
  EXPECT_EQ(loads[node_0], 4);
  EXPECT_EQ(loads[unit_1], 3);
  loads.rise(way, node_0);
  EXPECT_EQ(loads[unit_1], 0);
  EXPECT_EQ(loads[node_0], 4);
  loads.begin_at(way, node_1);
  EXPECT_EQ(loads[node_0], 1);
  loads.sink(way, 2, unit_2);
  EXPECT_EQ(loads[unit_2], 2);
  EXPECT_EQ(loads[node_1], 0) << "it went down from there";
  loads.rise(way, leat::topology::root_domain);
  EXPECT_EQ(loads[unit_2], 0);
  EXPECT_EQ(way.from, leat::topology::root_domain);
  loads.begin_at(other, leat::topology::root_domain);
  for (domain_id d = 0; d <= unit_3; ++d) EXPECT_EQ(loads[d], 0) << d;
}

// THREAD-10
TEST(bubble_parts, a_count_of_threads_that_has_come_to_zero_stays_there) {
  thread_counts<native> counts;
  EXPECT_TRUE(counts.over());
  EXPECT_FALSE(counts.release_unless_over(1));
  counts.release();
  EXPECT_FALSE(counts.over());
  EXPECT_TRUE(counts.release_unless_over(2));
  EXPECT_FALSE(counts.end());
  EXPECT_FALSE(counts.end());
  EXPECT_TRUE(counts.end());
  EXPECT_TRUE(counts.over());
  EXPECT_FALSE(counts.release_unless_over(0));
  counts.hold();
  counts.hold();
  counts.unhold();
  EXPECT_EQ(counts.unbegun(), 1u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(counts.number_thread(), i);
    EXPECT_EQ(counts.number_bubble(), i);
  }
}

TEST(bubble_parts, a_log_counts_after_its_trace_is_closed) {
  const parts_of p;
  auto b = p.make();
  trace t;
  bubble_log<native> log(&t, p.home->machine());
  log.note(incident::down, b, node_0);
  log.note(incident::inserted, b, 0, 7);
  log.close();
  log.note(incident::down, b, unit_0);
  log.note(incident::moved, b, 0);
  ASSERT_EQ(t.events().size(), 2u);
  EXPECT_EQ(t.events()[0].at, node_0);
  EXPECT_EQ(t.events()[1].other, 7u);
  EXPECT_EQ(log.counts().down, 2u);
  EXPECT_EQ(log.counts().moves, 1u);
  EXPECT_EQ(log.counts().bursts + log.counts().recalls + log.counts().widenings, 0u);
}

// THREAD-5
TEST(bubble_parts, carriers_are_told_in_turn_and_in_the_domain_alone) {
  on_worker([] {
    const parts_of p;
    carrier_set<native>& carriers = p.home->carriers;
    seen_carrier c3(p, 3), c0(p, 0), c1(p, 1), c2(p, 2);
    EXPECT_EQ(carriers.announce(0), 0u) << "none rests";
    for (seen_carrier* c : {&c0, &c1, &c2, &c3}) carriers.begin_rest(c->state);
    EXPECT_EQ(carriers.announce(node_1), 1u);
    EXPECT_FALSE(c2.state.is_idle());
    EXPECT_TRUE(c0.state.is_idle() && c1.state.is_idle() && c3.state.is_idle());
    carriers.announce(0);
    EXPECT_FALSE(c3.state.is_idle()) << "the next one";
    carriers.end_rest(c2.state), carriers.end_rest(c3.state);
    carriers.begin_rest(c2.state), carriers.begin_rest(c3.state);
    carriers.announce(0, 2);
    EXPECT_TRUE(c0.state.is_idle() != c1.state.is_idle() && c2.state.is_idle() != c3.state.is_idle())
        << "far from each other";
    for (seen_carrier* c : {&c0, &c1, &c2, &c3}) carriers.end_rest(c->state);
    EXPECT_FALSE(carriers.any_rests());
  });
}

TEST(bubble_parts, a_member_is_announced_elsewhere_where_too_few_are_free) {
  on_worker([] {
    const parts_of p;
    seen_carrier c0(p, 0), c2(p, 2);
    c0.state.set_busy(true);
    p.home->carriers.begin_rest(c2.state);
    EXPECT_EQ(p.home->carriers.announce(node_0), 0u);
    EXPECT_TRUE(c2.state.is_idle());
    p.home->carriers.announce_member(node_0);
    EXPECT_FALSE(c2.state.is_idle());
    p.home->carriers.end_rest(c2.state);
    EXPECT_EQ(p.home->carriers.free_in(0), 1u);
    EXPECT_EQ(p.home->carriers.free_in(node_0), 0u);
    EXPECT_FALSE(p.home->carriers.all_block_in(node_0));
    c0.state.set_blocks(true);
    EXPECT_TRUE(p.home->carriers.all_block_in(node_0));
    EXPECT_FALSE(p.home->carriers.all_block_in(0));
  });
}

// A carrier that was told of one thing and took another tells of what is left.
TEST(bubble_parts, a_carrier_that_begins_to_work_tells_of_what_is_left_in_its_reach) {
  on_worker([] {
    const parts_of p;
    still_thread s(*p.home);
    seen_carrier c0(p, 0), c1(p, 1);
    p.home->carriers.begin_rest(c1.state);
    p.home->carriers.begin_work(c0.state);
    EXPECT_TRUE(c1.state.is_idle()) << "nothing is left";
    p.home->lists[node_0].push(s);
    p.home->carriers.begin_work(c0.state);
    EXPECT_TRUE(c0.state.is_busy());
    EXPECT_FALSE(c1.state.is_idle());
    p.home->carriers.end_rest(c1.state);
  });
}

// THREAD-7, THREAD-8
TEST(bubble_parts, an_offer_is_accepted_withdrawn_or_open) {
  on_worker([] {
    const parts_of p;
    carrier_offers<native>& offers = p.home->offers;
    auto& me = *leat::scheduler::worker<native>::current();
    offers.begin(me);
    const auto o = std::make_shared<offer<native>>(2u), gone = std::make_shared<offer<native>>(3u);
    const auto accept_all = [&] { me.waiter.work_until([&] { return offers.none_under_way(); }); };
    accepted = 0;
    offers.make(o);
    EXPECT_FALSE(offers.none_under_way());
    accept_all();
    EXPECT_EQ(accepted, 1);
    EXPECT_TRUE(offers.leave_open(gone));
    offers.withdraw(*gone);
    EXPECT_FALSE(offers.leave_open(gone));
    EXPECT_FALSE(offers.any_open_in(p.home->machine()[node_1])) << "it is withdrawn";
    EXPECT_TRUE(offers.leave_open(o));
    EXPECT_TRUE(offers.any_open_in(p.home->machine()[node_1]));
    EXPECT_FALSE(offers.any_open_in(p.home->machine()[node_0]));
    {
      seen_carrier resting(p, 0);
      p.home->carriers.begin_rest(resting.state);
      offers.fill();
      EXPECT_TRUE(offers.none_under_way()) << "a carrier rests";
      p.home->carriers.end_rest(resting.state);
    }
    offers.fill();
    accept_all();
    EXPECT_EQ(accepted, 2);
    offers.fill();
    EXPECT_TRUE(offers.none_under_way()) << "none is open";
    seen_carrier c(p, 2);
    EXPECT_TRUE(offers.take(*o, &c.state));
    offers.withdraw(*o);
    EXPECT_TRUE(c.state.dismissed());
    EXPECT_FALSE(offers.take(*o, nullptr));
  });
}

TEST(bubble_parts, an_overflow_is_told_as_far_as_there_is_room) {
  std::array<char, 100> text;
  const std::string_view all = "leat: thread 1203 has come to the end of its stack of 16384 bytes\n";
  EXPECT_EQ(std::string_view(text.data(), leat::fibre::describe_overflow(1203, 16384, text)), all);
  EXPECT_EQ(std::string_view(text.data(), leat::fibre::describe_overflow(1203, 16384, std::span(text).first(16))),
            all.substr(0, 16));
  EXPECT_EQ(leat::fibre::describe_overflow(0, 0, std::span(text).first(0)), 0u);
}

}  // namespace
