// What the handler of an interrupt, and a proxy, give by a poll, and a public part could not: work that only one worker may have, or
// that is not the oldest (docs/decisions/one_public_part.md).
#include <gtest/gtest.h>

#include <cstdint>

#include "client_parts.hpp"
#include "leat/platform/simulated.hpp"

namespace {

using leat::platform::at_random;
using leat::platform::relaxed;
using leat::platform::simulated;
using leat::platform::simulation;
using leat_test::shape;
using leat_test::client::engine;
using word = simulated::atomic<std::uint32_t>;

constexpr std::uint64_t stuck_after_ns = 100'000'000;

void stays_until(const char* what, auto ready, bool polls = false) {
  const std::uint64_t end = simulated::now_ns() + stuck_after_ns;
  while (!ready()) {
    if (simulated::now_ns() > end) return simulation::current()->fail(what);
    if (polls) engine::poll();
    simulated::work_ns(1000);
  }
}

template <class Body>
void in_ten_worlds(std::uint32_t workers, std::uint32_t spares, Body body) {
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    at_random drawn(seed, 4);
    simulation::settings settings;
    settings.steps_max = 10'000'000;
    const auto end = simulation(settings, drawn).run([&] {
      shape s{workers};
      s.spin_ns = 20'000;
      s.spares = spares;
      s.interrupt_after_ns = 50'000;
      s.published = leat::protocol::published::none;
      engine e(s, leat::protocol::strategy::steal_half);
      word words[5]{};
      e.run([&] { body(words); });
    });
    ASSERT_TRUE(end.ok()) << "seed " << seed << ": " << end.failure.substr(0, 300);
  }
}

// The idle thief: what the handler is for.
TEST(handler_polls, gives_tasks_to_an_idle_thief) {
  in_ten_worlds(2, 0, [](word* words) {
    word& ran = words[0];
    for (int i = 0; i < 3; ++i) engine::spawn([&] { ran.fetch_add(1, relaxed); });
    stays_until("the tasks are not taken", [&] { return ran.load(relaxed) == 3; });
  });
}

TEST(handler_polls, gives_a_fork_to_an_idle_thief) {
  in_ten_worlds(2, 0, [](word* words) {
    word& ran = words[0];
    engine::fork_join([&] { stays_until("the fork is not taken", [&] { return ran.load(relaxed) == 1; }); },
                      [&] { ran.store(1, relaxed); });
  });
}

// The only other worker waits for the fork around it: it may take what descends from that, by a leapfrog request.
TEST(handler_polls, gives_a_fork_to_the_waiter_above) {
  in_ten_worlds(2, 0, [](word* words) {
    word &begun = words[0], &ran = words[1];
    engine::fork_join([&] { stays_until("no thief", [&] { return begun.load(relaxed) == 1; }, true); },
                      [&] {
                        begun.store(1, relaxed);
                        engine::fork_join(
                            [&] { stays_until("the waiter gets no fork", [&] { return ran.load(relaxed) == 1; }); },
                            [&] { ran.store(1, relaxed); });
                      });
  });
}

// The awaited tasks lie with a worker that executes one of them, and nothing is older.
TEST(handler_polls, gives_tasks_of_the_group_to_the_waiter) {
  in_ten_worlds(2, 0, [](word* words) {
    word& ran = words[0];
    engine::task_group group;
    for (int i = 0; i < 20; ++i) {
      group.spawn([&, root = engine::here()] {
        ran.fetch_add(1, relaxed);
        if (engine::here() != root) stays_until("the waiter gets no task", [&] { return ran.load(relaxed) == 20; });
      });
    }
    group.wait();
  });
}

// INTERRUPT-8: unrelated tasks lie among the awaited ones, in a worker that is stuck until the wait is over.
TEST(handler_polls, gives_awaited_tasks_from_between_others) {
  in_ten_worlds(2, 0, [](word* words) {
    word &busy = words[0], &stuck = words[1], &within = words[2], &spawned = words[3], &done = words[4];
    engine::spawn([&] {
      busy.store(1, relaxed);
      stays_until("nothing is spawned", [&] { return spawned.load(relaxed) == 1; }, false);
    });
    stays_until("no thief", [&] { return busy.load(relaxed) == 1; }, true);
    engine::task_group group;
    for (int i = 0; i < 8; ++i) {
      group.spawn([&] { within.fetch_add(1, relaxed); });
      engine::spawn([&] {
        stuck.fetch_add(1, relaxed);
        stays_until("the wait does not end", [&] { return done.load(relaxed) == 1; });
      });
    }
    spawned.store(1, relaxed);
    stays_until("no worker is stuck", [&] { return stuck.load(relaxed) == 1; }, true);
    group.wait();
    done.store(1, relaxed);
  });
}

// MANAGER-8: an idle compensating worker asks the manager alone, and does not hunt.
TEST(handler_polls, gives_tasks_to_a_compensating_worker) {
  in_ten_worlds(2, 1, [](word* words) {
    word &begun = words[0], &ran = words[1];
    engine::spawn([&] {
      begun.store(1, relaxed);
      engine::blocking([&] { stays_until("blocked for ever", [&] { return ran.load(relaxed) == 1; }); });
    });
    stays_until("no thief", [&] { return begun.load(relaxed) == 1; }, true);
    engine::spawn([&] { ran.store(1, relaxed); });
    stays_until("the compensating worker gets no task", [&] { return ran.load(relaxed) == 1; });
  });
}

// BLOCKING: the tasks and forks of a worker whose thread is in a call.
TEST(handler_polls, the_only_fork_of_a_blocked_worker_goes_to_the_waiter_above) {
  in_ten_worlds(2, 0, [](word* words) {
    word &begun = words[0], &ran = words[1];
    engine::fork_join([&] { stays_until("no thief", [&] { return begun.load(relaxed) == 1; }, true); },
                      [&] {
                        begun.store(1, relaxed);
                        engine::fork_join(
                            [&] {
                              engine::blocking([&] {
                                stays_until("the waiter gets no fork", [&] { return ran.load(relaxed) == 1; });
                              });
                            },
                            [&] { ran.store(1, relaxed); });
                      });
  });
}

TEST(handler_polls, tasks_of_a_blocked_worker_go_to_an_idle_thief) {
  in_ten_worlds(2, 0, [](word* words) {
    word& ran = words[0];
    for (int i = 0; i < 3; ++i) engine::spawn([&] { ran.fetch_add(1, relaxed); });
    engine::blocking([&] { stays_until("the tasks are not taken", [&] { return ran.load(relaxed) == 3; }); });
  });
}

// The blocked worker is a waiter's thief, and others' tasks lie among those of the awaited group.
TEST(handler_polls, awaited_tasks_of_a_blocked_worker_come_from_between_others) {
  in_ten_worlds(2, 0, [](word* words) {
    word &busy = words[0], &stuck = words[1], &within = words[2], &spawned = words[3], &done = words[4];
    engine::spawn([&] {
      busy.store(1, relaxed);
      stays_until("nothing is spawned", [&] { return spawned.load(relaxed) == 1; });
    });
    stays_until("no thief", [&] { return busy.load(relaxed) == 1; }, true);
    engine::task_group group;
    for (int i = 0; i < 8; ++i) {
      group.spawn([&] { within.fetch_add(1, relaxed); });
      engine::spawn([&] {
        stuck.fetch_add(1, relaxed);
        engine::blocking([&] { stays_until("the wait does not end", [&] { return done.load(relaxed) == 1; }); });
      });
    }
    spawned.store(1, relaxed);
    stays_until("no worker is stuck", [&] { return stuck.load(relaxed) == 1; }, true);
    group.wait();
    done.store(1, relaxed);
  });
}

}  // namespace
