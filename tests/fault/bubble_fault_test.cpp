// User-level threads and bubbles when memory is short, and in processes that fork.
#include <gtest/gtest.h>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <new>
#include <string>

#include "carried.hpp"
#include "fault/memory.hpp"

namespace {

using leat_test::engine;
using leat_test::shape;
using on = leat_test::carried<engine>;

// At each of its allocations in turn. The bubble has one thread before that, which never begins.
TEST(bubble_fault, a_spawn_without_memory_discards_what_has_not_begun) {
  engine e(shape{2});
  bool failed = true;
  for (long k = 0; failed; ++k) {
    ASSERT_LT(k, 20);
    failed = false;
    std::atomic<int> ran{0};
    const auto spawns = [&] {
      typename on::bubble b;
      b.spawn([&] { ++ran; });
      {
        const leat_test::failing_allocation next(k);
        b.spawn([&] { ++ran; });
      }
      b.wake();
      b.join();
    };
    try {
      on::run(e, "pu:2", spawns);
    } catch (const std::bad_alloc&) {
      failed = true;
    }
    EXPECT_EQ(ran, failed ? 0 : 2);
  }
}

class thread_in_a_fault : public ::testing::Test {
 protected:
  // A death test of a program with threads begins anew in a process of its own.
  void SetUp() override { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

// ThreadSanitizer's own pthread_exit does not know fibres, and ends the process before leat can.
#if defined(LEAT_UNDER_TSAN)
constexpr const char* exit_message = "ThreadSanitizer: CHECK failed";
#else
constexpr const char* exit_message = "leat: a task called pthread_exit";
#endif

TEST_F(thread_in_a_fault, ends_the_process_by_pthread_exit) {
  const auto exits = [] {
    engine e(shape{2});
    on::run(e, "pu:2", [] {
      typename on::thread t([] { pthread_exit(nullptr); });
      t.join();
    });
  };
  EXPECT_DEATH(exits(), exit_message);
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
