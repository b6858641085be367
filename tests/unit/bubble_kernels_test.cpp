// Programs of user-level threads and bubbles: whoever executes what, they find what the serial program finds.
#include <gtest/gtest.h>

#include <stdexcept>

#include "kernels/gangs.hpp"
#include "kernels/pairs.hpp"
#include "kernels/refinement.hpp"
#include "kernels/stripes.hpp"
#include "kernels/thread_fib.hpp"

namespace {

namespace stripes = leat::kernels::stripes;
namespace refinement = leat::kernels::refinement;
namespace thread_fib = leat::kernels::thread_fib;
namespace gangs = leat::kernels::gangs;
namespace pairs = leat::kernels::pairs;

template <class Check>
void with_workers(Check check) {
  for (const std::uint32_t workers : {1, 2, 3, 8}) {
    SCOPED_TRACE(workers);
    leat::options o;
    o.workers = workers;
    leat::runtime rt(o);
    check(rt);
  }
}

TEST(bubble_kernels, stripes_give_the_serial_sum) {
  for (const auto scheme : {stripes::scheme::conduction, stripes::scheme::advection}) {
    stripes::parameters p;
    p.scheme = scheme;
    p.stripes = 5, p.rows = 3, p.cycles = 4;
    const std::uint64_t expected = stripes::serial(p).found;
    with_workers([&](leat::runtime& rt) {
      for (const auto way : {stripes::way::simple, stripes::way::bound, stripes::way::bubbles, stripes::way::tree}) {
        p.way = way;
        EXPECT_EQ(stripes::parallel(rt, p).found, expected) << name(way);
      }
    });
    p.cycles = 5;
    EXPECT_NE(stripes::serial(p).found, expected) << "the sum tells one mesh from another";
  }
}

TEST(bubble_kernels, a_refined_mesh_gives_the_serial_sum) {
  refinement::parameters p;
  p.regions = 3, p.blocks = 2, p.patches = 2, p.cells = 40, p.stays = 2, p.cycles = 7;
  const std::uint64_t expected = refinement::serial(p).found;
  with_workers([&](leat::runtime& rt) {
    for (const auto way : {refinement::way::simple, refinement::way::kept, refinement::way::regenerated}) {
      for (const auto policy :
           {leat::kernels::policy::published, leat::kernels::policy::affinity, leat::kernels::policy::work}) {
        p.way = way, p.policy = policy;
        EXPECT_EQ(refinement::parallel(rt, p).found, expected) << name(way) << ", " << name(policy);
      }
    }
  });
  p.cycles = 8;
  EXPECT_NE(refinement::serial(p).found, expected);
}

TEST(bubble_kernels, fib_by_threads_is_fib) {
  thread_fib::parameters p;
  p.n = 12, p.depth = 4, p.lines = 3;
  EXPECT_EQ(p.expected(), 144u);
  EXPECT_EQ(thread_fib::serial(p).found, 144u);
  with_workers([&](leat::runtime& rt) {
    for (const auto way : {thread_fib::way::simple, thread_fib::way::bubbles, thread_fib::way::placed}) {
      p.way = way;
      EXPECT_EQ(thread_fib::parallel(rt, p).found, 144u) << name(way);
    }
  });
}

TEST(bubble_kernels, fib_by_threads_has_bubbles_that_stay) {
  thread_fib::parameters p;
  p.n = 12, p.depth = 3, p.lines = 2, p.bubbles_stay = true;
  p.validate();
  with_workers([&](leat::runtime& rt) { EXPECT_EQ(thread_fib::parallel(rt, p).found, p.expected()); });
  p.way = thread_fib::way::simple;
  EXPECT_THROW(p.validate(), std::invalid_argument) << "there are no bubbles";
}

TEST(bubble_kernels, gangs_give_the_serial_sum) {
  gangs::parameters p;
  p.threads = 3, p.steps = 21, p.lines = 5, p.every = 4, p.slice_us = 1000;
  const std::uint64_t expected = gangs::serial(p).found;
  with_workers([&](leat::runtime& rt) {
    for (const auto way : {gangs::way::threads, gangs::way::gangs}) {
      p.way = way;
      const auto done = gangs::parallel(rt, p);
      EXPECT_EQ(done.found, expected) << name(way);
      EXPECT_GT(done.answered_us, 0) << name(way);
    }
  });
  p.steps = 22;
  EXPECT_NE(gangs::serial(p).found, expected);
}

TEST(bubble_kernels, pairs_give_the_serial_sum) {
  pairs::parameters p;
  p.pairs = 3, p.cycles = 4, p.pieces = 2;
  const std::uint64_t expected = pairs::serial(p).found;
  with_workers([&](leat::runtime& rt) {
    for (const auto way : {pairs::way::simple, pairs::way::bubbles}) {
      p.way = way;
      EXPECT_EQ(pairs::parallel(rt, p).found, expected) << name(way);
    }
  });
  p.cycles = 5;
  EXPECT_NE(pairs::serial(p).found, expected);
}

TEST(bubble_kernels, say_what_is_wrong) {
  EXPECT_THROW((stripes::parameters{.stripes = 0}.validate()), std::invalid_argument);
  EXPECT_THROW((stripes::parameters{.cell_ns = -1}.validate()), std::invalid_argument);
  EXPECT_THROW((stripes::parameters{.memory = {.share = 1.5}}.validate()), std::invalid_argument);
  EXPECT_THROW((refinement::parameters{.finer = 65}.validate()), std::invalid_argument);
  EXPECT_THROW((refinement::parameters{.memory = {.far = 0.5}}.validate()), std::invalid_argument);
  EXPECT_THROW((thread_fib::parameters{.depth = 15}.validate()), std::invalid_argument);
  EXPECT_THROW((gangs::parameters{.slice_us = 0}.validate()), std::invalid_argument);
  EXPECT_THROW((gangs::parameters{.every = 0}.validate()), std::invalid_argument);
  EXPECT_THROW((pairs::parameters{.pairs = 0}.validate()), std::invalid_argument);
}

}  // namespace
