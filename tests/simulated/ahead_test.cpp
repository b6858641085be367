// Asking ahead: a thief that begins the last of its tasks has asked for more, and what comes meanwhile is in nobody's way (W9).
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "client_parts.hpp"
#include "leat/platform/simulated.hpp"

namespace {

using leat::event;
using leat::platform::at_random;
using leat::platform::by_time;
using leat::platform::machine;
using leat::platform::relaxed;
using leat::platform::simulated;
using leat::platform::simulation;
using leat_test::shape;
using leat_test::client::engine;
using word = simulated::atomic<std::uint32_t>;

// Long enough for a steal to have been worth it, and short enough for the next to matter.
constexpr double worth_it_ns = 20'000;

// With two workers that ask each other.
shape two() {
  shape s{2};
  s.spin_ns = 20'000;
  s.exposed = leat::protocol::exposure::none;
  return s;
}

// Computes until ready() is true, and never calls the runtime.
template <class Ready>
void compute_until(Ready ready) {
  while (!ready()) simulated::work_ns(500);
}

// Two workers. The other one executes two tasks, one after the other, and asks ahead when it begins the second, which does
// nothing but wait for the third; and that one it gets, and gives it back to us, who ask. spawn(f) makes a task, wait() waits
// for them all. Returns how often somebody asked ahead.
template <class Spawn, class Wait>
std::uint64_t execute_third(engine& e, Spawn spawn, Wait wait) {
  word begun{0}, third_made{0}, third_done{0};
  const auto before = e.counters();
  spawn([&, spawn] {
    begun.fetch_add(1, relaxed);
    simulated::work_ns(worth_it_ns);
    compute_until([&] { return third_made.load(relaxed) != 0; });
    spawn([&] {
      begun.fetch_add(1, relaxed);
      compute_until([&] { return third_done.load(relaxed) != 0; });
    });
  });
  compute_until([&] { return engine::poll(), begun.load(relaxed) >= 1; });
  spawn([&] { third_done.store(1, relaxed); });
  third_made.store(1, relaxed);
  // We look at nothing before the second has begun: the answer comes when its thief computes.
  compute_until([&] { return begun.load(relaxed) == 2; });
  engine::poll();
  wait();
  return (e.counters() - before)[event::requests_ahead];
}

// Worlds in which `round`, which returns how often somebody asked ahead, is repeated until somebody does.
template <class Round>
void expect_asked(Round round) {
  by_time who;
  std::uint64_t asked = 0;
  const auto end = simulation(simulation::settings(), who).run([&] {
    engine e(two());
    for (int i = 0; i < 20 && asked == 0; ++i) asked = round(e);
  });
  ASSERT_TRUE(end.ok()) << end.failure;
  EXPECT_NE(asked, 0u);
}

TEST(ahead, gives_back_to_who_asks_what_came_too_early) {
  expect_asked([](engine& e) {
    return e.run([&] { return execute_third(e, [](auto task) { engine::spawn(task); }, [] { engine::barrier(); }); });
  });
}

TEST(ahead, gives_back_to_who_waits_for_it_what_came_too_early) {
  expect_asked([](engine& e) {
    return e.run([&] {
      engine::task_group group;
      return execute_third(e, [&group](auto task) { group.spawn(task); }, [&group] { group.wait(); });
    });
  });
}

// Producers and consumers, as in the benchmark of that name.
void produce(int producers_left, int consumers, word& ran) {
  ran.fetch_add(1, relaxed);
  if (producers_left > 1) engine::spawn([=, &ran] { produce(producers_left - 1, consumers, ran); });
  for (int i = 0; i < consumers; ++i) {
    engine::spawn([&ran] {
      simulated::work_ns(worth_it_ns);
      ran.fetch_add(1, relaxed);
    });
  }
}

TEST(ahead, executes_every_task_once) {
  constexpr std::uint32_t producers = 10, consumers = 5;
  std::uint64_t asked = 0;
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    at_random drawn(seed, 1u << seed % 5);
    by_time in_time;
    const bool timed = seed % 4 == 0;
    simulation::settings settings;
    if (!timed) settings.on = machine::even();
    std::uint32_t at_barrier = 0, at_end = 0;
    const auto end = simulation(settings, timed ? static_cast<leat::platform::schedule&>(in_time) : drawn).run([&] {
      shape s = two();
      s.workers = 1 + seed % 4;
      engine e(s);
      word ran{0};
      e.run([&] {
        engine::spawn([&] { produce(producers, consumers, ran); });
        engine::barrier();
        at_barrier = ran.load(relaxed);
        engine::spawn([&] { produce(producers, consumers, ran); });
      });
      at_end = ran.load(relaxed);
      asked += e.counters()[event::requests_ahead];
    });
    ASSERT_TRUE(end.ok()) << "seed " << seed << ": " << end.failure;
    ASSERT_EQ(at_barrier, producers * (1 + consumers)) << "seed " << seed;
    ASSERT_EQ(at_end, 2 * at_barrier) << "seed " << seed;
  }
  EXPECT_NE(asked, 0u);
}

// A group in each task. Gives the number of leaves.
std::uint32_t leaves(std::uint32_t depth, std::uint32_t drawn) {
  if (depth == 0) return 1;
  std::array<std::uint32_t, 4> found{};
  engine::task_group group;
  for (std::uint32_t i = 0; i < found.size(); ++i) {
    const std::uint32_t next = drawn * 5 + i;
    group.spawn([depth, next, &here = found[i]] {
      simulated::work_ns(next * 2'654'435'761u >> 25);  // up to 128 ns
      here = leaves(depth - 1, next);
    });
  }
  group.wait();
  return found[0] + found[1] + found[2] + found[3];
}

// A request that is kept by whom a wait asks (L5) must not be out when what that wait executes begins another one.
TEST(ahead, leaves_waits_inside_waits_whom_to_ask) {
  std::uint64_t asked = 0;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    at_random drawn(seed, 1u << seed % 6);
    std::uint32_t found = 0;
    simulation::settings settings;
    settings.steps_max = 10'000'000;
    const auto end = simulation(settings, drawn).run([&] {
      shape s = two();
      s.spin_ns = 100'000;
      engine e(s);
      found = e.run([&] { return leaves(5, seed); });
      asked += e.counters()[event::requests_ahead];
    });
    ASSERT_TRUE(end.ok()) << "seed " << seed << ": " << end.failure;
    ASSERT_EQ(found, 1024u) << "seed " << seed;
  }
  EXPECT_NE(asked, 0u);
}

}  // namespace
