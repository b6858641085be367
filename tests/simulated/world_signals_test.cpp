// Signals in a simulated world: when they arrive, and what they and their handlers cost.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
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

// The system sends and delivers the signals of a process one at a time: of two threads that send at once one waits. Each world begins without turns taken.
TEST(Signals, TakeTurns) {
  constexpr std::uint64_t turn_ns = 10'000;
  by_time who;
  simulation::settings s;
  s.on.signal_lock_ns = turn_ns;
  simulation worlds(s, who);
  for (int i = 0; i < 2; ++i) {
    std::array<std::uint64_t, 2> sent_ns{}, worked_ns{};
    const auto end = worlds.run([&] {
      const auto nothing = [] {};
      simulated::claim_interrupts(nothing);
      const auto work = [&](std::size_t who_works) {
        simulated::allow_interrupts();
        const std::uint64_t begun = simulated::now_ns();
        simulated::work_ns(500'000);
        worked_ns[who_works] = simulated::now_ns() - begun;
      };
      simulated::thread one([&] { work(0); }), another([&] { work(1); });
      const auto send = [&](simulated::thread& to, std::size_t who_sends) {
        const std::uint64_t begun = simulated::now_ns();
        to.interrupt();
        sent_ns[who_sends] = simulated::now_ns() - begun;
      };
      simulated::work_ns(100'000);
      simulated::thread sender([&] {
        simulated::work_ns(100'000);
        send(another, 1);
      });
      simulated::work_ns(100'000 + simulation::settings{}.on.thread_ns);
      send(one, 0);
      for (simulated::thread* t : {&one, &another, &sender}) t->join();
      simulated::release_interrupts(nothing);
    });
    ASSERT_TRUE(end.ok()) << end.failure;
    std::ranges::sort(sent_ns);
    std::ranges::sort(worked_ns);
    EXPECT_LT(sent_ns[0], 2 * turn_ns);
    EXPECT_GE(sent_ns[1], 2 * turn_ns - 2'000) << "it waits for the other one's turn";
    EXPECT_GE(worked_ns[0], 500'000 + 2 * turn_ns) << "at the handler's beginning and end";
  }
}

}  // namespace
