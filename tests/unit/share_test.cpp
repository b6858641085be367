// What workers make public, and thieves take by themselves: seen from outside, by the counters.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "engines.hpp"
#include "leat/fork_join.hpp"
#include "leat/runtime.hpp"
#include "leat/spawn.hpp"
#include "leat/task_group.hpp"

namespace {

using leat::event;
using namespace std::chrono_literals;

leat::options with(const std::string& scheduler, std::uint64_t workers) {
  leat::options o;
  o.workers = workers;
  o.scheduler = scheduler;
  o.spin_us = 100;  // also where there are more workers than CPUs: who does not spin does not hunt for long
  return o;
}

class share : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(schedulers, share,
                         ::testing::Values("chase-lev", "split-user", "split-signal", "split-conservative",
                                           "split-half"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

/// A thief works for the run, and comes to its end when the other worker, in the midst of a task, has left something to
/// take: `leave` leaves what sets `taken`, and calls what it is given.
template <class Leave>
void pass_on(leat::runtime& rt, Leave leave) {
  std::atomic<bool> begun{false};
  std::atomic<bool> may_end{false};
  std::atomic<bool> taken{false};
  rt.run([&] {
    leat::fork_join(
        [&] {
          EXPECT_TRUE(leat_test::comes_true([&] { return leat::poll(), begun.load(); }));
          leave(taken, [&] {
            may_end = true;
            EXPECT_TRUE(leat_test::comes_true([&] { return leat::poll(), taken.load(); }));
          });
        },
        [&] {
          begun = true;
          EXPECT_TRUE(leat_test::comes_true([&] { return may_end.load(); }));
        });
  });
}

// Mostly at once; if the thief is preempted while it hunts, it is answered instead.
TEST_P(share, thieves_take_forks_by_themselves) {
  leat::runtime rt(with(GetParam(), 2));
  EXPECT_TRUE(leat_test::comes_true([&] {
    pass_on(rt, [](std::atomic<bool>& taken, auto wait) {
      const auto fork = [&](auto& self, int more) -> void {
        if (more == 0) return wait();
        leat::fork_join([&] { self(self, more - 1); }, [&] { taken = true; });
      };
      fork(fork, 3);
    });
    return rt.counters()[event::taken] != 0;
  }));
}

TEST_P(share, thieves_take_forks_of_the_context_form_by_themselves) {
  leat::runtime rt(with(GetParam(), 2));
  EXPECT_TRUE(leat_test::comes_true([&] {
    pass_on(rt, [](std::atomic<bool>& taken, auto wait) {
      const auto fork = [&](auto& self, leat::context c, int more) -> void {
        if (more == 0) return wait();
        leat::fork_join(c, [&](leat::context d) { self(self, d, more - 1); }, [&](leat::context) { taken = true; });
      };
      leat::with_context([&](leat::context c) { fork(fork, c, 3); });
    });
    return rt.counters()[event::taken] != 0;
  }));
}

TEST_P(share, thieves_take_tasks_by_themselves) {
  leat::runtime rt(with(GetParam(), 2));
  EXPECT_TRUE(leat_test::comes_true([&] {
    pass_on(rt, [](std::atomic<bool>& taken, auto wait) {
      leat::task_group group;
      for (int i = 0; i < 3; ++i) group.spawn([&] { taken = true; });
      wait();
      group.wait();
    });
    return rt.counters()[event::taken] != 0;
  }));
}

TEST_P(share, counts_what_becomes_of_what_is_exposed) {
  leat::runtime rt(with(GetParam(), 2));
  for (int i = 0; i < 20; ++i) {
    pass_on(rt, [](std::atomic<bool>& taken, auto wait) {
      leat::task_group group;
      for (int k = 0; k < 3; ++k) group.spawn([&] { taken = true; });
      wait();
      group.wait();
    });
  }
  const leat::counters c = rt.counters();
  EXPECT_GE(c[event::attempts], c[event::taken]);
  EXPECT_LE(c[event::taken], c[event::steals]);
  if (std::string(GetParam()) == "chase-lev") {
    EXPECT_EQ(c[event::exposed], 0u) << "nothing was asked for";
  } else {
    EXPECT_EQ(c[event::exposed], c[event::taken] + c[event::unstolen]);
  }
}

// Its victim does not look until it is interrupted, or has long not been, and the watch would leave it alone for seconds.
TEST_P(share, a_thief_in_vain_interrupts_where_the_scheduler_says_so) {
  leat::options o = with(GetParam(), 2);
  o.interrupt_after_us = leat::interrupt_after_us_max;
  leat::runtime rt(o);
  const auto hunt_in_vain = [&] {
    std::atomic<bool> begun{false};
    std::atomic<bool> may_end{false};
    rt.run([&] {
      leat::fork_join(
          [&] {
            EXPECT_TRUE(leat_test::comes_true([&] { return leat::poll(), begun.load(); }));
            leat::task_group group;
            for (int i = 0; i < 3; ++i) group.spawn([] {});
            may_end = true;
            const auto end = std::chrono::steady_clock::now() + 20ms;
            while (rt.counters()[event::interrupts] == 0 && std::chrono::steady_clock::now() < end)
              std::this_thread::yield();  // with one CPU, too, the thief hunts meanwhile
            group.wait();
          },
          [&] {
            begun = true;
            EXPECT_TRUE(leat_test::comes_true([&] { return may_end.load(); }));
          });
    });
    return rt.counters()[event::interrupts] != 0;
  };
  const std::string scheduler = GetParam();
  if (scheduler == "chase-lev" || scheduler == "split-user") {
    EXPECT_FALSE(hunt_in_vain());
  } else {
    EXPECT_TRUE(leat_test::comes_true(hunt_in_vain));
  }
}

// One worker has nobody to share with.
TEST_P(share, one_worker_exposes_nothing) {
  leat::runtime rt(with(GetParam(), 1));
  rt.run([] {
    leat::task_group group;
    for (int i = 0; i < 1000; ++i) group.spawn([] {});
    group.wait();
  });
  const leat::counters c = rt.counters();
  EXPECT_EQ(c[event::exposed], 0u);
  EXPECT_EQ(c[event::taken], 0u);
  EXPECT_EQ(c[event::interrupts], 0u);
}

}  // namespace
