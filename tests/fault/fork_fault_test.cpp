// A process that forks: the child has the runtime's memory but none of its threads.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

leat::options with_workers(std::uint64_t n) {
  leat::options o;
  o.workers = n;
  return o;
}

// Forks, and expects the child to leave with 0. A child that hangs is killed.
template <class F>
void in_child(F f) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    _exit(f());
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_FALSE(WIFSIGNALED(status)) << "signal " << WTERMSIG(status);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << WEXITSTATUS(status);
}

TEST(fork_fault, run_in_the_child_is_an_error_that_says_so) {
  leat::runtime rt(with_workers(2));
  EXPECT_EQ(rt.run([] { return 1; }), 1);
  in_child([&] {
    for (int i = 0; i < 2; ++i) {
      try {
        rt.run([] { return 1; });
        return 1;
      } catch (const leat::forked_process& e) {
        if (std::string(e.what()).find("fork") == std::string::npos) return 2;
      }
    }
    return 0;
  });
  EXPECT_EQ(rt.run([] { return 2; }), 2) << "the parent does not mind";
}

TEST(fork_fault, the_child_may_destroy_the_runtime) {
  auto rt = std::make_unique<leat::runtime>(with_workers(3));
  rt->run([] {
    for (int i = 0; i < 100; ++i) leat::spawn([] {});
  });
  in_child([&] {
    rt.reset();
    return 0;
  });
  EXPECT_EQ(rt->run([] { return 2; }), 2);
}

TEST(fork_fault, the_child_may_ask_what_is_in_force) {
  leat::runtime rt(with_workers(3));
  rt.run([] { leat::spawn([] {}); });
  in_child([&] {
    if (rt.workers() != 3 || rt.scheduler() != "channel") return 1;
    if (rt.counters()[leat::event::tasks] != 1) return 2;
    leat::poll();
    try {
      leat::spawn([] {});
    } catch (const leat::not_a_worker&) {
      return 0;
    }
    return 3;
  });
}

TEST(fork_fault, the_child_may_have_a_runtime_of_its_own) {
  if (leat_test::sanitized) GTEST_SKIP() << "a sanitizer allows no new threads in the child of a threaded process";
  leat::runtime rt(with_workers(2));
  rt.run([] {});
  in_child([] {
    leat::runtime own(with_workers(2));
    const int got = own.run([] {
      auto f = leat::async([] { return 3; });
      return f.get();
    });
    return got == 3 ? 0 : 1;
  });
}

// A child that leaves by exit() runs the destructors of static objects; leat has none that do anything.
TEST(fork_fault, the_child_may_exit) {
  static leat::runtime& rt = *new leat::runtime(with_workers(2));
  rt.run([] {});
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    std::exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
