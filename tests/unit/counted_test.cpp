// The counted platform: what each operation counts as.
#include <gtest/gtest.h>

#include <cstdint>

#include "leat/platform/counted.hpp"

namespace {

using leat::platform::acq_rel;
using leat::platform::acquire;
using leat::platform::counted;
using leat::platform::operation_counts;
using leat::platform::relaxed;
using leat::platform::release;
using leat::platform::seq_cst;

template <class F>
operation_counts spent(F f) {
  const operation_counts before = counted::counts();
  f();
  return counted::counts() - before;
}

void expect(const operation_counts& c, std::uint64_t fences, std::uint64_t cas, std::uint64_t rmw) {
  EXPECT_EQ(c.fences, fences);
  EXPECT_EQ(c.cas, cas);
  EXPECT_EQ(c.rmw, rmw);
}

TEST(counted, loads_and_stores_are_free_but_for_the_store_that_is_an_exchange) {
  counted::atomic<std::uint32_t> w(1);
  expect(spent([&] { (void)w.load(seq_cst), (void)w.load(acquire), (void)w.load(relaxed); }), 0, 0, 0);
  expect(spent([&] { w.store(2, relaxed), w.store(3, release); }), 0, 0, 0);
  expect(spent([&] { w.store(4, seq_cst); }), 0, 0, 1);
  EXPECT_EQ(w.load(relaxed), 4u);
}

TEST(counted, read_modify_writes_count_one_each_and_do_what_they_say) {
  counted::atomic<std::uint32_t> w(5);
  expect(spent([&] { EXPECT_EQ(w.exchange(6, relaxed), 5u); }), 0, 0, 1);
  expect(spent([&] { EXPECT_EQ(w.fetch_add(2, acq_rel), 6u); }), 0, 0, 1);
  expect(spent([&] { EXPECT_EQ(w.fetch_sub(1, acq_rel), 8u); }), 0, 0, 1);
  expect(spent([&] { EXPECT_EQ(w.fetch_or(8, acq_rel), 7u); }), 0, 0, 1);
  expect(spent([&] { EXPECT_EQ(w.fetch_and(9, acq_rel), 15u); }), 0, 0, 1);
  EXPECT_EQ(w.load(relaxed), 9u);
}

TEST(counted, a_compare_and_exchange_counts_whether_it_succeeds_or_not) {
  counted::atomic<std::uint32_t> w(1);
  std::uint32_t expected = 7;
  expect(spent([&] { EXPECT_FALSE(w.compare_exchange_strong(expected, 2, acq_rel, acquire)); }), 0, 1, 0);
  EXPECT_EQ(expected, 1u);
  expect(spent([&] { EXPECT_TRUE(w.compare_exchange_strong(expected, 2, acq_rel, acquire)); }), 0, 1, 0);
  expected = 9;
  expect(spent([&] { EXPECT_FALSE(w.compare_exchange_weak(expected, 3, acq_rel, acquire)); }), 0, 1, 0);
  EXPECT_EQ(w.load(relaxed), 2u);
}

TEST(counted, fences_wakes_and_interrupts_count) {
  expect(spent([] { counted::fence(), counted::fence(); }), 2, 0, 0);
  counted::atomic<std::uint32_t> w(1);
  EXPECT_EQ(spent([&] { counted::wake_one(w), counted::wake_all(w); }).wakes, 2u);
  expect(spent([&] { counted::wait(w, 0), counted::relax(), counted::yield(); }), 0, 0, 0);
  counted::thread t([] {});
  EXPECT_EQ(spent([&] { t.interrupt(); }).signals, 1u);
  t.join();
}

TEST(counted, counts_for_each_thread_alone) {
  counted::atomic<std::uint64_t> w(0);
  operation_counts in_thread;
  const operation_counts here = spent([&] {
    counted::thread t([&] {
      EXPECT_EQ(counted::counts().rmw, 0u) << "a new thread starts at nothing";
      w.fetch_add(1, relaxed);
      counted::fence();
      in_thread = counted::counts();
    });
    t.join();
  });
  expect(here, 0, 0, 0);
  expect(in_thread, 1, 0, 1);
}

TEST(counted, counts_add_up) {
  operation_counts a{1, 2, 3, 4, 5};
  a += {10, 20, 30, 40, 50};
  const operation_counts d = a - operation_counts{1, 2, 3, 4, 5};
  expect(d, 10, 20, 30);
  EXPECT_EQ(d.signals, 40u);
  EXPECT_EQ(d.wakes, 50u);
}

}  // namespace
