// A simulated world by itself: the same seed is the same world, sleepers are woken, signals arrive, failures are told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "leat/platform/simulated.hpp"

namespace {

using leat::platform::at_random;
using leat::platform::by_time;
using leat::platform::exhaustive;
using leat::platform::machine;
using leat::platform::relaxed;
using leat::platform::simulated;
using leat::platform::simulation;
using leat::platform::work_kind;
using word = simulated::atomic<std::uint32_t>;

simulation::settings even() {
  simulation::settings s;
  s.on = machine::even();
  return s;
}

// Two threads add to one word, by a load and a store each.
std::uint32_t sum_of_two() {
  word sum{0};
  const auto add = [&] { sum.store(sum.load(relaxed) + 1, relaxed); };
  simulated::thread a(add), b(add);
  a.join();
  b.join();
  return sum.load(relaxed);
}

TEST(Simulation, SameSeedIsTheSameWorld) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<simulation::outcome> ends;
    for (int i = 0; i < 3; ++i) {
      at_random who(seed, 2);
      ends.push_back(simulation(even(), who).run([] { sum_of_two(); }));
      ASSERT_TRUE(ends.back().ok()) << ends.back().failure;
      EXPECT_EQ(ends.back().trace, ends.front().trace);
      EXPECT_EQ(ends.back().steps, ends.front().steps);
    }
  }
}

TEST(Simulation, ExhaustiveFindsEveryOutcome) {
  for (const auto& [preemptions, sums] : {std::pair{0u, std::vector{2u}}, std::pair{1u, std::vector{1u, 2u}}}) {
    exhaustive who(preemptions);
    simulation world(even(), who);
    std::uint64_t worlds = 0;
    std::vector<bool> seen(3);
    do {
      std::uint32_t sum = 0;
      const auto end = world.run([&] { sum = sum_of_two(); });
      ASSERT_TRUE(end.ok()) << end.failure;
      seen[sum] = true;
      ++worlds;
    } while (who.advance());
    EXPECT_FALSE(seen[0]);
    EXPECT_EQ(seen[1], preemptions == 1);
    EXPECT_TRUE(seen[2]);
    EXPECT_GT(worlds, 1u);
  }
}

TEST(Simulation, TellsOfSleepersWhomNobodyWakes) {
  by_time who;
  const auto end = simulation(simulation::settings(), who).run([] {
    word never{0};
    simulated::thread sleeper([&] { simulated::wait(never, 0); });
    sleeper.join();
  });
  EXPECT_THAT(end.failure, testing::HasSubstr("nobody can go on"));
  EXPECT_THAT(end.failure, testing::HasSubstr("thread 0: joins thread 1"));
  EXPECT_THAT(end.failure, testing::HasSubstr("thread 1: sleeps on"));
}

TEST(Simulation, TellsOfLivelocks) {
  at_random who(1, 2);
  simulation::settings s = even();
  s.steps_max = 1000;
  const auto end = simulation(s, who).run([] {
    for (;;) simulated::relax();
  });
  EXPECT_THAT(end.failure, testing::HasSubstr("no end after 1001 steps"));
}

TEST(Simulation, RefusesTimesThatNoWorkTakes) {
  for (const double ns : {-5.0, std::numeric_limits<double>::quiet_NaN(), 1e300}) {
    by_time who;
    const auto end = simulation(simulation::settings(), who).run([ns] { simulated::work_ns(ns); });
    EXPECT_THAT(end.failure, testing::HasSubstr("work_ns(" + std::to_string(ns) + "): must be between 0 and 1e15"));
  }
  by_time who;
  const auto end = simulation(simulation::settings(), who).run([] { simulated::spin_ns(2'000'000'000'000'000); });
  EXPECT_THAT(end.failure, testing::HasSubstr("spin_ns(2000000000000000.000000): must be between 0 and 1e15"));
}

TEST(Simulation, TellsOfExceptionsThatThreadsLetOut) {
  by_time who;
  const auto end = simulation(simulation::settings(), who).run([] { throw std::runtime_error("mill race"); });
  EXPECT_THAT(end.failure, testing::HasSubstr("thread 0 let out an exception: mill race"));
}

TEST(Simulation, WorkTakesItsTimeAndWakingWhatTheMachineSays) {
  by_time who;
  simulation::settings s;
  s.on.wake_ns = 5'000;
  std::uint64_t worked = 0, woken_after = 0;
  const auto end = simulation(s, who).run([&] {
    const std::uint64_t begun = simulated::now_ns();
    simulated::work_ns(1'000'000);
    worked = simulated::now_ns() - begun;
    word go{0};
    std::uint64_t woken_at = 0;
    simulated::thread sleeper([&] {
      while (go.load(relaxed) == 0) simulated::wait(go, 0);
      woken_at = simulated::now_ns();
    });
    simulated::work_ns(1'000'000);
    const std::uint64_t woke_at = simulated::now_ns();
    go.store(1, relaxed);
    simulated::wake_one(go);
    sleeper.join();
    woken_after = woken_at - woke_at;
  });
  ASSERT_TRUE(end.ok()) << end.failure;
  EXPECT_NEAR(static_cast<double>(worked), 1e6, 100);
  EXPECT_NEAR(static_cast<double>(woken_after), 5'000, 500);
}

// Work and instructions take longer on a slow machine, and longer still beside a sibling.
TEST(Simulation, MachinesAreSlow) {
  by_time who;
  simulation::settings s;
  s.on.levels = {{"core", 2, 40}, {"pu", 2, 20}};
  s.on.work_slowdown = 3;
  s.on.step_ns = 7;
  s.on.smt_slowdown = 2;
  std::uint64_t work = 0, step = 0, work_beside = 0, step_beside = 0;
  const auto end = simulation(s, who).run([&] {
    alignas(64) word w{0};
    const auto time = [](auto spend) {
      const std::uint64_t begun = simulated::now_ns();
      spend();
      return simulated::now_ns() - begun - 20;  // without the clock's own time
    };
    const auto works = [] { simulated::work_ns(1'000); };
    const auto steps = [&w] {
      for (int i = 0; i < 10; ++i) w.fetch_add(1, relaxed);
    };
    steps();
    work = time(works);
    step = time(steps);
    simulated::thread sibling([] { simulated::work_ns(100'000); });
    simulated::work_ns(20'000);  // until it has come
    work_beside = time(works);
    step_beside = time(steps);
    sibling.join();
  });
  ASSERT_TRUE(end.ok()) << end.failure;
  EXPECT_EQ(work, 3'000u);
  EXPECT_EQ(step, 113u);  // ten times 4.3 and 7
  EXPECT_EQ(work_beside, 6'000u);
  EXPECT_EQ(step_beside, 183u);
}

TEST(Simulation, LinesTravelBetweenUnits) {
  by_time who;
  simulation::settings s;
  s.on.line_ns = 100;
  std::uint64_t mine = 0, others = 0;
  const auto end = simulation(s, who).run([&] {
    alignas(64) word w{0};
    const auto time = [&] {
      const std::uint64_t begun = simulated::now_ns();
      w.fetch_add(1, relaxed);
      return simulated::now_ns() - begun;
    };
    w.fetch_add(1, relaxed);
    mine = time();
    simulated::thread other([&] { others = time(); });
    other.join();
  });
  ASSERT_TRUE(end.ok()) << end.failure;
  EXPECT_EQ(others - mine, 100u);
}

TEST(Simulation, RefusesBytesThatNoMemoryMoves) {
  by_time who;
  for (const double bytes : {-1., 2e15, std::nan("")}) {
    const auto end = simulation(simulation::settings{}, who).run([bytes] { simulated::work_ns(1, bytes); });
    EXPECT_FALSE(end.ok());
    EXPECT_NE(end.failure.find("work_ns, bytes("), std::string::npos) << end.failure;
  }
}

// Each thread that computes has the same share of the memory's bandwidth.
TEST(Simulation, ThreadsShareTheBandwidthOfTheMemory) {
  by_time who;
  simulation::settings s;
  s.on.memory_gb_s = 2;
  std::uint64_t alone = 0, beside = 0, without = 0;
  const auto time = [](double bytes) {
    const std::uint64_t begun = simulated::now_ns();
    simulated::work_ns(1'000, bytes);
    return simulated::now_ns() - begun - 20;  // without the clock's own time
  };
  const auto end = simulation(s, who).run([&] {
    alone = time(4'000);
    simulated::thread other([] { simulated::work_ns(100'000); });
    simulated::work_ns(30'000);  // until it has come
    beside = time(4'000);
    without = time(0);
    other.join();
  });
  ASSERT_TRUE(end.ok()) << end.failure;
  EXPECT_EQ(alone, 3'000u);
  EXPECT_EQ(beside, 5'000u);
  EXPECT_EQ(without, 1'000u);
}

// A thread that spins, and finds what it found before, takes next to no steps, and goes on when that changes.
TEST(Simulation, SpinningThreadsAreLeftOutUntilTheyWouldFindSomethingNew) {
  by_time who;
  simulation::settings s;
  std::uint64_t rounds = 0, found_ns = 0, written_ns = 0;
  const auto end = simulation(s, who).run([&] {
    alignas(64) word w{0};
    simulated::thread spinner([&] {
      while (w.load(leat::platform::acquire) != 2) {
        ++rounds;
        simulated::idle();
      }
      found_ns = simulated::now_ns();
    });
    simulated::work_ns(1'000'000);
    w.store(1, leat::platform::release);  // new, but not enough
    simulated::work_ns(1'000'000);
    w.store(2, leat::platform::release);
    written_ns = simulated::now_ns();
    spinner.join();
  });
  ASSERT_TRUE(end.ok()) << end.failure;
  EXPECT_LT(rounds, 10u);
  EXPECT_GE(found_ns, written_ns);
  EXPECT_LT(found_ns, written_ns + 500) << "a transfer of the line, and a round";
}

// It promised to do the same only for rounds in which it reads.
TEST(Simulation, SpinningThreadsThatWriteOrLookAtTheClockAreNotLeftOut) {
  by_time who;
  simulation::settings s;
  std::uint64_t writes = 0, looks = 0;
  const auto end = simulation(s, who).run([&] {
    alignas(64) word w{0}, mine{0};
    simulated::thread other([] { simulated::work_ns(100'000); });
    while (mine.load(relaxed) != 100) {
      mine.fetch_add(1, relaxed);
      ++writes;
      simulated::idle();
    }
    for (const std::uint64_t begun = simulated::now_ns(); simulated::now_ns() - begun < 10'000; simulated::idle()) {
      static_cast<void>(w.load(relaxed));
      ++looks;
    }
    other.join();
  });
  ASSERT_TRUE(end.ok()) << end.failure;
  EXPECT_EQ(writes, 100u);
  EXPECT_GT(looks, 100u);
}

TEST(Simulation, SignalsReachSpinningThreads) {
  static std::uint64_t* taken_ns;
  std::uint64_t taken = 0;
  taken_ns = &taken;
  const auto handler = [] { *taken_ns = simulated::now_ns(); };
  by_time who;
  const auto end = simulation(simulation::settings{}, who).run([&] {
    alignas(64) word w{0};
    simulated::claim_interrupts(handler);
    simulated::thread spinner([&] {
      simulated::allow_interrupts();
      while (w.load(leat::platform::acquire) == 0) {
        simulated::idle();
        if (taken != 0) break;
      }
    });
    simulated::work_ns(1'000'000);
    spinner.interrupt();
    spinner.join();
    simulated::release_interrupts(handler);
  });
  ASSERT_TRUE(end.ok()) << end.failure;
  EXPECT_GT(taken, 1'000'000u);
  EXPECT_LT(taken, 1'030'000u);
}

// A sibling that needs the same of the core is more in the way than another; what the machine does not say of kinds, it says of all.
TEST(Simulation, SiblingsSlowEachOtherByTheKindsOfTheirWork) {
  by_time who;
  simulation::settings s;
  s.on.levels = {{"core", 2, 40}, {"pu", 2, 20}};
  s.on.smt_slowdown = 1.5;
  const auto pair = [&s](work_kind mine, work_kind sibling) -> double& {
    return s.on.smt_pairs[static_cast<std::size_t>(mine)][static_cast<std::size_t>(sibling)];
  };
  pair(work_kind::integer, work_kind::integer) = 2;
  pair(work_kind::integer, work_kind::memory) = 1.25;
  pair(work_kind::memory, work_kind::integer) = 1.1;
  const auto beside = [&s, &who](work_kind mine, work_kind sibling) {
    std::uint64_t took = 0;
    const auto end = simulation(s, who).run([&] {
      simulated::bind(0);
      simulated::thread other([sibling] {
        simulated::bind(1);
        simulated::work_ns(100'000, 0, sibling);
      });
      simulated::work_ns(30'000, 0, mine);  // until it has come
      const std::uint64_t begun = simulated::now_ns();
      simulated::work_ns(10'000, 0, mine);
      took = simulated::now_ns() - begun - 20;  // without the clock's own time
      other.join();
    });
    EXPECT_TRUE(end.ok()) << end.failure;
    return took;
  };
  EXPECT_EQ(beside(work_kind::integer, work_kind::integer), 20'000u);
  EXPECT_EQ(beside(work_kind::integer, work_kind::memory), 12'500u);
  EXPECT_EQ(beside(work_kind::memory, work_kind::integer), 11'000u);
  EXPECT_EQ(beside(work_kind::memory, work_kind::memory), 15'000u) << "as smt_slowdown says";
  EXPECT_EQ(beside(work_kind::integer, work_kind::any), 15'000u);
}

// More units than a word has bits, and one that no thread has begun on: what the simulation knows of units has to grow, and outlives
// the world.
TEST(Simulation, ThreadsMoveToAnyUnitWhereSiblingsSlowEachOther) {
  by_time who;
  simulation::settings s;
  s.on.levels = {{"core", 60, 40}, {"pu", 4, 20}};
  s.on.smt_slowdown = 2;
  for (unsigned cpu : {68u, 200u, 239u}) {
    bool moved = false, refused = false;
    std::uint64_t alone = 0, beside = 0, waiting = 0;
    const auto end = simulation(s, who).run([&] {
      const auto time = [](auto spend) {
        const std::uint64_t begun = simulated::now_ns();
        spend();
        return simulated::now_ns() - begun;
      };
      const auto work = [] { simulated::work_ns(10'000); };
      moved = simulated::bind(cpu);
      refused = !simulated::bind(240);
      alone = time(work);
      simulated::thread sibling([&] {
        simulated::bind(cpu ^ 1);
        simulated::work_ns(100'000);
      });
      simulated::work_ns(30'000);  // until it has come
      beside = time(work);
      waiting = time([] { simulated::spin_ns(10'000); });
      sibling.join();
    });
    ASSERT_TRUE(end.ok()) << end.failure;
    EXPECT_TRUE(moved && refused);
    EXPECT_EQ(alone, 10'020u);
    EXPECT_EQ(beside, 20'020u);
    EXPECT_EQ(waiting, 10'020u) << "the clock is as fast beside a sibling";
  }
}

}  // namespace
