// An interrupt between any two instructions of what a worker does without protection: the machine executes one instruction at a
// time, and at the k-th of them another worker asks for tasks. The parameter is how many such k are tried, evenly spread; all of
// them where the code has no more instructions. Each instruction that is executed by itself costs a trap: up to 30 us on a virtual machine.
#include <gtest/gtest.h>

#include "engines.hpp"
#include "leat/task/fork_join.hpp"
#include "stepping.hpp"

#if defined(LEAT_TEST_STEPPING)

#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>

namespace {

using leat::event;
using leat_test::engine;
using leat_test::shape;
using leat_test::stepping;

class interrupted_code : public ::testing::TestWithParam<int> {
 protected:
  static constexpr int tasks_max = 8;

  // A run on one worker, while another is busy until the interrupt, and wants tasks then.
  struct world {
    explicit world(std::size_t capacity, std::uint32_t workers = 2) : e(make_shape(capacity, workers)) {}
    static shape make_shape(std::size_t capacity, std::uint32_t workers) {
      shape s{workers, capacity};
      s.interrupt_after_ns = 10'000'000'000;  // claims the handler; we interrupt ourselves
      s.spares = 0;  // a thread that is started while we step would step, too
      return s;
    }
    engine e;
    bool one_asks = true;  // and no other
    std::atomic<bool> opened{false};
    std::atomic<std::uint64_t> stolen{0};
    std::array<std::atomic<int>, tasks_max> ran{};
  };
  static inline world* now = nullptr;

  // The interrupt is repeated until it comes after the other worker's request, and so may give something away. The request raises
  // this worker's limit. Where that is raised for others, too, or the worker is away, the interrupt is repeated for a while: for
  // longer as long as no interrupt has given anything away.
  static void interrupt() {
    using namespace std::chrono;
    const auto* const me = leat::scheduler::worker<engine::platform>::current();
    const std::uint64_t looks = now->e.counters()[event::interrupted_polls];
    const std::uint64_t pooled = now->e.counters()[event::requests_pooled];
    now->opened = true;
    leat_test::comes_true([&] { return now->e.counters()[event::requests_pooled] != pooled; });
    const auto end = steady_clock::now() + (now->stolen != 0 ? microseconds(100) : microseconds(100'000));
    for (bool asked = false; !asked;) {
      asked = now->one_asks && me != nullptr && me->stack().tasks.is_poll_requested();
      pthread_kill(pthread_self(), SIGURG);
      if (now->e.counters()[event::interrupted_polls] != looks || steady_clock::now() >= end) return;
    }
  }

  // Interrupts `program`, which counts up now->ran[i] once for each i < tasks.
  template <class Program>
  void at_each_instruction(std::size_t capacity, int tasks, Program program) {
    world w(capacity);
    at_each_instruction_in(w, tasks, GetParam(), program);
  }

  template <class Program>
  void at_each_instruction_in(world& w, int tasks, long interrupts, Program program) {
    now = &w;
    const stepping by_one(interrupt);
    auto& stolen = w.stolen;
    const long steps = never_interrupted - run_interrupted_at(never_interrupted, program);
    const long stride = steps / interrupts + 1;
    for (long step = 1; step <= steps; step += stride) {
      for (auto& count : w.ran) count = 0;
      run_interrupted_at(step, program);
      for (std::size_t i = 0; i < static_cast<std::size_t>(tasks); ++i) {
        ASSERT_EQ(w.ran[i], 1) << "task " << i << ", interrupted at " << step << " of " << steps;
      }
    }
    RecordProperty("steps", static_cast<int>(steps));
    RecordProperty("stolen", static_cast<int>(stolen));
    EXPECT_GT(steps, 30);
    EXPECT_GT(stolen, 0u);
  }

 private:
  static constexpr long never_interrupted = 1'000'000'000;

  // Returns the steps that were left at the end; adds the tasks that the other worker got.
  template <class Program>
  static long run_interrupted_at(long step, Program program) {
    world& w = *now;
    w.opened = false;
    stepping::left = step;
    const auto before = w.e.counters()[event::tasks_stolen];
    std::atomic<bool> busy{false};
    w.e.run([&] {
      engine::spawn([&] {
        busy = true;
        leat_test::comes_true([&] { return w.opened.load(); });
      });
      leat_test::comes_true([&] { return engine::poll(), busy.load(); });
      engine::async([] {}).get();  // gets memory, which is not what we step through
      // The oldest task, and the last that this worker comes upon.
      engine::spawn([&w] {
        stepping::end();
        w.opened = true;
      });
      stepping::begin();
      program();
    });
    w.stolen += w.e.counters()[event::tasks_stolen] - before - 1;
    return stepping::left;
  }
};

TEST_P(interrupted_code, spawns_and_pops_each_task_once) {
  const auto spawn = [](std::size_t i) { engine::spawn([i] { ++interrupted_code::now->ran[i]; }); };
  this->at_each_instruction(1u << 13, 3, [&] {
    for (std::size_t i = 0; i < 3; ++i) spawn(i);
  });
}

TEST_P(interrupted_code, spawns_into_deques_that_grow) {
  const auto spawn = [](std::size_t i) { engine::spawn([i] { ++interrupted_code::now->ran[i]; }); };
  this->at_each_instruction(1, 5, [&] {
    for (std::size_t i = 0; i < 5; ++i) spawn(i);
  });
}

// The record of the first is spent when the second is taken back, and cleared away then.
TEST_P(interrupted_code, clears_spent_records_away_once) {
  const auto task = [](std::size_t i) { return [i] { return ++interrupted_code::now->ran[i]; }; };
  this->at_each_instruction(1u << 13, 2, [&] {
    auto a = engine::async(task(0));
    auto b = engine::async(task(1));
    EXPECT_EQ(a.get(), 1);
    EXPECT_EQ(b.get(), 1);
  });
}

TEST_P(interrupted_code, joins_each_fork_once) {
  using P = engine::platform;
  const auto task = [](std::size_t i) { return [i] { return ++interrupted_code::now->ran[i]; }; };
  this->at_each_instruction(
      1u << 13, 3, [&] { leat::task::fork_join<P>([&] { leat::task::fork_join<P>(task(0), task(1)); }, task(2)); });
}

TEST_P(interrupted_code, joins_each_fork_in_a_context_once) {
  using P = engine::platform;
  using context = leat::task::context<P>;
  const auto task = [](std::size_t i) { return [i](context) { return ++interrupted_code::now->ran[i]; }; };
  this->at_each_instruction(1u << 13, 3, [&] {
    leat::task::fork_join<P>([&](context c) { leat::task::fork_join<P>(c, task(0), task(1)); }, task(2));
  });
}

TEST_P(interrupted_code, runs_each_task_of_a_group_once) {
  this->at_each_instruction(1u << 13, 4, [&] {
    engine::task_group group;
    for (std::size_t i = 0; i < 3; ++i) group.spawn([i] { ++interrupted_code::now->ran[i]; });
    group.wait();
    group.spawn([] { ++interrupted_code::now->ran[3]; });
    group.wait();
  });
}

// The same where each pop looks, as somebody of another run waits for tasks in vain.
TEST_P(interrupted_code, pops_each_task_once_while_it_is_asked) {
  interrupted_code::world w(1u << 13, 4);
  w.one_asks = false;
  std::atomic<bool> begun{false}, over{false};
  std::thread other_run([&] {
    w.e.run([&] {
      auto f = engine::async([&] {
        begun = true;
        over.wait(false);
      });
      while (!begun) engine::poll();
      f.wait(leat::task::wait::any);
    });
  });
  // Each worker's request has been pooled when it was idle, and the waiting one's a second time.
  EXPECT_TRUE(leat_test::comes_true([&] { return begun && w.e.counters()[event::requests_pooled] > w.e.workers(); }));
  const auto spawn = [](std::size_t i) { engine::spawn([i] { ++interrupted_code::now->ran[i]; }); };
  this->at_each_instruction_in(w, 2, 3 * GetParam(), [&] {
    stepping::end();
    for (std::size_t i = 0; i < 2; ++i) spawn(i);
    stepping::begin();
  });
  over = true;
  over.notify_one();
  other_run.join();
}

// While it is blocked each thread that asks it polls for it.
TEST_P(interrupted_code, leaves_and_comes_back) {
  const auto spawn = [](std::size_t i) { engine::spawn([i] { ++interrupted_code::now->ran[i]; }); };
  interrupted_code::world w(1u << 13);
  this->at_each_instruction_in(w, 3, GetParam() / 2, [&] {
    spawn(0);
    engine::fork_join([&] { engine::blocking([] {}); }, [] { ++interrupted_code::now->ran[1]; });
    spawn(2);
  });
}

// The slot of a fork that has come back is nobody's before the stack says so.
TEST_P(interrupted_code, joins_what_was_given_away_once) {
  interrupted_code::world w(1u << 13);
  interrupted_code::now = &w;
  const stepping by_one([] { pthread_kill(pthread_self(), SIGURG); });
  // Returns the steps that were left at the end.
  const auto join_interrupted_at = [&](auto call_both, long step) {
    stepping::left = step;
    std::atomic<bool> begun{false};
    w.ran[0] = 0;
    w.e.run([&] {
      const std::uint32_t waiter = engine::here();
      call_both(
          [&] {
            leat_test::comes_true([&] { return engine::poll(), begun.load(); });
            // The other has done it, and asks for more.
            const std::uint64_t pooled = w.e.counters()[event::requests_pooled];
            begun = false;
            leat_test::comes_true([&] { return w.e.counters()[event::requests_pooled] != pooled; });
            engine::poll();
            stepping::begin();
          },
          [&] {
            ++w.ran[0];
            if (engine::here() == waiter) return;
            begun = true;
            leat_test::comes_true([&] { return !begun; });
          });
      stepping::end();
    });
    return stepping::left.load();
  };
  const auto plain = [](auto f, auto g) { engine::fork_join(f, g); };
  const auto marked = [](auto f, auto g) {
    using context = engine::context;
    engine::fork_join([&](context) { f(); }, [&](context) { g(); });
  };
  const auto at_each = [&](auto call_both) {
    constexpr long many = 1'000'000;
    const long steps = many - join_interrupted_at(call_both, many);
    EXPECT_GT(steps, 30);
    const long stride = steps / GetParam() + 1;
    for (long step = 1; step <= steps; step += stride) {
      join_interrupted_at(call_both, step);
      ASSERT_EQ(w.ran[0], 1) << "interrupted at " << step << " of " << steps;
    }
  };
  at_each(plain);
  at_each(marked);
}

TEST_P(interrupted_code, takes_futures_back_or_not) {
  const auto task = [](std::size_t i) { return [i] { return ++interrupted_code::now->ran[i]; }; };
  this->at_each_instruction(1u << 13, 3, [&] {
    auto a = engine::async(task(0));
    auto b = engine::async(task(1));
    EXPECT_EQ(b.get(), 1);
    auto c = engine::async(task(2));
    EXPECT_EQ(c.get(), 1);
    EXPECT_EQ(a.get(), 1);
  });
}

INSTANTIATE_TEST_SUITE_P(interrupts, interrupted_code,
                         testing::Values(leat_test::sanitized ? 20 : 60, leat_test::sanitized ? 100 : 400),
                         [](const auto& instance) {
                           return "at_" + std::to_string(instance.param) + (instance.index == 0 ? "" : "_long");
                         });

}  // namespace

#endif
