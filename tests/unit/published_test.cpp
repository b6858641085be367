// The schedulers of the papers, seen from outside: how their thieves come to work, by the counters.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "engines.hpp"
#include "leat/blocking.hpp"
#include "leat/fork_join.hpp"
#include "leat/runtime.hpp"
#include "leat/spawn.hpp"
#include "leat/task_group.hpp"
#include "leat/team.hpp"

namespace {

using leat::event;
using namespace std::chrono_literals;

leat::options with(const std::string& scheduler, std::uint64_t workers) {
  leat::options o;
  o.workers = workers;
  o.scheduler = scheduler;
  return o;
}

class published : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(schedulers, published,
                         ::testing::Values("work-stealing", "lcws-user", "lcws-signal", "lcws-conservative",
                                           "lcws-half"),
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
        [] {},  // lcws-conservative keeps a lone fork
        [&] {
          begun = true;
          EXPECT_TRUE(leat_test::comes_true([&] { return may_end.load(); }));
        });
  });
}

TEST_P(published, thieves_take_forks_by_themselves) {
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

TEST_P(published, thieves_take_forks_of_the_context_form_by_themselves) {
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

TEST_P(published, thieves_take_tasks_by_themselves) {
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

TEST_P(published, counts_what_becomes_of_what_is_exposed) {
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
  EXPECT_EQ(c[event::taken], c[event::steals]) << "in no other way";
  for (const event e : {event::requests_sent, event::requests_pooled, event::offers, event::updates})
    EXPECT_EQ(c[e], 0u);
  if (std::string(GetParam()) == "work-stealing") {
    EXPECT_EQ(c[event::exposed], 0u) << "nothing was asked for";
  } else {
    EXPECT_EQ(c[event::exposed], c[event::taken] + c[event::unstolen]);
  }
}

// Its victim does not look until it is interrupted, or has long not been, and the watch would leave it alone for seconds.
TEST_P(published, a_thief_in_vain_interrupts_where_the_scheduler_says_so) {
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
          [] {},
          [&] {
            begun = true;
            EXPECT_TRUE(leat_test::comes_true([&] { return may_end.load(); }));
          });
    });
    return rt.counters()[event::interrupts] != 0;
  };
  const std::string scheduler = GetParam();
  if (scheduler == "work-stealing" || scheduler == "lcws-user") {
    EXPECT_FALSE(hunt_in_vain());
  } else {
    EXPECT_TRUE(leat_test::comes_true(hunt_in_vain));
  }
}

long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = leat::fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

// LCWS's claim, and the thesis's of its baseline: no worker answers another.
TEST_P(published, thieves_of_a_recursion_take_all_from_the_public_part) {
  leat::runtime rt(with(GetParam(), 8));
  EXPECT_TRUE(leat_test::comes_true([&] {
    EXPECT_EQ(rt.run([] { return fib(22); }), 17'711);
    return rt.counters()[event::taken] != 0;
  }));
  const leat::counters c = rt.counters();
  EXPECT_EQ(c[event::taken], c[event::steals]);
  EXPECT_EQ(c[event::requests_sent] + c[event::requests_pooled], 0u);
}

// One run at a time: another thread's run begins when the first has ended.
TEST_P(published, runs_take_turns) {
  leat::runtime rt(with(GetParam(), 3));
  std::atomic<int> inside{0};
  std::atomic<int> at_once{0};
  const auto run = [&] {
    for (int i = 0; i < 50; ++i) {
      rt.run([&] {
        if (++inside > 1) ++at_once;
        leat::task_group group;
        for (int k = 0; k < 20; ++k) group.spawn([] {});
        group.wait();
        --inside;
      });
    }
  };
  std::thread other(run);
  run();
  other.join();
  EXPECT_EQ(at_once, 0);
}

// A worker of one runtime may call another, and come back.
TEST_P(published, a_worker_of_another_runtime_may_call_one) {
  leat::runtime outer(with(GetParam(), 2));
  leat::runtime inner(with(GetParam(), 2));
  EXPECT_EQ(outer.run([&] {
    const auto [a, b] = leat::fork_join([&] { return inner.run([] { return fib(10); }); },
                                        [&] { return inner.run([] { return fib(11); }); });
    return a + b;
  }),
            55 + 89);
}

TEST_P(published, a_team_works_on_the_thread_that_made_it) {
  leat::team team(with(GetParam(), 3));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(team.call([] { return fib(15); }), 610);
  std::atomic<int> ran{0};
  team.call([&] {
    for (int i = 0; i < 100; ++i) leat::spawn([&] { ++ran; });
  });
  EXPECT_TRUE(leat_test::comes_true([&] { return team.call([&] { return ran.load(); }) == 100; }));
}

// PRELL-1 to PRELL-5, from outside: all that a thief gets is in an answer.
TEST(prell, steals_by_answered_requests_alone) {
  leat::runtime rt(with("prell", 8));
  EXPECT_TRUE(leat_test::comes_true([&] {
    EXPECT_EQ(rt.run([] { return fib(22); }), 17'711);
    rt.run([] {
      for (int i = 0; i < 1000; ++i) leat::spawn([] {});
      leat::barrier();
      for (int i = 0; i < 1000; ++i) leat::spawn([] {});
    });
    return rt.counters()[event::steals] > 10;
  }));
  const leat::counters c = rt.counters();
  for (const event e : {event::attempts, event::taken, event::exposed, event::offers, event::requests_pooled,
                        event::interrupts, event::wakes})
    EXPECT_EQ(c[e], 0u);
  EXPECT_GE(c[event::requests_sent], c[event::steals]);
  EXPECT_GE(c[event::tasks_stolen], c[event::steals]);
}

TEST(work_stealing, takes_up_to_half_if_that_is_chosen) {
  for (const char* strategy : {"adaptive", "steal-one", "steal-half"}) {
    leat::options o = with("work-stealing", 2);
    o.strategy = strategy;
    leat::runtime rt(o);
    std::atomic<int> ran{0};
    int spawned = 0;
    EXPECT_TRUE(leat_test::comes_true([&] {
      rt.run([&] {
        for (int i = 0; i < 2000; ++i) leat::spawn([&] { ++ran; });
      });
      spawned += 2000;
      EXPECT_EQ(ran, spawned);
      const leat::counters c = rt.counters();
      if (strategy != std::string("steal-half")) EXPECT_EQ(c[event::tasks_stolen], c[event::steals]);
      else if (c[event::tasks_stolen] == c[event::steals]) return false;
      return c[event::steals] > 3;
    }));
  }
}

// Barriers, groups and forks with each way to find the end (PRELL-4 to PRELL-6). The root spawns and waits in turn.
void work_a_lot(leat::runtime& rt) {
  std::atomic<int> ran{0};
  rt.run([&] {
    for (int phase = 1; phase <= 20; ++phase) {
      for (int i = 0; i < 50; ++i) leat::spawn([&] { ++ran, leat::poll(); });
      leat::barrier();
      EXPECT_EQ(ran, 50 * phase);
    }
    EXPECT_EQ(fib(15), 610);
  });
}

TEST(prell, finds_the_end_in_each_way_that_the_thesis_names) {
  for (const char* termination : {"root", "worker", "dedicated", "counter"}) {
    for (const char* barrier : {"own", "dummy"}) {
      SCOPED_TRACE(std::string(termination) + ", " + barrier);
      leat::options o = with("prell", 4);
      o.prell.termination = termination;
      o.prell.barrier = barrier;
      leat::runtime rt(o);
      EXPECT_TRUE(leat_test::comes_true([&] {
        work_a_lot(rt);
        return rt.counters()[event::steals] > 10;
      }));
      const leat::counters c = rt.counters();
      const bool manages = termination == std::string("worker") || termination == std::string("dedicated");
      EXPECT_EQ(c[event::dummies] != 0, manages && barrier == std::string("dummy"));
      if (manages) {
        EXPECT_GT(c[event::updates], 0u);
      } else if (termination == std::string("counter")) {
        EXPECT_EQ(c[event::updates], 0u);
      }
    }
  }
}

TEST(prell, a_victim_that_acknowledges_forwards_nothing) {
  leat::options o = with("prell", 4);
  o.prell.refusal = "acknowledge";
  o.prell.barrier = "own";  // a request that worker 0 keeps for a dummy is let go on, and that counts as forwarded
  leat::runtime rt(o);
  EXPECT_TRUE(leat_test::comes_true([&] {
    work_a_lot(rt);
    return rt.counters()[event::steals] > 10;
  }));
  EXPECT_EQ(rt.counters()[event::requests_forwarded], 0u);
}

// The task polls nothing, and ends when another worker has executed the one beneath it.
TEST(prell, a_request_interrupts_its_victim_where_that_is_chosen) {
  leat::options o = with("prell", 2);
  o.prell.polling = "interrupts";
  leat::runtime rt(o);
  std::atomic<bool> taken{false};
  rt.run([&] {
    leat::spawn([&] { taken = true; });
    EXPECT_TRUE(leat_test::comes_true([&] { return taken.load(); }));
  });
  EXPECT_GT(rt.counters()[event::interrupted_polls], 0u);
}

TEST(prell, steals_as_many_tasks_as_its_strategy_says) {
  for (const char* strategy : {"steal-one", "steal-half"}) {
    leat::options o = with("prell", 2);
    o.strategy = strategy;
    leat::runtime rt(o);
    EXPECT_TRUE(leat_test::comes_true([&] {
      rt.run([] {
        for (int i = 0; i < 2000; ++i) leat::spawn([] { leat::poll(); });
      });
      const leat::counters c = rt.counters();
      if (strategy == std::string("steal-one")) EXPECT_EQ(c[event::tasks_stolen], c[event::steals]);
      else if (c[event::tasks_stolen] == c[event::steals]) return false;
      return c[event::steals] > 3;
    }));
  }
}

TEST(prell, a_call_of_a_team_ends_when_all_its_tasks_are_done) {
  leat::team team(with("prell", 3));
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> ran{0};
    team.call([&] {
      for (int k = 0; k < 100; ++k) leat::spawn([&] { ++ran; });
    });
    EXPECT_EQ(ran, 100);
  }
}

// A thread has one word for the limit of its forks, whatever teams it makes: a team finds it as another one left it.
TEST_P(published, teams_of_one_thread_take_turns) {
  leat::team one(with(GetParam(), 3));
  leat::team two(with("channel", 3));
  leat::team three(with(GetParam(), 2));
  for (int i = 0; i < 60; ++i) {
    EXPECT_EQ(two.call([] { return fib(12); }), 144);
    EXPECT_EQ(one.call([] { return fib(16); }), 987);
    EXPECT_EQ(three.call([&] { return one.call([] { return fib(14); }) + fib(10); }), 377 + 55);
    int seconds = 0;
    one.call(
        [&] { leat::fork_join([] { leat::blocking([] { std::this_thread::sleep_for(1ms); }); }, [&] { ++seconds; }); });
    EXPECT_EQ(seconds, 1);
  }
}

// One worker has no thief.
TEST_P(published, one_worker_exposes_nothing) {
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
