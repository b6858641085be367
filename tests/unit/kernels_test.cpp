// The kernels of `leat bench`: what they find, how many tasks they make, and what they refuse.

#include "kernels/bpc.hpp"
#include "kernels/busy_loop.hpp"
#include "kernels/fib.hpp"
#include "kernels/nqueens.hpp"
#include "kernels/spc.hpp"
#include "kernels/treerec.hpp"

#include <leat/leat.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using leat::kernels::construct;
using leat::kernels::counted_runtime;
using leat::kernels::form;
namespace fib = leat::kernels::fib;
namespace treerec = leat::kernels::treerec;
namespace nqueens = leat::kernels::nqueens;
namespace spc = leat::kernels::spc;
namespace bpc = leat::kernels::bpc;

leat::options workers(std::uint32_t count) {
  leat::options o;
  o.workers = count;
  return o;
}

fib::parameters fib_of(std::int64_t n, form f) {
  fib::parameters p;
  p.n = n;
  p.form = f;
  return p;
}

treerec::parameters treerec_of(std::int64_t n, std::int64_t us, construct c, form f = form::context) {
  treerec::parameters p;
  p.n = n;
  p.us = us;
  p.construct = c;
  p.form = f;
  return p;
}

nqueens::parameters nqueens_of(std::int64_t n, construct c, form f = form::context) {
  nqueens::parameters p;
  p.n = n;
  p.construct = c;
  p.form = f;
  return p;
}

spc::parameters spc_of(std::int64_t tasks, std::int64_t us, construct c) {
  spc::parameters p;
  p.tasks = tasks;
  p.us = us;
  p.construct = c;
  return p;
}

spc::parameters splittable_spc_of(std::int64_t tasks, construct c) {
  spc::parameters p = spc_of(tasks, 0, c);
  p.splittable = true;
  return p;
}

bpc::parameters bpc_of(std::int64_t n, std::int64_t d, std::int64_t us, construct c) {
  bpc::parameters p;
  p.n = n;
  p.d = d;
  p.us = us;
  p.construct = c;
  return p;
}

bpc::parameters splittable_bpc_of(std::int64_t n, std::int64_t d, std::int64_t us, construct c) {
  bpc::parameters p = bpc_of(n, d, us, c);
  p.splittable = true;
  return p;
}

// The same kernel with tasks that wait by the clock.
template <class Parameters>
Parameters by_clock(Parameters p) {
  p.clock = true;
  return p;
}

// Each on leat::runtime and on the runtime that counts.
template <class Runtime>
class kernels : public testing::Test {};
using runtimes = testing::Types<leat::runtime, counted_runtime>;
TYPED_TEST_SUITE(kernels, runtimes);

template <class Runtime, class Test>
void with_workers(Test test) {
  for (const std::uint32_t count : {1u, 2u, 3u, 8u, 64u}) {
    SCOPED_TRACE(std::to_string(count) + " workers");
    Runtime rt(workers(count));
    test(rt);
  }
}

TYPED_TEST(kernels, fib_finds_fibonacci_numbers) {
  with_workers<TypeParam>([](TypeParam& rt) {
    for (const form f : {form::plain, form::context}) {
      EXPECT_EQ(fib::parallel(rt, fib_of(0, f)), 0u);
      EXPECT_EQ(fib::parallel(rt, fib_of(1, f)), 1u);
      EXPECT_EQ(fib::parallel(rt, fib_of(2, f)), 1u);
      EXPECT_EQ(fib::parallel(rt, fib_of(20, f)), 6765u);
    }
  });
}

TYPED_TEST(kernels, treerec_counts_its_leaves) {
  with_workers<TypeParam>([](TypeParam& rt) {
    for (const form f : {form::plain, form::context}) {
      EXPECT_EQ(treerec::parallel(rt, treerec_of(0, 0, construct::fork, f)), 1u);
      EXPECT_EQ(treerec::parallel(rt, treerec_of(15, 1, construct::fork, f)), 987u);
    }
    for (const construct c : {construct::future, construct::group}) {
      EXPECT_EQ(treerec::parallel(rt, treerec_of(1, 0, c)), 1u);
      EXPECT_EQ(treerec::parallel(rt, treerec_of(15, 1, c)), 987u);
      EXPECT_EQ(treerec::parallel(rt, by_clock(treerec_of(12, 1, c))), 233u);
    }
  });
}

TYPED_TEST(kernels, nqueens_finds_all_solutions) {
  with_workers<TypeParam>([](TypeParam& rt) {
    for (const nqueens::parameters& p : {nqueens_of(1, construct::fork), nqueens_of(8, construct::fork, form::plain)}) {
      EXPECT_EQ(nqueens::parallel(rt, p), p.n == 1 ? 1u : 92u);
    }
    for (const construct c : {construct::fork, construct::group}) {
      EXPECT_EQ(nqueens::parallel(rt, nqueens_of(3, c)), 0u);
      EXPECT_EQ(nqueens::parallel(rt, nqueens_of(6, c)), 4u);
      EXPECT_EQ(nqueens::parallel(rt, nqueens_of(8, c)), 92u);
    }
  });
}

TYPED_TEST(kernels, producers_see_every_task_run_once) {
  with_workers<TypeParam>([](TypeParam& rt) {
    for (const construct c : {construct::group, construct::spawn}) {
      EXPECT_EQ(spc::parallel(rt, spc_of(0, 0, c)), 0u);
      EXPECT_EQ(spc::parallel(rt, spc_of(2000, 0, c)), 2000u);
      EXPECT_EQ(spc::parallel(rt, spc_of(500, 1, c)), 500u);
      EXPECT_EQ(spc::parallel(rt, by_clock(spc_of(300, 1, c))), 300u);
      EXPECT_EQ(spc::parallel(rt, splittable_spc_of(0, c)), 0u);
      EXPECT_EQ(spc::parallel(rt, splittable_spc_of(2000, c)), 2000u);
      EXPECT_EQ(bpc::parallel(rt, bpc_of(9, 100, 0, c)), 1000u);
      EXPECT_EQ(bpc::parallel(rt, bpc_of(0, 300, 1, c)), 300u);
      EXPECT_EQ(bpc::parallel(rt, bpc_of(50, 1, 1, c)), 51u);
      EXPECT_EQ(bpc::parallel(rt, splittable_bpc_of(9, 100, 0, c)), 1000u);
      EXPECT_EQ(bpc::parallel(rt, splittable_bpc_of(0, 300, 1, c)), 300u);
      EXPECT_EQ(bpc::parallel(rt, splittable_bpc_of(500, 3, 1, c)), 1503u);
      for (const bool splittable : {false, true}) {
        bpc::parameters polling = bpc_of(20, 5, 3, c);
        polling.splittable = splittable;
        polling.polls = true;
        EXPECT_EQ(bpc::parallel(rt, polling), 105u);
        EXPECT_EQ(bpc::parallel(rt, by_clock(polling)), 105u);
      }
    }
  });
}

// The number of forks, by which the program divides, is that of the tasks that the runtime executes.
TEST(kernels_alone, spawn_and_future_make_as_many_tasks_as_they_say) {
  leat::runtime rt(workers(2));
  const auto tasks_of = [&rt](auto p) {
    const std::uint64_t before = rt.counters()[leat::event::tasks];
    EXPECT_EQ(parallel(rt, p), p.expected());
    return rt.counters()[leat::event::tasks] - before;
  };
  const auto single = spc_of(500, 0, construct::spawn);
  EXPECT_EQ(tasks_of(single), single.forks());
  const auto bouncing = bpc_of(7, 30, 0, construct::spawn);
  EXPECT_EQ(tasks_of(bouncing), bouncing.forks());
  EXPECT_EQ(bouncing.forks(), 240u);
  const auto recursion = treerec_of(12, 0, construct::future);
  EXPECT_EQ(recursion.forks(), 232u);
  EXPECT_EQ(tasks_of(recursion), recursion.forks());
}

// Two tasks for each producer, itself among them, whatever the number of consumers.
TEST(kernels_alone, splittable_consumers_are_one_task) {
  leat::runtime rt(workers(1));
  const std::uint64_t before = rt.counters()[leat::event::tasks];
  EXPECT_EQ(bpc::parallel(rt, splittable_bpc_of(50, 30, 0, construct::spawn)), 1530u);
  EXPECT_EQ(rt.counters()[leat::event::tasks] - before, 60u);
}

TEST(kernels_alone, splittable_tasks_of_a_single_producer_are_one_task) {
  leat::runtime rt(workers(1));
  const std::uint64_t before = rt.counters()[leat::event::tasks];
  EXPECT_EQ(spc::parallel(rt, splittable_spc_of(500, construct::spawn)), 500u);
  EXPECT_EQ(rt.counters()[leat::event::tasks] - before, 1u);
}

// The claim of the fork path: without thieves it asks nothing of the memory system. A run's own start and end cost a
// handful of operations, whatever its size.
TEST(kernels_alone, forks_of_one_worker_need_no_fence_and_no_read_modify_write) {
  if (leat::options().resolved().scheduler == "chase-lev") return;  // each needs a fence there
  constexpr std::uint64_t handful = 60;
  counted_runtime rt(workers(1));
  rt.run([] {});
  const auto operations_of = [&rt](auto p) {
    const leat::counters before = rt.counters();
    EXPECT_EQ(parallel(rt, p), p.expected());
    const leat::counters made = rt.counters() - before;
    return made[leat::event::fences] + made[leat::event::cas] + made[leat::event::rmw];
  };
  EXPECT_LE(operations_of(fib_of(18, form::plain)), handful);
  EXPECT_LE(operations_of(fib_of(18, form::context)), handful);
  EXPECT_LE(operations_of(treerec_of(16, 0, construct::fork)), handful);
  EXPECT_LE(operations_of(nqueens_of(8, construct::fork)), handful);
  EXPECT_LE(operations_of(spc_of(3000, 0, construct::group)), handful);
  EXPECT_LE(operations_of(spc_of(3000, 0, construct::spawn)), handful);
  EXPECT_LE(operations_of(bpc_of(9, 300, 0, construct::spawn)), handful);
  EXPECT_LE(operations_of(bpc_of(9, 300, 0, construct::group)), handful);
}

TEST(kernels_alone, serial_programs_find_the_same) {
  for (const std::int64_t n : {0, 1, 2, 3, 10, 25}) {
    const fib::parameters p = fib_of(n, form::context);
    EXPECT_EQ(fib::serial(p), p.expected()) << n;
    EXPECT_EQ(fib::serial_call(p), p.expected()) << n;
    const treerec::parameters t = treerec_of(n, 0, construct::fork);
    EXPECT_EQ(treerec::serial(t), t.expected()) << n;
  }
  EXPECT_EQ(fib::number(25), 75025u);
  EXPECT_EQ(fib::number(90), 2'880'067'194'370'816'120u);
  for (std::int64_t n = 1; n <= 9; ++n) {
    const nqueens::parameters p = nqueens_of(n, construct::fork);
    EXPECT_EQ(nqueens::serial(p), p.expected()) << n;
  }
  EXPECT_EQ(spc::serial(spc_of(100, 1, construct::group)), 100u);
  EXPECT_EQ(bpc::serial(bpc_of(9, 10, 1, construct::group)), 100u);
  EXPECT_EQ(spc::serial(by_clock(spc_of(100, 1, construct::group))), 100u);
  EXPECT_EQ(bpc::serial(by_clock(bpc_of(9, 10, 1, construct::group))), 100u);
  EXPECT_EQ(treerec::serial(by_clock(treerec_of(9, 1, construct::fork))), 55u);
}

TEST(kernels_alone, numbers_of_forks_are_right) {
  EXPECT_EQ(fib_of(0, form::plain).forks(), 0u);
  EXPECT_EQ(fib_of(1, form::plain).forks(), 0u);
  EXPECT_EQ(fib_of(2, form::plain).forks(), 1u);
  EXPECT_EQ(fib_of(4, form::plain).forks(), 4u);
  EXPECT_EQ(treerec_of(32, 1, construct::fork).forks(), 3'524'577u) << "as the thesis counts";
  EXPECT_EQ(nqueens_of(8, construct::fork).forks(), 2056u);
  EXPECT_EQ(nqueens_of(12, construct::fork).forks(), 856'188u);
  EXPECT_EQ(spc_of(7, 0, construct::group).forks(), 7u);
}

// A table of solutions, a search with bits, and one with boards.
TEST(kernels_alone, known_solutions_are_found_by_another_way) {
  for (std::int64_t n = 1; n <= 12; ++n) {
    EXPECT_EQ(nqueens::count(n).solutions, nqueens_of(n, construct::fork).expected()) << n;
  }
  EXPECT_EQ(nqueens_of(13, construct::fork).expected(), 73'712u);
}

TEST(kernels_long, tasks_of_14_queens_are_as_many_as_the_thesis_counts) {
  EXPECT_EQ(nqueens::count(14).placements, 27'358'552u);
  EXPECT_EQ(nqueens::count(14).solutions, 365'596u);
}

TEST(kernels_alone, smaller_sizes_are_no_larger_and_valid) {
  const auto check = [](auto p) {
    const auto small = p.smaller();
    EXPECT_LE(small.forks(), p.forks());
    EXPECT_LE(small.forks(), 4'000'000u);
    EXPECT_NO_THROW(small.validate());
  };
  check(fib::parameters{});
  check(fib_of(0, form::plain));
  check(treerec::parameters{});
  check(treerec_of(40, 1'000'000, construct::fork));
  check(nqueens::parameters{});
  check(spc::parameters{});
  check(spc_of(1000, 1'000'000, construct::group));
  check(spc_of(0, 0, construct::group));
  check(bpc::parameters{});
  check(bpc_of(0, 1'000'000, 0, construct::group));
  check(bpc_of(99, 1'000'000, 1, construct::group));
  EXPECT_EQ(bpc_of(9, 100, 1'000'000, construct::group).smaller().d, 1);
}

template <class Parameters>
void expect_refused(const Parameters& p, const std::string& named) {
  try {
    p.validate();
    ADD_FAILURE() << "accepted: " << named;
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), testing::StartsWith(named + ": "));
  }
}

TEST(kernels_alone, bad_parameters_are_named_with_their_value) {
  expect_refused(fib_of(-1, form::plain), "-n = -1");
  expect_refused(fib_of(61, form::plain), "-n = 61");
  expect_refused(treerec_of(-1, 0, construct::fork), "-n = -1");
  expect_refused(treerec_of(61, 0, construct::fork), "-n = 61");
  expect_refused(treerec_of(5, -1, construct::fork), "--us = -1");
  expect_refused(treerec_of(5, 1'000'001, construct::fork), "--us = 1000001");
  expect_refused(treerec_of(5, 0, construct::spawn), "--construct = 'spawn'");
  expect_refused(nqueens_of(0, construct::fork), "-n = 0");
  expect_refused(nqueens_of(19, construct::fork), "-n = 19");
  expect_refused(nqueens_of(8, construct::future), "--construct = 'future'");
  expect_refused(spc_of(-1, 0, construct::group), "--tasks = -1");
  expect_refused(spc_of(100'000'001, 0, construct::group), "--tasks = 100000001");
  expect_refused(spc_of(1, -2, construct::group), "--us = -2");
  expect_refused(spc_of(1, 0, construct::fork), "--construct = 'fork'");
  expect_refused(bpc_of(-1, 1, 0, construct::group), "-n = -1");
  expect_refused(bpc_of(1, 0, 0, construct::group), "-d = 0");
  expect_refused(bpc_of(1, 1'000'001, 0, construct::group), "-d = 1000001");
  expect_refused(bpc_of(1000, 1'000'000, 0, construct::group), "-d = 1000000");
  expect_refused(bpc_of(1, 1, -1, construct::group), "--us = -1");
  expect_refused(bpc_of(1, 1, 0, construct::future), "--construct = 'future'");
}

TEST(kernels_alone, busy_loop_works_for_about_its_time) {
  const auto ns_of = [](std::int64_t us) {
    const leat::kernels::busy_loop work(us);
    std::uint64_t best = ~std::uint64_t{0};
    for (int i = 0; i < 20; ++i) {
      const std::uint64_t start = leat::platform::native::now_ns();
      work();
      best = std::min(best, leat::platform::native::now_ns() - start);
    }
    return best;
  };
  // The fastest of several calls is not disturbed much; a machine may be slower or faster than when it was measured.
  EXPECT_GT(ns_of(1000), 300'000u);
  EXPECT_LT(ns_of(1000), 10'000'000u);
  EXPECT_LT(ns_of(0), 100'000u);
}

TEST(kernels_alone, busy_loop_by_the_clock_ends_when_that_says_so) {
  const leat::kernels::busy_loop work(300, true);
  const std::uint64_t start = leat::platform::native::now_ns();
  work();
  EXPECT_GE(leat::platform::native::now_ns() - start, 300'000u);
}

TEST(kernels_alone, busy_loop_polls_each_microsecond_and_the_clock_goes_on_meanwhile) {
  const auto polls_of = [](const leat::kernels::busy_loop& work, std::int64_t every_us = 1) {
    int polls = 0;
    work.with_polls(every_us, [&polls] {
      ++polls;
      leat::platform::native::spin_ns(20'000);
    });
    return polls;
  };
  EXPECT_EQ(polls_of(leat::kernels::busy_loop(20)), 20);
  EXPECT_EQ(polls_of(leat::kernels::busy_loop(20), 6), 4) << "after 6, 12, 18 and 20 us";
  EXPECT_EQ(polls_of(leat::kernels::busy_loop(20, true)), 1) << "the first poll takes all its time";
  EXPECT_EQ(polls_of(leat::kernels::busy_loop(0, true)), 0);
}

}  // namespace
