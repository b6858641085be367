// Circles of waits in simulated worlds: each is told, and what is in none ends as ever (rules DEADLOCK,
// docs/internals/deadlocks.md).
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "client_parts.hpp"
#include "leat/platform/simulated.hpp"
#include "leat/protocol/random.hpp"
#include "needs.hpp"

namespace {

using leat::platform::acquire;
using leat::platform::at_random;
using leat::platform::machine;
using leat::platform::release;
using leat::platform::simulated;
using leat::platform::simulation;
using leat_test::shape;
using leat_test::client::engine;
using word = simulated::atomic<std::uint32_t>;

void await(const word& given) {
  while (given.load(acquire) == 0) {
    engine::poll();
    simulated::yield();
  }
}

std::string wrong_in(std::uint64_t seed, bool circles, leat::task::wait inside = leat::task::wait::own) {
  at_random drawn(seed, 1u << seed % 6);
  leat::protocol::random draws(seed);
  simulation::settings settings;
  if (seed % 2 == 0) settings.on = machine::even();
  settings.steps_max = 20'000'000;
  shape s{static_cast<std::uint32_t>(1 + draws() % 4)};
  s.spin_ns = draws() % 2 * 2'000;
  if (draws() % 4 == 0) s.exposure = leat::protocol::exposure::eager;
  std::array<char, 100> wrong{};  // outside of the world, whose memory ends with it
  const auto end = simulation(settings, drawn).run([&] {
    engine e(s);
    for (std::uint64_t round = 0; round < 3 && wrong[0] == 0; ++round) {
      const leat_test::needs of(seed * 3 + round, circles);
      const auto how = draws() % 2 == 0 ? leat::task::wait::own : leat::task::wait::any;
      const std::string found = e.run([&] { return leat_test::needs_run<engine>(of, s.workers, inside)(how); });
      found.copy(wrong.data(), wrong.size() - 1);
    }
  });
  return end.ok() ? wrong.data() : end.failure;
}

TEST(deadlocks, are_not_told_where_there_is_none) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) ASSERT_EQ(wrong_in(seed, false), "") << "seed " << seed;
}

TEST(deadlocks, are_told_where_there_is_one) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) ASSERT_EQ(wrong_in(seed, true), "") << "seed " << seed;
}

TEST(deadlocks, are_told_where_anything_comes_on_top) {
  for (std::uint64_t seed = 0; seed < 500; ++seed)
    ASSERT_EQ(wrong_in(seed, seed % 2 == 0, leat::task::wait::any), "") << "seed " << seed;
}

// The join is listed last, and may not be left. The wait for anything sleeps without a clock, and is the one that must throw.
TEST(deadlocks, wake_the_wait_that_is_chosen) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    at_random drawn(seed, 1u << seed % 6);
    shape s{2};
    s.interrupt_after_ns = 0;
    simulation::settings settings;
    settings.steps_max = 2'000'000;
    bool told = false;
    const auto end = simulation(settings, drawn).run([&] {
      engine e(s);
      e.run([&] {
        word begun{0}, made{0};
        std::optional<engine::shared_future<int>> own;
        const auto joins_late = [&] {
          await(begun);
          simulated::work_ns(200'000);
        };
        const auto waits_for_all = [&] {
          begun.store(1, release);
          own->wait(leat::task::wait::any);
        };
        own = engine::async([&] {
                await(made);
                engine::fork_join(joins_late, waits_for_all);
                return 1;
              }).share();
        made.store(1, release);
        try {
          own->get();
        } catch (const leat::deadlock&) {
          told = true;
        }
      });
    });
    ASSERT_TRUE(end.ok()) << "seed " << seed << ": " << end.failure;
    EXPECT_TRUE(told) << "seed " << seed;
  }
}

}  // namespace
