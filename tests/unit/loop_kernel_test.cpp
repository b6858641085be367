// The loops of `leat bench loop`: each program runs each iteration once, and the kinds cost what they say.

#include "kernels/loop.hpp"

#include "kernels/loop_openmp.hpp"

#include <leat/leat.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace loop = leat::kernels::loop;
using leat::kernels::busy_loop;
using leat::kernels::construct;
using leat::kernels::counted_runtime;
using loop::kind;
using loop::schedule;
using loop::strategy;

constexpr std::array kinds = {kind::FG, kind::CG, kind::RG, kind::IG, kind::DG, kind::uniform, kind::ramp};

loop::parameters loop_of(kind k, double scale) {
  loop::parameters p;
  p.kind = k;
  p.scale = scale;
  return p;
}

// Of a few milliseconds, but for the coarse ones.
loop::parameters short_loop(kind k) { return loop_of(k, k == kind::FG || k == kind::uniform ? 0.002 : 0.02); }

void expect_all_ran_once(loop::workload& work) {
  EXPECT_EQ(work.take_count(), static_cast<std::uint64_t>(work.iterations()));
}

// The steps of each iteration.
std::vector<std::uint64_t> steps_of(const loop::parameters& p, double ns_per_step = busy_loop::ns_per_step()) {
  loop::workload work(p, ns_per_step);
  std::vector<std::uint64_t> steps;
  static_cast<void>(work.time([&steps](std::int64_t iterations, auto body) {
    if constexpr (requires { body.steps(0); }) {
      for (std::int64_t i = 0; i < iterations; ++i) steps.push_back(body.steps(i));
    }
  }));
  return steps;
}

// Each on leat::runtime and on the runtime that counts.
template <class Runtime>
class loop_kernel : public testing::Test {};
using runtimes = testing::Types<leat::runtime, counted_runtime>;
TYPED_TEST_SUITE(loop_kernel, runtimes);

TYPED_TEST(loop_kernel, runs_each_iteration_once) {
  for (const std::uint32_t count : {1u, 2u, 3u, 8u, 64u}) {
    leat::options o;
    o.workers = count;
    TypeParam rt(o);
    for (const kind k : kinds) {
      SCOPED_TRACE(std::string(name(k)) + ", " + std::to_string(count) + " workers");
      loop::workload work(short_loop(k));
      EXPECT_GT(loop::parallel(rt, work, short_loop(k)), 0);
      expect_all_ran_once(work);
    }
    for (const strategy s : {strategy::half, strategy::guided}) {
      for (const construct c : {construct::fork, construct::spawn, construct::group}) {
        SCOPED_TRACE(std::string(loop::name(s)) + ", " + std::string(leat::kernels::name(c)) + ", " +
                     std::to_string(count) + " workers");
        loop::parameters p = short_loop(kind::FG);
        p.strategy = s, p.construct = c;
        loop::workload work(p);
        EXPECT_GT(loop::parallel(rt, work, p), 0);
        expect_all_ran_once(work);
      }
    }
    loop::parameters polling = short_loop(kind::RG);
    polling.clock = polling.polls = true;
    loop::workload work(polling);
    EXPECT_GT(loop::parallel(rt, work, polling), 0);
    expect_all_ran_once(work);
  }
}

TEST(loop_kernel_alone, serial_loop_runs_each_iteration_once) {
  for (const kind k : kinds) {
    loop::workload work(short_loop(k));
    EXPECT_GT(loop::serial(work), 0);
    expect_all_ran_once(work);
  }
}

TEST(loop_kernel_alone, openmp_runs_each_iteration_once_or_says_that_it_cannot) {
  loop::workload work(short_loop(kind::uniform));
  for (const schedule s : loop::schedules) {
    if (!loop::openmp_available()) {
      EXPECT_THROW(static_cast<void>(loop::openmp(work, 2, s, 1)), std::logic_error);
      continue;
    }
    for (const std::uint32_t threads : {1u, 2u, 3u}) {
      for (const std::int64_t chunk : {1, 7, 1'000'000}) {
        EXPECT_GT(loop::openmp(work, threads, s, chunk), 0);
        expect_all_ran_once(work);
      }
    }
  }
  if (loop::openmp_available()) {
    EXPECT_GT(loop::openmp(work, 3, schedule::fixed, 0), 0);
    expect_all_ran_once(work);
  }
}

TEST(loop_kernel_alone, an_iteration_that_ran_twice_or_not_at_all_is_missed) {
  loop::workload work(loop_of(kind::uniform, 1e-5));
  ASSERT_EQ(work.iterations(), 100);
  static_cast<void>(work.time([](std::int64_t iterations, auto body) {
    for (std::int64_t i = 1; i < iterations; ++i) body(i);
    body(99);
  }));
  EXPECT_EQ(work.take_count(), 98u);
  EXPECT_EQ(work.take_count(), 0u) << "each call counts anew";
}

TEST(loop_kernel_alone, iterations_grow_with_the_scale) {
  EXPECT_EQ(loop_of(kind::FG, 10).iterations(), 10'000'000) << "as in the thesis";
  EXPECT_EQ(loop_of(kind::CG, 10).iterations(), 960);
  EXPECT_EQ(loop_of(kind::RG, 10).iterations(), 10'000);
  EXPECT_EQ(loop_of(kind::IG, 10).iterations(), 2000);
  EXPECT_EQ(loop_of(kind::DG, 1).iterations(), 200);
  EXPECT_EQ(loop_of(kind::ramp, 1).iterations(), 10'000'000);
  EXPECT_EQ(loop_of(kind::CG, 1e-6).iterations(), 1) << "never none";
}

TEST(loop_kernel_alone, grains_are_as_coarse_as_the_kind_says) {
  const std::uint64_t finest = busy_loop::steps_of(1);
  const std::uint64_t coarsest = busy_loop::steps_of(10'000);
  EXPECT_THAT(steps_of(loop_of(kind::FG, 1e-4)), testing::AllOf(testing::SizeIs(100), testing::Each(finest)));
  EXPECT_THAT(steps_of(loop_of(kind::CG, 1)), testing::AllOf(testing::SizeIs(96), testing::Each(coarsest)));

  const std::vector<std::uint64_t> increasing = steps_of(loop_of(kind::IG, 1));
  ASSERT_EQ(increasing.size(), 200u);
  EXPECT_EQ(increasing.front(), finest);
  EXPECT_NEAR(static_cast<double>(increasing.back()), static_cast<double>(coarsest), 1);
  EXPECT_NEAR(static_cast<double>(increasing[100]), static_cast<double>(coarsest) * 100 / 199, 1. * finest);
  const std::vector<std::uint64_t> decreasing = steps_of(loop_of(kind::DG, 1));
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_NEAR(static_cast<double>(decreasing[i]), static_cast<double>(increasing[199 - i]), 1) << i;
  }

  EXPECT_THAT(steps_of(loop_of(kind::uniform, 1e-4)), testing::Each(3u));
  const std::vector<std::uint64_t> ramp = steps_of(loop_of(kind::ramp, 1e-4));
  EXPECT_EQ(ramp.front(), 0u);
  EXPECT_NEAR(static_cast<double>(ramp.back()), 48, 1);
  EXPECT_TRUE(std::ranges::is_sorted(ramp));
  EXPECT_EQ(steps_of(loop_of(kind::IG, 1e-6)), std::vector{finest}) << "a single iteration";
}

TEST(loop_kernel_alone, grains_go_by_the_step_that_is_given) {
  EXPECT_THAT(steps_of(loop_of(kind::FG, 1e-5), 4), testing::Each(250u));
  EXPECT_THAT(steps_of(loop_of(kind::CG, 0.1), 4), testing::Each(2'500'000u));
  EXPECT_THAT(steps_of(loop_of(kind::RG, 0.1), 400), testing::Each(testing::AnyOf(3u, 30u, 300u, 3000u, 30'000u)));
}

TEST(loop_kernel_alone, grains_by_the_clock_are_nanoseconds) {
  const auto of_clock = [](kind k, double scale) {
    loop::parameters p = loop_of(k, scale);
    p.clock = true;
    return p;
  };
  EXPECT_THAT(steps_of(of_clock(kind::FG, 1e-5), 4), testing::Each(1000u));
  EXPECT_THAT(steps_of(of_clock(kind::CG, 0.1), 4), testing::Each(10'000'000u));
  EXPECT_THAT(steps_of(of_clock(kind::RG, 0.1), 4),
              testing::Each(testing::AnyOf(1000u, 10'000u, 100'000u, 1'000'000u, 10'000'000u)));
  for (const kind k : {kind::FG, kind::RG, kind::IG, kind::DG}) {
    loop::workload work(of_clock(k, 0.002));
    EXPECT_GT(loop::serial(work), 0);
    expect_all_ran_once(work);
  }
  for (const kind k : {kind::uniform, kind::ramp}) {
    EXPECT_THAT([&] { of_clock(k, 1).validate(); },
                testing::ThrowsMessage<std::invalid_argument>(testing::HasSubstr("with --clock it must be one of")));
  }
}

TEST(loop_kernel_alone, random_grains_have_the_proportions_of_the_thesis) {
  const std::vector<std::uint64_t> drawn = steps_of(loop_of(kind::RG, 10));
  EXPECT_EQ(drawn, steps_of(loop_of(kind::RG, 10))) << "the same in each run";
  std::map<std::uint64_t, double> share;
  for (const std::uint64_t steps : drawn) share[steps / busy_loop::steps_of(1)] += 1. / 10'000;
  ASSERT_EQ(share.size(), 5u);
  EXPECT_NEAR(share[1], 0.333, 0.02);
  EXPECT_NEAR(share[10], 0.266, 0.02);
  EXPECT_NEAR(share[100], 0.2, 0.02);
  EXPECT_NEAR(share[1000], 0.133, 0.02);
  EXPECT_NEAR(share[10'000], 0.066, 0.02);
}

TEST(loop_kernel_alone, smaller_loops_are_no_larger) {
  EXPECT_EQ(loop_of(kind::FG, 10).smaller().iterations(), 100'000);
  EXPECT_EQ(loop_of(kind::FG, 0.01).smaller().iterations(), 10'000);
}

TEST(loop_kernel_alone, bad_scales_are_named_with_their_value) {
  const double no_number = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [scale, text] : {std::pair{0., "0"}, {-1., "-1"}, {100.5, "100.5"}, {no_number, "nan"}}) {
    try {
      loop_of(kind::FG, scale).validate();
      ADD_FAILURE() << "accepted: " << scale;
    } catch (const std::invalid_argument& error) {
      EXPECT_THAT(error.what(), testing::StartsWith("--scale = " + std::string(text) + ": "));
    }
  }
  for (const double scale : {1e-6, 1., 100.}) EXPECT_NO_THROW(loop_of(kind::FG, scale).validate());
}

}  // namespace
