// A task ends the thread of the system that executes it, which is the runtime's.
#include <gtest/gtest.h>

#include <pthread.h>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

using leat_test::with_workers;

void exits() { pthread_exit(nullptr); }

void is_cancelled() {
  pthread_cancel(pthread_self());
  pthread_testcancel();
}

class thread_that_ends : public ::testing::TestWithParam<void (*)()> {
 protected:
  // A death test of a program with threads begins anew in a process of its own.
  void SetUp() override { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }

  template <class F>
  static void expect_message(F f) {
    const auto in_run = [&] {
      leat::runtime rt(with_workers(2));
      rt.run(f);
    };
    EXPECT_DEATH(in_run(), "leat: a task called pthread_exit\\(\\), or its thread was cancelled");
  }
};

TEST_P(thread_that_ends, in_a_root) { expect_message(GetParam()); }

TEST_P(thread_that_ends, in_a_task) {
  expect_message([end = GetParam()] { leat::spawn(end); });
}

TEST_P(thread_that_ends, in_a_fork) {
  expect_message([end = GetParam()] { leat::fork_join(end, [] {}); });
  expect_message([end = GetParam()] { leat::fork_join([] {}, end); });
}

TEST_P(thread_that_ends, in_a_group) {
  expect_message([end = GetParam()] {
    leat::task_group g;
    g.spawn(end);
    g.wait();
  });
}

// Of several exceptions of a group the first is kept alone.
TEST_P(thread_that_ends, in_a_group_that_has_failed) {
  expect_message([end = GetParam()] {
    leat::task_group g;
    g.spawn([] { throw 1; });
    g.spawn([&g, end] {
      while (!g.cancelled()) leat::poll();
      end();
    });
    g.wait();
  });
}

TEST_P(thread_that_ends, in_a_future) {
  expect_message([end = GetParam()] { leat::async(end).get(); });
}

TEST_P(thread_that_ends, in_a_loop) {
  expect_message([end = GetParam()] {
    leat::parallel_for(0, 100, [end](int i) {
      if (i == 50) end();
    });
  });
}

TEST_P(thread_that_ends, in_a_blocking_call) {
  expect_message([end = GetParam()] { leat::blocking(end); });
}

INSTANTIATE_TEST_SUITE_P(each_way, thread_that_ends, ::testing::Values(exits, is_cancelled));

}  // namespace
