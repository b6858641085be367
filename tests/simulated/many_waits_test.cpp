// Many workers, whose manager is to have time for requests that are pooled: where most of them wait for futures, asleep
// and without anything to offer, none of those is woken; where all are busy with tasks that take long, one of them
// meets the request, and the others are not asked each time (ACTOR-3, WORKER-14); where they wait for futures, each has
// something to do meanwhile (LEAPFROG-3).
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>

#include "client_parts.hpp"
#include "leat/platform/simulated.hpp"

namespace {

using leat::platform::by_time;
using leat::platform::simulated;
using leat::platform::simulation;
using leat_test::shape;
using leat_test::client::engine;

// How long leaves() takes, the root of a run that finds so many.
double spent_ns(std::uint32_t workers, std::uint64_t expected, const std::function<std::uint64_t()>& leaves) {
  by_time who;
  double spent = 0;
  std::uint64_t found = 0;
  simulation::settings settings;
  settings.on.levels = {{"board", 4, 700}, {"node", 4, 130}, {"core", 12, 60}};
  const auto end = simulation(settings, who).run([&] {
    shape s{workers};
    s.spin_ns = 100'000;
    s.published = leat::protocol::published::none;
    engine e(s);
    e.run([] {});
    const auto begun = simulated::now_ns();
    e.run([&] { found = leaves(); });
    spent = static_cast<double>(simulated::now_ns() - begun);
  });
  EXPECT_TRUE(end.ok()) << end.failure;
  EXPECT_EQ(found, expected);
  return spent;
}

constexpr double short_ns = 10'000;
constexpr double long_ns = 100'000;

std::uint64_t short_leaves(int n) {
  if (n < 2) return simulated::work_ns(short_ns), 1;
  auto f = engine::async([n] { return short_leaves(n - 1); });
  const std::uint64_t b = short_leaves(n - 2);
  return f.get() + b;
}

std::uint64_t long_leaves(int n) {
  if (n < 2) return simulated::work_ns(long_ns), 1;
  const auto [a, b] = engine::fork_join([n] { return long_leaves(n - 1); }, [n] { return long_leaves(n - 2); });
  return a + b;
}

TEST(many_waits, do_not_keep_the_manager_from_handing_out) {
  constexpr std::uint64_t expected = 987;
  for (const std::uint32_t workers : {184u, 188u}) {
    EXPECT_LT(spent_ns(workers, expected, [] { return short_leaves(15); }), static_cast<double>(expected) * short_ns)
        << "slower than one worker, " << workers << " workers";
  }
}

// LEAPFROG-3: a waiter gets tasks that its thief has made since, also where older ones of the thief lie beneath them.
TEST(many_waits, for_futures_keep_workers_busy) {
  constexpr std::uint32_t workers = 8;
  constexpr std::uint64_t expected = 10'946;
  const double spent = spent_ns(workers, expected, [] { return short_leaves(20); });
  EXPECT_GT(static_cast<double>(expected) * short_ns / spent, 0.85 * workers)
      << "speed-up on " << workers << " workers";
}

TEST(coarse_trees, keep_many_workers_busy) {
  constexpr std::uint32_t workers = 192;
  constexpr std::uint64_t expected = 4181;
  const double spent = spent_ns(workers, expected, [] { return long_leaves(18); });
  EXPECT_GT(static_cast<double>(expected) * long_ns / spent, 80) << "speed-up on " << workers << " workers";
}

}  // namespace
