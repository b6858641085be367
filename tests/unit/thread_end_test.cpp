// The end of run_threads: things that are still under way then, and those that come after it.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "carried.hpp"

namespace {

using leat_test::carrying_shapes;
using leat_test::engine;
using leat_test::machine_of;
using leat_test::on_each_shape;
using leat_test::reps;
using leat_test::shape;

TEST(thread_end, gives_handles_that_outlive_it_what_their_threads_let_out) {
  using on = leat_test::carried<engine>;
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    typename on::thread joined, detached, quiet;
    on::run(e, machine_of(s.workers), [&] {
      joined = typename on::thread([] { throw std::runtime_error("thrown"); });
      detached = typename on::thread([] { throw std::runtime_error("thrown"); });
      quiet = typename on::thread([] {});
    });
    EXPECT_THROW(joined.join(), std::runtime_error);
    EXPECT_THROW(detached.detach(), std::runtime_error) << "run_threads cannot throw it any more";
    EXPECT_FALSE(detached.joinable());
    EXPECT_NO_THROW(quiet.detach());
  });
}

// A task on top of a compensating carrier blocks when no thread is left: another offer is made while the run waits for the first.
TEST(thread_end, waits_for_compensating_workers_whose_tasks_block_when_all_is_over) {
  using on = leat_test::carried<engine>;
  shape s{2};
  s.spares = 3;
  engine e(s);
  for (int i = 0; i < reps(8); ++i) {
    typename on::mutex outer, inner;
    outer.lock();
    inner.lock();
    std::atomic<bool> begun{false}, other{false}, over{false}, blocks{false};
    const auto until = [](const std::atomic<bool>& set) {
      while (!set) std::this_thread::yield();
    };
    std::thread stranger([&] {
      until(begun);
      outer.unlock();
      until(blocks);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      inner.unlock();
    });
    on::run(e, "pu:2", [&] {
      typename on::thread([&] {
        other = true;
        until(over);
      }).detach();
      until(other);
      typename on::thread([&] {
        engine::spawn([&] {
          begun = true;
          until(over);
          std::this_thread::sleep_for(std::chrono::milliseconds(2));
          blocks = true;
          inner.lock();
        });
      }).detach();
      engine::fork_join([&] { outer.lock(); }, [] {});
      over = true;
    });
    stranger.join();
  }
}

void handled(int) {}

// Of a program that installs one while threads are carried.
TEST(thread_end_public, keeps_a_handler_of_the_program) {
  using on = leat_test::carried<engine>;
  struct sigaction before = {}, now = {};
  ASSERT_EQ(sigaction(SIGSEGV, nullptr, &before), 0);
  {
    engine e(shape{1});
    on::run(e, "pu:1", [] {
      struct sigaction mine = {};
      mine.sa_handler = handled;
      sigaction(SIGSEGV, &mine, nullptr);
    });
    sigaction(SIGSEGV, &before, &now);
    EXPECT_EQ(now.sa_handler, handled);
    on::run(e, "pu:1", [] {});
    sigaction(SIGSEGV, nullptr, &now);
    EXPECT_EQ(now.sa_handler, before.sa_handler) << "put back where nobody has installed another";
  }
}

}  // namespace
