// The watchdog: workers in long tasks are interrupted, and hand over what they have.
#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"
#include "leat/task/fork_join.hpp"
#include "leat/task/task_group.hpp"

namespace {

using leat::event;
using leat_test::engine;
using leat_test::shape;

constexpr std::uint64_t never = 0;

// What a long task does: it looks whether something has become true, for ten seconds at most, and never calls the runtime.
// TSan delivers signals at the calls that it knows.
template <class Ready>
bool computes_until(Ready ready) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!ready()) {
    if (std::chrono::steady_clock::now() > end) return false;
#if defined(LEAT_UNDER_TSAN)
    usleep(0);
#endif
  }
  return true;
}

void compute_for(std::chrono::milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  computes_until([end] { return std::chrono::steady_clock::now() > end; });
}

// For the calling thread.
void block_interrupts(int how) {
  sigset_t urgent;
  sigemptyset(&urgent);
  sigaddset(&urgent, SIGURG);
  ASSERT_EQ(pthread_sigmask(how, &urgent, nullptr), 0);
}

class watch : public ::testing::Test {
 protected:
  // Runs body(open) as a root while every other worker is busy, until open() is called: so nobody asks for what is
  // spawned before that, and all do afterwards.
  template <class Body>
  static void while_others_are_busy(engine& e, Body body) {
    std::atomic<std::uint32_t> busy{0};
    std::atomic<bool> opened{false};
    e.run([&] {
      for (std::uint32_t i = 1; i < e.workers(); ++i) {
        engine::spawn([&] {
          ++busy;
          EXPECT_TRUE(computes_until([&] { return opened.load(); }));
        });
      }
      EXPECT_TRUE(leat_test::comes_true([&] { return engine::poll(), busy + 1 == e.workers(); }));
      body([&] { opened = true; });
    });
  }

  // The root hides `tasks` tasks behind a long one.
  static void expect_found(shape s, int tasks) {
    SCOPED_TRACE(s.name() + ", " + std::to_string(tasks) + " tasks");
    engine e(s);
    std::atomic<int> ran{0};
    while_others_are_busy(e, [&](auto open) {
      const auto me = engine::here();
      for (int i = 0; i < tasks; ++i) {
        engine::spawn([&, me] {
          EXPECT_NE(engine::here(), me);
          ++ran;
        });
      }
      open();
      EXPECT_TRUE(computes_until([&] { return ran == tasks; })) << ran << " ran";
    });
    EXPECT_EQ(ran, tasks);
    if (leat_test::all_is_public()) return;  // nobody need be interrupted
    EXPECT_GE(e.counters()[event::interrupts], 1u);
    EXPECT_GE(e.counters()[event::interrupted_polls], 1u);
  }
};

TEST_F(watch, finds_what_is_hidden_behind_a_long_task) {
  for (const std::uint32_t workers : {2u, 3u, 8u, 64u}) {
    for (const std::uint64_t spin : {std::uint64_t{0}, std::uint64_t{20'000}, std::uint64_t{200'000}}) {
      for (const int tasks : {1, 2, 30}) this->expect_found({workers, 1u << 13, spin}, tasks);
    }
  }
}

TEST_F(watch, does_nothing_when_it_is_turned_off) {
  if (leat_test::all_is_public()) return;  // and taken without it
  for (const std::uint32_t workers : {2u, 8u, 64u}) {
    shape s{workers};
    s.interrupt_after_ns = never;
    engine e(s);
    std::atomic<int> ran{0};
    this->while_others_are_busy(e, [&](auto open) {
      for (int i = 0; i < 3; ++i) engine::spawn([&] { ++ran; });
      open();
      compute_for(std::chrono::milliseconds(50));
      EXPECT_EQ(ran, 0) << "nobody can have them";
    });
    EXPECT_EQ(ran, 3);
    EXPECT_EQ(e.counters()[event::interrupts], 0u);
    EXPECT_EQ(e.counters()[event::interrupted_polls], 0u);
  }
}

TEST_F(watch, waits_as_long_as_it_was_told) {
  shape s{2};
  s.interrupt_after_ns = 3'600'000'000'000;
  engine e(s);
  std::atomic<int> ran{0};
  this->while_others_are_busy(e, [&](auto open) {
    engine::spawn([&] { ++ran; });
    open();
    compute_for(std::chrono::milliseconds(50));
    EXPECT_EQ(ran, 0);
  });
  EXPECT_EQ(e.counters()[event::interrupts], 0u);
}

TEST_F(watch, finds_a_future_before_it_is_asked_for) {
  for (const std::uint32_t workers : {2u, 8u, 64u}) {
    engine e(shape{workers});
    std::atomic<bool> ran{false};
    this->while_others_are_busy(e, [&](auto open) {
      auto f = engine::async([&] {
        ran = true;
        return 7;
      });
      open();
      EXPECT_TRUE(computes_until([&] { return ran.load(); }));
      EXPECT_EQ(f.get(), 7);
    });
  }
}

template <class E, class F, class G>
void plain_fork(F f, G g) {
  leat::task::fork_join<typename E::platform>(f, g);
}
template <class E, class F, class G>
void context_fork(F f, G g) {
  using P = typename E::platform;
  leat::task::fork_join<P>([&](leat::task::context<P>) { f(); }, [&](leat::task::context<P>) { g(); });
}

TEST_F(watch, finds_a_fork_before_it_is_joined) {
  for (const std::uint32_t workers : {2u, 8u, 64u}) {
    engine e(shape{workers});
    for (const bool plain : {true, false}) {
      std::atomic<int> ran{0};
      this->while_others_are_busy(e, [&](auto open) {
        const auto first = [&] {
          open();
          EXPECT_TRUE(computes_until([&] { return ran == 1; }));
        };
        const auto second = [&] { ++ran; };
        if (plain) plain_fork<engine>(first, second);
        else context_fork<engine>(first, second);
      });
      EXPECT_EQ(ran, 1);
    }
  }
}

// All the group's other tasks lie with the one worker that has taken them and executes one of them. (With several such workers the
// one that is asked may have none left: LEAPFROG-5.)
TEST_F(watch, finds_tasks_of_a_group_for_who_waits_for_it) {
  engine e(shape{2});
  for (int round = 0; round < 5; ++round) {
    std::atomic<int> ran{0};
    const int tasks = 20;
    e.run([&] {
      engine::task_group group;
      for (int i = 0; i < tasks; ++i) {
        group.spawn([&, root = engine::here()] {
          ++ran;
          if (engine::here() != root) {
            EXPECT_TRUE(computes_until([&] { return ran == tasks; }));
          }
        });
      }
      group.wait();
    });
    EXPECT_EQ(ran, tasks);
  }
}

// All sleep, without a clock, when the run begins.
TEST_F(watch, begins_with_a_run) {
  for (const std::uint32_t workers : {2u, 8u, 64u}) {
    SCOPED_TRACE(workers);
    engine e(shape{workers});
    for (int round = 0; round < 3; ++round) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      std::atomic<int> ran{0};
      e.run([&] {
        for (std::uint32_t i = 0; i < 2 * workers; ++i) engine::spawn([&] { ++ran; });
        EXPECT_TRUE(computes_until([&] { return ran == static_cast<int>(2 * workers); }));
      });
    }
  }
}

// The first fork of a run hides behind a long callable. Nobody asked the root since it has it: their requests are
// pooled.
TEST_F(watch, finds_the_only_fork_of_a_run) {
  for (const std::uint32_t workers : {2u, 8u, 64u}) {
    SCOPED_TRACE(workers);
    engine e(shape{workers});
    for (const bool plain : {true, false}) {
      for (const bool looked : {true, false}) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        std::atomic<bool> ran{false};
        e.run([&] {
          if (looked) {
            const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
            while (std::chrono::steady_clock::now() < end) engine::poll();
          }
          const auto first = [&] { EXPECT_TRUE(computes_until([&] { return ran.load(); })); };
          const auto second = [&] { ran = true; };
          if (plain) plain_fork<engine>(first, second);
          else context_fork<engine>(first, second);
        });
        EXPECT_TRUE(ran);
      }
    }
  }
}

// A long task that has nothing to give is left alone more and more.
TEST_F(watch, interrupts_in_vain_ever_more_rarely) {
  shape s{4};
  s.interrupt_after_ns = 50'000;
  engine e(s);
  e.run([] { compute_for(std::chrono::milliseconds(200)); });
  // By doubling up to 10 ms: 8 until then, and 20 at that pace; and those by whom the root was asked itself.
  EXPECT_LE(e.counters()[event::interrupted_polls], 8u + 20u + 3u);
}

// The root takes no signals, so it is interrupted again and again: by whoever is left to keep watch.
TEST_F(watch, is_kept_by_another_when_the_keeper_finds_work) {
  for (const std::uint32_t workers : {2u, 4u, 16u}) {
    SCOPED_TRACE(workers);
    engine e(shape{workers});
    std::atomic<bool> opened{false};
    std::atomic<bool> done{false};
    const auto goes_on = [&] {
      const auto before = e.counters()[event::interrupts];
      return leat_test::comes_true([&] { return e.counters()[event::interrupts] >= before + 3; });
    };
    std::vector<std::thread> others;
    std::thread first([&] {
      this->while_others_are_busy(e, [&](auto open) {
        block_interrupts(SIG_BLOCK);
        engine::spawn([] {});
        engine::spawn([] {});
        open();
        opened = true;
        EXPECT_TRUE(computes_until([&] { return done.load(); }));
        block_interrupts(SIG_UNBLOCK);
      });
    });
    // Not before: another run would take a worker that the first has to make busy.
    EXPECT_TRUE(leat_test::comes_true([&] { return opened.load(); }));
    EXPECT_TRUE(goes_on());
    for (std::uint32_t busy = 2; busy < workers; ++busy) {
      std::atomic<bool> begun{false};
      others.emplace_back([&] {
        e.run([&] {
          begun = true;
          EXPECT_TRUE(computes_until([&] { return done.load(); }));
        });
      });
      EXPECT_TRUE(leat_test::comes_true([&] { return begun.load(); }));
      EXPECT_TRUE(goes_on()) << busy << " are busy";
    }
    done = true;
    first.join();
    for (auto& t : others) t.join();
  }
}

// One thief wants only tasks of a run that has none to give, so that the root offers in vain and is not asked any more.
// Then another comes, who takes any.
TEST_F(watch, tells_who_offered_in_vain_of_new_thieves) {
  for (int round = 0; round < 5; ++round) {
    engine e(shape{4});
    std::atomic<bool> in_barrier{false};
    std::atomic<bool> busy{false};
    std::atomic<bool> opened{false};
    std::atomic<bool> ran{false};
    std::thread other([&] {
      e.run([&] {
        std::atomic<bool> begun{false};
        engine::spawn([&] {
          begun = true;
          EXPECT_TRUE(computes_until([&] { return ran.load(); }));
        });
        EXPECT_TRUE(leat_test::comes_true([&] { return engine::poll(), begun.load(); }));
        in_barrier = true;
        engine::barrier();
      });
    });
    EXPECT_TRUE(leat_test::comes_true([&] { return in_barrier.load(); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // its request is pooled
    e.run([&] {
      engine::spawn([&] {
        busy = true;
        EXPECT_TRUE(computes_until([&] { return opened.load(); }));
      });
      EXPECT_TRUE(leat_test::comes_true([&] { return engine::poll(), busy.load(); }));
      engine::spawn([&] { ran = true; });
      opened = true;
      EXPECT_TRUE(computes_until([&] { return ran.load(); }));
    });
    other.join();
  }
}

// Workers inherit the mask of the thread that makes the runtime.
TEST_F(watch, works_where_all_signals_are_blocked) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &all, &before), 0);
  this->expect_found(shape{2}, 1);
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
}

TEST_F(watch, leaves_those_alone_who_answer) {
  shape s{2};
  s.interrupt_after_ns = 1'000'000'000;  // who answers may be kept from it by the system for a while
  engine e(s);
  std::atomic<int> ran{0};
  this->while_others_are_busy(e, [&](auto open) {
    for (int i = 0; i < 10; ++i) engine::spawn([&] { ++ran; });
    open();
    EXPECT_TRUE(leat_test::comes_true([&] { return engine::poll(), ran == 10; }));
  });
  EXPECT_EQ(e.counters()[event::interrupts], 0u);
}

}  // namespace
