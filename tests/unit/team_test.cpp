// leat::team, as a user has it. What its thread is: primary_test.cpp.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

using leat_test::with_workers;

TEST(team, calls_on_the_calling_thread) {
  leat::team t(with_workers(3));
  EXPECT_EQ(t.workers(), 3u);
  EXPECT_EQ(t.runtime().options().workers, 3u);
  int x = 0;
  int& same = t.call([&]() -> int& { return x; });
  EXPECT_EQ(&same, &x);
  EXPECT_EQ(t.caller(), 0u);
  EXPECT_FALSE(t.has_caller());
}

TEST(team, refuses_options_that_make_no_sense) {
  try {
    leat::team t(with_workers(0));
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "leat: workers = 0: must be between 1 and 4096");
  }
}

TEST(team, has_all_constructs) {
  leat::team t(with_workers(3));
  leat::worker_local<long> of_worker(t.runtime());
  long n = leat_test::reps(100'000);
  const long sum = t.call([&] {
    leat::parallel_for(0L, n, [&](long) { of_worker.local() += 1; });
    auto later = leat::async([n] { return n * (n - 1) / 2; });
    const long now = leat::parallel_reduce(0L, n, 0L, [](long i) { return i; }, [](long a, long b) { return a + b; });
    EXPECT_EQ(later.get(), now);
    return now;
  });
  EXPECT_EQ(sum, n * (n - 1) / 2);
  EXPECT_EQ(of_worker.combine(0L, [](long a, long b) { return a + b; }), n);
}

TEST(team, refuses_other_threads) {
  leat::team t(with_workers(2));
  std::thread([&] { EXPECT_THROW(t.call([] {}), leat::not_a_worker); }).join();
  t.call([&] { leat::blocking([&] { EXPECT_THROW(t.call([] {}), leat::not_a_worker); }); });
  t.call([] {});
}

TEST(team, is_not_entered_again_beneath_another_one) {
  leat::team outer(with_workers(2)), inner(with_workers(2));
  outer.call([&] {
    const auto enter_again = [&] {
      try {
        outer.call([] {});
        ADD_FAILURE() << "entered";
      } catch (const leat::not_a_worker& e) {
        EXPECT_NE(std::string(e.what()).find("that it entered in a call of this one"), std::string::npos) << e.what();
      }
    };
    inner.call(enter_again);
    int calls = 0;
    outer.call([&] { ++calls; });
    EXPECT_EQ(calls, 1);
  });
}

TEST(team, is_named_where_a_construct_is_called_outside) {
  leat::team t(with_workers(1));
  try {
    leat::spawn([] {});
    FAIL();
  } catch (const leat::not_a_worker& e) {
    EXPECT_STREQ(e.what(), "leat::spawn: this thread is not a worker; call it inside runtime::run or team::call");
  }
}

/// The exit status of a child in which body() returns what that is to be.
template <class Body>
int status_in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(team, has_no_use_in_a_forked_child) {
  leat::team t(with_workers(2));
  t.call([] {});
  const auto refused = [&] {
    try {
      t.call([] {});
    } catch (const leat::forked_process&) {
      return 3;
    }
    return 4;
  };
  EXPECT_EQ(status_in_child(refused), 3);
  t.call([&] { EXPECT_EQ(status_in_child(refused), 3); });
  t.call([] { leat::fork_join([] {}, [] {}); });
}

[[noreturn]] void exit_inside() {
  static leat::team t(with_workers(3));
  t.call([] { leat::fork_join([] { std::exit(7); }, [] {}); });
  std::_Exit(1);
}

TEST(team, is_left_as_it_is_when_a_task_calls_exit) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(exit_inside(), ::testing::ExitedWithCode(7), "");
}

}  // namespace
