// Waits that need each other: what is awaited is reached, however deep the waits lie in each other, and along chains of thieves.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "client_parts.hpp"
#include "leat/platform/simulated.hpp"
#include "leat/protocol/random.hpp"

namespace {

using leat::platform::at_random;
using leat::platform::machine;
using leat::platform::relaxed;
using leat::platform::simulated;
using leat::platform::simulation;
using leat_test::shape;
using leat_test::client::engine;
using word = simulated::atomic<std::uint32_t>;

// Workers that ask each other, and wait long for an answer.
shape shape_with(std::uint32_t workers, std::uint64_t spin_ns) {
  shape s{workers};
  s.spin_ns = spin_ns;
  s.published = leat::protocol::published::none;
  return s;
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

// A request that is kept by whom a wait asks (LEAPFROG-5) must not be out when what that wait executes begins another
// one.
TEST(waits, inside_waits_have_whom_to_ask) {
  constexpr std::uint32_t depth = 5, all = 1024;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    at_random drawn(seed, 1u << seed % 6);
    std::uint32_t found = 0;
    simulation::settings settings;
    settings.steps_max = 10'000'000;
    const auto end = simulation(settings, drawn).run([&] {
      engine e(shape_with(2, 100'000));
      found = e.run([&] { return leaves(depth, seed); });
    });
    ASSERT_TRUE(end.ok()) << "seed " << seed << ": " << end.failure;
    ASSERT_EQ(found, all) << "seed " << seed;
  }
}

// So many that wait for each other, and poll; they meet only if as many workers execute them.
class meeting {
 public:
  explicit meeting(std::uint32_t all) : missing_(all) {}
  void attend() {
    constexpr std::uint64_t patience_ns = 20'000'000;
    missing_.fetch_sub(1, relaxed);
    const std::uint64_t end = simulated::now_ns() + patience_ns;
    while (missing_.load(relaxed) != 0) {
      if (simulated::now_ns() > end) simulation::current()->fail("too few workers execute what was spawned");
      engine::poll();
      simulated::yield();
    }
  }

 private:
  word missing_;
};

// Each link meets who executes the next one, and waits for it; the last one's tasks need all workers.
void link(std::uint32_t left, std::uint32_t workers) {
  engine::task_group group;
  meeting all(left == 0 ? workers : 2);
  if (left == 0) {
    for (std::uint32_t i = 1; i < workers; ++i) group.spawn([&all] { all.attend(); });
  } else {
    group.spawn([&all, left, workers] {
      all.attend();
      link(left - 1, workers);
    });
  }
  all.attend();
  group.wait();
}

// What came for a wait is given to nobody else: its group would ask whom it came to.
TEST(waits, reach_the_end_of_a_chain) {
  constexpr std::uint32_t workers = 3;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    at_random drawn(seed, 1u << seed % 6);
    simulation::settings settings;
    if (seed % 2 == 0) settings.on = machine::even();
    settings.steps_max = 20'000'000;
    const auto end = simulation(settings, drawn).run([&] {
      engine e(shape_with(workers, 20'000), leat::protocol::strategy::steal_one);
      for (int round = 0; round < 3; ++round) e.run([&] { link(workers - 1, workers); });
    });
    ASSERT_TRUE(end.ok()) << "seed " << seed << ": " << end.failure;
  }
}

// A wait leaves a request behind whose holder stalls (LEAPFROG-6). Its answer may come when its thief has nothing left
// to do, and must not open the channel of one who is about to ask and to sleep (WORKER-5): the scheduler says so
// itself.
TEST(waits, leave_no_channel_open) {
  for (int seed = 0; seed < leat_test::reps(2'500); ++seed) {
    at_random drawn(static_cast<std::uint64_t>(seed), 1u << seed % 6);
    leat::protocol::random draws(static_cast<std::uint64_t>(seed));
    simulation::settings settings;
    settings.on = machine::even();
    for (int i = 0; i < 60; ++i) {
      const auto thread = static_cast<std::uint32_t>(1 + draws() % 4);
      settings.faults.stalls.push_back({thread, draws() % 3'000, 100 + draws() % 600});
    }
    shape s = shape_with(4, 2'000);
    s.spares = 0;
    s.interrupt_after_ns = 1'000;
    const auto end = simulation(settings, drawn).run([&] {
      engine e(s);
      for (int round = 0; round < 4; ++round) {
        e.run([&] {
          engine::task_group group;
          for (int i = 0; i < 6; ++i) {
            group.spawn([ns = draws() % 400] {
              simulated::work_ns(ns);
              engine::fork_join([ns] { simulated::work_ns(ns / 2); }, [ns] { simulated::work_ns(ns); });
            });
          }
          group.wait();
        });
      }
    });
    ASSERT_TRUE(end.ok()) << "seed " << seed << ": " << end.failure;
  }
}

}  // namespace
