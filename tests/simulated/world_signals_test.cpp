// Signals in a simulated world: when they arrive, and what they and their handlers cost.
#include <gtest/gtest.h>

#include <cstdint>

#include "leat/platform/simulated.hpp"

namespace {

using leat::platform::by_time;
using leat::platform::simulated;
using leat::platform::simulation;

TEST(Signals, CutWorkAndSleepShort) {
  by_time who;
  std::uint64_t worked_until = 0, interrupted_at = 0;
  static std::uint64_t handled_at;
  const auto end = simulation(simulation::settings(), who).run([&] {
    const auto handler = [] { handled_at = simulated::now_ns(); };
    simulated::claim_interrupts(handler);
    simulated::thread busy([&] {
      simulated::allow_interrupts();
      simulated::work_ns(1'000'000);
      worked_until = simulated::now_ns();
    });
    simulated::work_ns(100'000);
    interrupted_at = simulated::now_ns();
    busy.interrupt();
    busy.join();
    simulated::release_interrupts(handler);
  });
  ASSERT_TRUE(end.ok()) << end.failure;
  EXPECT_GT(handled_at, interrupted_at);
  EXPECT_LT(handled_at, interrupted_at + 10'000);
  EXPECT_GT(worked_until, 1'000'000u);
}

TEST(Signals, HandlersMakeWorkLongerAndNoSpin) {
  for (const bool spins : {false, true}) {
    by_time who;
    std::uint64_t took = 0;
    const auto end = simulation(simulation::settings(), who).run([&] {
      const auto handler = [] { simulated::work_ns(50'000); };
      simulated::claim_interrupts(handler);
      simulated::thread busy([&] {
        simulated::allow_interrupts();
        const std::uint64_t begun = simulated::now_ns();
        if (spins) simulated::spin_ns(1'000'000);
        else simulated::work_ns(1'000'000);
        took = simulated::now_ns() - begun;
      });
      simulated::work_ns(100'000);
      busy.interrupt();
      busy.join();
      simulated::release_interrupts(handler);
    });
    ASSERT_TRUE(end.ok()) << end.failure;
    if (spins) EXPECT_EQ(took, 1'000'020u);
    else EXPECT_GT(took, 1'050'000u);
  }
}

// The system sends and delivers the signals of a process one at a time.
TEST(Signals, TakeTurns) {
  by_time who;
  simulation::settings s;
  s.on.signal_lock_ns = 10'000;
  static std::uint64_t handled;
  handled = 0;
  const auto call = [] { ++handled; };
  std::uint64_t sent_ns = 0, worked_ns = 0;
  const auto end = simulation(s, who).run([&] {
    simulated::claim_interrupts(call);
    simulated::thread other([&] {
      simulated::allow_interrupts();
      const std::uint64_t begun = simulated::now_ns();
      simulated::work_ns(200'000);
      worked_ns = simulated::now_ns() - begun;
    });
    simulated::work_ns(100'000);
    const std::uint64_t begun = simulated::now_ns();
    other.interrupt();
    sent_ns = simulated::now_ns() - begun;
    other.join();
    simulated::release_interrupts(call);
  });
  ASSERT_TRUE(end.ok()) << end.failure;
  EXPECT_EQ(handled, 1u);
  EXPECT_GE(sent_ns, 10'000u);
  EXPECT_GE(worked_ns, 220'000u) << "at the handler's beginning and end";
}

}  // namespace
