// Task groups under pressure: no task is lost, run twice, or outlives its group, however tasks move between workers.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>

#include "engines.hpp"

namespace {

using leat::task::wait;
using leat_test::engine;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;
using leat_test::shapes;

// Counts the calls, and the callables that live, of one program.
struct census {
  std::atomic<long> calls{0};
  std::atomic<long> alive{0};
};

// A callable that is kept outside its record, and is missed if it is not destroyed.
struct counted_call {
  explicit counted_call(census& of) : c(&of) { ++c->alive; }
  counted_call(counted_call&& o) noexcept : c(o.c) { ++c->alive; }
  counted_call(const counted_call&) = delete;
  ~counted_call() { --c->alive; }
  void operator()() const { ++c->calls; }
  census* c;
};

// A random program: groups in groups, plain tasks, futures and tasks that spawn into the groups around them. Returns how
// many calls it makes, itself included.
template <class E>
class program {
 public:
  using group = typename E::task_group;

  program(census& c, bool any) : census_(c), any_(any) {}

  void run(std::uint32_t seed, int depth, group* around) {
    ++census_.calls;
    if (depth == 0) return;
    std::minstd_rand random(seed);
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    group own;
    std::optional<typename E::template future<void>> future;
    const std::uint32_t children = 1 + below(5);
    for (std::uint32_t i = 0; i < children; ++i) {
      const std::uint32_t next = seed * 31 + i;
      switch (below(7)) {
        case 0: E::spawn([this, next, depth] { run(next, depth - 1, nullptr); }); break;
        case 1: future = E::async([this, next, depth] { run(next, depth - 1, nullptr); }); break;
        case 2:
          if (around != nullptr) {
            around->spawn([this, next, depth, around] { run(next, depth - 1, around); });
            break;
          }
          [[fallthrough]];
        case 3: own.spawn(counted_call(census_)); break;
        default: own.spawn([this, next, depth, &own] { run(next, depth - 1, &own); });
      }
    }
    if (below(4) != 0) own.wait(any_ && below(3) == 0 ? wait::any : wait::own);
    if (future) future->get();
  }

  // The same without running it.
  long calls(std::uint32_t seed, int depth, bool around) const {
    if (depth == 0) return 1;
    std::minstd_rand random(seed);
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    long all = 1;
    const std::uint32_t children = 1 + below(5);
    for (std::uint32_t i = 0; i < children; ++i) {
      const std::uint32_t next = seed * 31 + i;
      const std::uint32_t what = below(7);
      if (what < 2) all += calls(next, depth - 1, false);
      else if (what == 3 || (what == 2 && !around)) ++all;
      else all += calls(next, depth - 1, true);
    }
    return all;
  }

 private:
  census& census_;
  const bool any_;
};

TEST(task_group_stress, random_programs_are_executed_once) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape& s) {
    for (std::uint32_t seed = 1; seed <= static_cast<std::uint32_t>(reps(20)); ++seed) {
      SCOPED_TRACE(seed);
      census c;
      // Waits for descendants alone: even those that run strangers end, as each waits for what began later.
      program<engine> p(c, seed % 2 == 0);
      e.run([&] { p.run(seed, 6, nullptr); });
      ASSERT_EQ(c.calls, p.calls(seed, 6, false)) << s.name();
      ASSERT_EQ(c.alive, 0);
    }
  });
}

// What is thrown anywhere comes out of the wait above it, after all tasks of the group have ended; nothing is left alive.
template <class E>
void failing(census& c, std::uint32_t seed, int depth) {
  ++c.calls;
  if (depth == 0) {
    if (seed % 5 == 0) throw std::runtime_error("planted");
    return;
  }
  std::atomic<int> running{0};
  {
    typename E::task_group group;
    for (std::uint32_t i = 0; i < 4; ++i) {
      group.spawn([&c, &running, seed, depth, i, boxed = counted_call(c)] {
        struct present {
          std::atomic<int>& n;
          explicit present(std::atomic<int>& r) : n(r) { ++n; }
          ~present() { --n; }
        } const here(running);
        failing<E>(c, seed * 7 + i, depth - 1);
      });
    }
    if (seed % 3 == 0) group.cancel();
    try {
      group.wait();
    } catch (const std::runtime_error&) {
      EXPECT_EQ(running, 0);
      if (seed % 2 == 0) throw;
    }
  }
  EXPECT_EQ(running, 0);
}

TEST(task_group_stress, exceptions_and_cancellation_leave_nothing_behind) {
  on_each_shape<engine>(shapes(), [](engine& e, const shape&) {
    for (std::uint32_t seed = 1; seed <= static_cast<std::uint32_t>(reps(30)); ++seed) {
      census c;
      try {
        e.run([&] { failing<engine>(c, seed, 4); });
      } catch (const std::runtime_error&) {
      }
      ASSERT_EQ(c.alive, 0);
      ASSERT_EQ(e.run([] { return 5; }), 5);
    }
  });
}

// The group is gone as soon as its last task, on another worker, has been counted: under ASan a late touch shows.
TEST(task_group_stress, groups_are_destroyed_right_after_the_wait) {
  on_each_shape<engine>(shapes({2, 3, 8}), [](engine& e, const shape&) {
    e.run([] {
      for (int round = 0; round < reps(2000); ++round) {
        const auto group = std::make_unique<engine::task_group>();
        for (int i = 0; i < 4; ++i) group->spawn([] { engine::poll(); });
        engine::poll();
        group->wait();
      }
    });
  });
}

// All workers spawn into one group while its owner waits.
TEST(task_group_stress, everybody_spawns_into_one_group) {
  on_each_shape<engine>(shapes({1, 2, 3, 8}), [](engine& e, const shape&) {
    for (int round = 0; round < reps(10); ++round) {
      std::atomic<int> ran{0};
      const auto before = e.counters()[leat::event::tasks];
      e.run([&] {
        engine::task_group group;
        for (int i = 0; i < 20; ++i) {
          group.spawn([&] {
            ++ran;
            for (int k = 0; k < 50; ++k) {
              group.spawn([&ran] { ++ran; });
              if (k % 10 == 0) engine::spawn([&ran] { ++ran; });
            }
          });
        }
        group.wait();
        EXPECT_GE(ran, 20 * 51);
      });
      ASSERT_EQ(ran, 20 * 56);
      ASSERT_EQ(e.counters()[leat::event::tasks] - before, 20u * 56u) << "tombstones count for their tasks";
    }
  });
}

// A group that is made while the one around it is being cancelled is inside a cancelled one, once that is done.
TEST(task_group_stress, groups_made_meanwhile_are_cancelled_too) {
  using group = engine::task_group;
  const long rounds = reps(2000);
  std::atomic<group*> target{nullptr};
  std::atomic<group*> beside{nullptr};
  std::atomic<long> asked{-1};
  std::atomic<long> cancelled{-1};
  std::thread canceller([&] {
    std::minstd_rand random(1);
    for (long round = 0; round < rounds; ++round) {
      while (asked != round) {
      }
      for (std::atomic<unsigned> spin{static_cast<unsigned>(random() % 128)}; spin != 0; --spin) {
      }
      beside.load()->cancel();  // what others note of cancellations is out of date then
      target.load()->cancel();
      cancelled = round;
    }
  });
  engine e(shape{1});
  long missed = 0;
  e.run([&] {
    group other;
    beside = &other;
    group outer;
    outer.spawn([&] {
      group middle;
      target = &middle;
      for (long round = 0; round < rounds; ++round) {
        middle.spawn([&] {
          asked = round;
          for (bool end = false; !end;) {
            end = middle.cancelled();
            group inner;
            end = end || cancelled == round;
            while (end && cancelled != round) {
            }
            if (end && !inner.cancelled()) ++missed;
          }
        });
        middle.wait();
      }
    });
    outer.wait();
  });
  canceller.join();
  EXPECT_EQ(missed, 0) << "of " << rounds;
}

}  // namespace
