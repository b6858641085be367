// User-level threads that end their thread of the system, or fork.
#include <gtest/gtest.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "carried.hpp"

namespace {

using leat_test::engine;
using leat_test::shape;
using on = leat_test::carried<engine>;

class thread_in_a_fault : public ::testing::Test {
 protected:
  // A death test of a program with threads begins anew in a process of its own.
  void SetUp() override { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(thread_in_a_fault, ends_the_process_by_pthread_exit) {
  const auto exits = [] {
    engine e(shape{2});
    on::run(e, "pu:2", [] {
      typename on::thread t([] { pthread_exit(nullptr); });
      t.join();
    });
  };
  EXPECT_DEATH(exits(), "leat: a task called pthread_exit");
}

// The parent ends as its child does.
TEST_F(thread_in_a_fault, aborts_in_the_child_of_a_fork) {
  const auto forks = [](bool throws) {
    engine e(shape{2});
    on::run(e, "pu:2", [throws] {
      const pid_t child = fork();
      if (child == 0) {
        alarm(20);
        if (throws) throw 1;
        return;
      }
      int status = 0;
      waitpid(child, &status, 0);
      if (WIFSIGNALED(status)) raise(WTERMSIG(status));
    });
  };
  for (const bool throws : {false, true})
    EXPECT_EXIT(forks(throws), ::testing::KilledBySignal(SIGABRT),
                "leat: a task returned or threw in the child of a fork");
}

}  // namespace
