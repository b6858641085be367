// A task ends the process: the runtime's destructor, if it is called, waits for nobody.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

constexpr int status = 7;

[[noreturn]] void leave() { std::exit(status); }

using leat_test::with_workers;

/// What is destroyed after the runtime is there no more when the workers go on.
template <class Body>
[[noreturn]] void in_static_runtime(std::uint64_t workers, Body body) {
  static leat::runtime rt(with_workers(workers));
  rt.run(body);
  std::_Exit(1);
}

class exit_in : public ::testing::Test {
 protected:
  // A death test of a program with threads begins anew in a process of its own.
  void SetUp() override { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(exit_in, the_root) {
  for (const std::uint64_t workers : {1u, 3u}) {
    EXPECT_EXIT(in_static_runtime(workers, [] { leave(); }), ::testing::ExitedWithCode(status), "");
  }
}

TEST_F(exit_in, the_root_of_a_local_runtime) {
  const auto body = [] {
    leat::runtime rt(with_workers(2));
    rt.run([] { leave(); });
  };
  EXPECT_EXIT(body(), ::testing::ExitedWithCode(status), "");
}

TEST_F(exit_in, a_task_while_others_are_busy) {
  const auto body = [] {
    std::atomic<int> begun{0};
    for (int i = 0; i < 2; ++i) {
      leat::spawn([&] {
        ++begun;
        for (;;) leat::fork_join([] { leat::poll(); }, [] {});
      });
    }
    leat_test::comes_true([&] { return leat::poll(), begun == 2; });
    leat::spawn([] { leave(); });
  };
  EXPECT_EXIT(in_static_runtime(3, body), ::testing::ExitedWithCode(status), "");
}

TEST_F(exit_in, a_fork_that_is_waited_for) {
  const auto body = [] {
    std::atomic<bool> begun{false};
    leat::fork_join([&] { leat_test::comes_true([&] { return leat::poll(), begun.load(); }); },
                    [&] {
                      begun = true;
                      leave();
                    });
  };
  EXPECT_EXIT(in_static_runtime(2, body), ::testing::ExitedWithCode(status), "");
}

// There the thread is no worker.
TEST_F(exit_in, blocking) {
  EXPECT_EXIT(in_static_runtime(2, [] { leat::blocking([] { leave(); }); }), ::testing::ExitedWithCode(status), "");
}

TEST_F(exit_in, a_run_of_another_runtime) {
  const auto body = [] {
    leat::runtime inner(with_workers(2));
    inner.run([] { leave(); });
  };
  EXPECT_EXIT(in_static_runtime(2, body), ::testing::ExitedWithCode(status), "");
}

}  // namespace
