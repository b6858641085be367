// What a program does to threads and bubbles that are under way: removes, recalls, closes, sets priorities.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "bubble_parts.hpp"
#include "leat/bubble.hpp"

namespace {

using namespace leat_test;
using leat::threads::bubble_options;
using on = carried<engine>;

template <class F>
std::string said_by(F f) {
  try {
    f();
  } catch (const std::logic_error& e) {
    return e.what();
  }
  return "nothing";
}

// BUBBLE-9
TEST(bubble_interface, what_is_removed_before_the_wake_is_as_before_its_insertion) {
  engine e(shape{2});
  on::run(e, "numa:2 pu:2", [] {
    std::atomic<int> ran{0};
    on::bubble first, second, inner;
    on::thread t(on::held, [&] { ++ran; }), stays(on::held, [&] { ++ran; });
    first.insert(t);
    first.insert(stays);
    inner.spawn([&] { ran += 10; });
    first.insert(inner);
    first.remove(t);
    first.remove(inner);
    first.wake();
    first.join();
    EXPECT_EQ(ran, 1);
    second.insert(t);
    second.insert(inner);
    second.wake();
    second.join();
    EXPECT_EQ(ran, 12);
    t.join();
    stays.join();
  });
}

// BUBBLE-9: a thread on a list leaves it at once, and its bubble's count with it.
TEST(bubble_moves, a_waiting_thread_leaves_its_bubble_at_once_and_an_executing_one_when_it_is_put) {
  on_worker([] {
    const parts_of p;
    auto b = p.make({.depth = 1});
    still_thread waits(*p.home), runs(*p.home), stays(*p.home);
    p.home->threads.release();
    for (still_thread* t : {&runs, &waits, &stays}) p.home->members.insert(b, *t);
    p.home->members.wake(b);
    seen_carrier c(p, 0);
    p.home->bubbles.send_down(c.state);
    p.home->bubbles.send_down(c.state);
    ASSERT_EQ(p.first_on(node_0), &runs);
    p.home->members.remove(b, waits);
    EXPECT_EQ(waits.holder, nullptr);
    EXPECT_EQ(waits.area.load(), leat::topology::root_domain);
    EXPECT_TRUE(waits.listed);
    EXPECT_EQ(b.threads, 2u);
    p.home->members.remove(b, runs);
    EXPECT_EQ(runs.holder, &b) << "it reads this without a lock";
    EXPECT_EQ(b.running, 1u);
    p.home->places.put(runs, green_thread<native>::phase::running);
    EXPECT_EQ(runs.holder, nullptr);
    EXPECT_EQ(b.running, 0u);
    EXPECT_EQ(b.threads, 1u);
    EXPECT_EQ(p.first_on(leat::topology::root_domain), &waits);
    EXPECT_EQ(p.first_on(leat::topology::root_domain), &runs);
    for (still_thread* t : {&waits, &runs, &stays}) end(p, *t);
    EXPECT_TRUE(p.home->members.join(b, nullptr));
  });
}

// The last one of a recalled bubble closes it, whether it comes back or leaves.
TEST(bubble_moves, a_bubble_closes_when_the_last_one_leaves_it) {
  on_worker([] {
    const parts_of p;
    auto b = p.make({.depth = 1});
    still_thread runs(*p.home), held(*p.home);
    p.home->threads.release();
    for (still_thread* t : {&runs, &held}) p.home->members.insert(b, *t);
    p.home->members.wake(b);
    seen_carrier c(p, 0);
    p.home->bubbles.send_down(c.state);
    p.home->bubbles.send_down(c.state);
    ASSERT_EQ(p.first_on(node_0), &runs);
    p.home->members.remove(b, runs);
    p.home->members.recall(b);
    EXPECT_EQ(b.now, bubble_node<native>::phase::recalled);
    p.home->members.remove(b, held);
    EXPECT_TRUE(held.listed) << "it was held, and is outside now";
    p.home->places.put(runs, green_thread<native>::phase::running);
    EXPECT_EQ(b.now, bubble_node<native>::phase::closed);
    EXPECT_EQ(b.threads, 0u);
    EXPECT_TRUE(p.home->members.join(b, nullptr));
    for (still_thread* t : {&runs, &held}) end(p, *t);
  });
}

TEST(bubble_moves, a_bubble_that_has_not_burst_leaves_the_one_around_it) {
  on_worker([] {
    const parts_of p;
    auto outer = p.make({.depth = 1}), inner = p.make({.depth = 2});
    still_thread s(*p.home);
    p.home->threads.release();
    p.home->members.insert(inner, s);
    p.home->members.insert(outer, inner);
    p.home->members.wake(outer);
    seen_carrier c(p, 0);
    p.home->bubbles.send_down(c.state);
    EXPECT_EQ(outer.now, bubble_node<native>::phase::burst);
    EXPECT_EQ(inner.area.load(), node_0);
    p.home->members.remove(outer, inner);
    EXPECT_EQ(inner.area.load(), leat::topology::root_domain);
    EXPECT_TRUE(inner.listed);
    EXPECT_EQ(outer.threads, 0u);
    EXPECT_TRUE(p.home->members.join(outer, nullptr)) << "nothing is left in it";
    p.home->bubbles.send_down(c.state);
    EXPECT_EQ(inner.now, bubble_node<native>::phase::burst);
    end(p, s);
    EXPECT_TRUE(p.home->members.join(inner, nullptr));
  });
}

// BUBBLE-10
TEST(bubble_moves, a_priority_that_is_set_counts_at_once_on_a_list) {
  on_worker([] {
    const parts_of p;
    auto b = p.make();
    still_thread s(*p.home), t(*p.home), in(*p.home);
    p.home->release(s);
    p.home->release(t);
    p.home->members.insert(b, in);
    p.home->members.wake(b);
    p.home->places.set_priority(t, 5);
    auto& list = p.home->lists[leat::topology::root_domain];
    EXPECT_EQ(list.first(), &t);
    EXPECT_EQ(head::unpacked(list.peek()).priority, 5);
    p.home->members.set_priority(b, 7);
    EXPECT_EQ(list.first(), &b);
    p.home->members.set_priority(b, -1);
    EXPECT_EQ(p.first_on(leat::topology::root_domain), &t);
    EXPECT_EQ(p.first_on(leat::topology::root_domain), &s);
    EXPECT_EQ(list.first(), &b);
    for (still_thread* each : {&s, &t}) end(p, *each);
    seen_carrier c(p, 0);
    for (int step = 0; step < 3; ++step) p.home->bubbles.send_down(c.state);
    end(p, in);
    EXPECT_TRUE(p.home->members.join(b, nullptr));
  });
}

TEST(bubble_interface, a_thread_yields_by_the_priority_that_was_set) {
  engine e(shape{1});
  on::run(e, "pu:1", [] {
    std::string order;
    on::thread low([&] { order += 'l'; });
    on::thread high([&] {
      on::thread::yield();
      order += 'h';
    });
    low.set_priority(-1);
    high.set_priority(1);
    low.join();
    EXPECT_EQ(order, "hl");
    high.join();
    low = on::thread([] {});
    low.join();
    EXPECT_EQ(said_by([&] { low.set_priority(1); }), "leat::thread::set_priority: there is no thread");
  });
}

// BUBBLE-5, on demand: what is recalled goes behind others of its priority, and bursts again.
TEST(bubble_interface, recalled_bubbles_let_others_come_and_go_on) {
  engine e(shape{1});
  on::run(e, "pu:1", [] {
    std::string order;
    on::bubble first, second;
    const auto of = [&](char c, on::bubble& b) {
      return [&order, &b, c] {
        for (int i = 0; i < 3; ++i) {
          order += c;
          b.recall();
          on::thread::yield();
        }
      };
    };
    first.spawn(of('a', first));
    second.spawn(of('b', second));
    first.wake();
    second.wake();
    first.join();
    second.join();
    EXPECT_EQ(order, "ababab");
    EXPECT_EQ(on::home().counts().bursts, 2u + 6u);
    first.recall();  // it has been joined: no effect
  });
}

TEST(bubble_interface, threads_leave_while_they_execute_and_wait) {
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    on::run(e, machine_of(s.workers), [&] {
      for (int round = 0; round < reps(30); ++round) {
        std::atomic<bool> over{false};
        on::mutex gate;
        on::bubble b(bubble_options{.burst_level = "pu", .stays = true});
        on::thread yields(on::held, [&] {
          while (!over) on::thread::yield();
        });
        on::thread waits(on::held, [&] { gate.lock(), gate.unlock(); });
        gate.lock();
        b.insert(yields);
        b.insert(waits);
        b.wake();
        for (int k = 0; k < round % 5; ++k) on::thread::yield();
        b.remove(yields);
        b.remove(waits);
        gate.unlock();
        b.join();  // nothing in it lasts
        over = true;
        yields.join();
        waits.join();
      }
    });
  });
}

TEST(bubble_interface, says_what_is_wrong) {
  engine e(shape{1});
  on::run(e, "pu:1", [] {
    on::bubble b, other;
    on::thread t(on::held, [] {});
    EXPECT_EQ(said_by([&] { b.recall(); }), "leat::bubble::recall: bubble 0 was not woken");
    EXPECT_EQ(said_by([&] { b.remove(t); }),
              "leat::bubble::remove: bubble 0 does not have the thread, or that has ended");
    EXPECT_EQ(said_by([&] { b.remove(other); }),
              "leat::bubble::remove: bubble 0 does not have that bubble, or it has ended");
    other.insert(t);
    other.close();
    other.close();
    EXPECT_EQ(said_by([&] { other.spawn([] {}); }), "leat::bubble::insert: bubble 1 has been closed");
    EXPECT_EQ(said_by([&] { other.insert(b); }), "leat::bubble::insert: bubble 1 has been closed");
    other.wake();
    other.join();
    EXPECT_EQ(said_by([&] { other.remove(t); }),
              "leat::bubble::remove: bubble 1 does not have the thread, or that has ended");
    t.join();
  });
}

TEST(bubble_interface, what_has_burst_stays_in_the_bubble_around_it) {
  engine e(shape{1});
  on::run(e, "pu:1", [] {
    on::bubble outer, inner;
    on::thread t(on::held, [&] {
      EXPECT_EQ(said_by([&] { outer.remove(inner); }),
                "leat::bubble::remove: bubble 1 has burst, and stays in the bubble around it");
    });
    inner.insert(t);
    outer.insert(inner);
    outer.wake();
    outer.join();
    t.join();
  });
}

}  // namespace
