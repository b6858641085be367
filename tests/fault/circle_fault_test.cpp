// Programs that dead-lock: the report names the circle, the workers, and the source lines (DEADLOCK-11 to DEADLOCK-14). What
// SIGQUIT and leat::describe say (DEADLOCK-15, DEADLOCK-16).
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <set>
#include <sstream>
#include <string>

#include "engines.hpp"
#include "leat/describe.hpp"
#include "leat/leat.hpp"
#include "leat/platform/call_places.hpp"
#include "leat/platform/native.hpp"
#include "leat/platform/requests.hpp"
#include "printing_child.hpp"
#include "variable.hpp"

namespace {

std::atomic<int> kills{0};

}  // namespace

// In place of the system's.
extern "C" int kill(pid_t process, int signal) {
  ++kills;
  return static_cast<int>(syscall(SYS_kill, process, signal));
}

namespace {

using leat_test::printing_child;
using leat_test::variable;
using leat_test::with_workers;

// The text in which a place is named that lies so many lines behind `line` of this file; where the system has no addr2line,
// the file that has the code.
std::string place(int line) {
  static const bool has_names = std::system("addr2line --version > /dev/null 2>&1") == 0;
  return has_names ? "circle_fault_test.cpp:" + std::to_string(line) + " in " : "leat_test_fault+0x";
}

void wait_for(const std::atomic<int>& word, int value) {
  while (word != value) usleep(100);
}

// One worker for each of the two tasks, and one for the root.
TEST(circle_fault, of_futures) {
  const variable report("LEAT_HANG_REPORT", "on-request");
  static constexpr int first = __LINE__ + 8, second = __LINE__ + 13;
  printing_child c([] {
    leat::runtime rt(with_workers(3));
    rt.run([] {
      std::atomic<int> begun{0};
      leat::future<void> a, b;
      a = leat::async([&] {
        ++begun, wait_for(begun, 3);
        b.get();
        std::fputs("", stderr);
      });
      b = leat::async([&] {
        ++begun, wait_for(begun, 3);
        a.wait();
        std::fputs("", stderr);
      });
      while (begun != 2) leat::poll();
      ++begun;  // both futures are there
      a.wait(), b.wait();
    });
  });
  c.expect({"leat: a circle of 2 waits, which one of them leaves by leat::deadlock (LEAT_HANG_REPORT):",
            " waits in future::wait for ", ", for what worker ", place(first), place(second), " (this one leaves)"});
}

// The root executes the task on top of its own wait, as no other worker does, or another worker executes it.
TEST(circle_fault, of_a_lock_that_is_held_across_a_wait_for_any_task) {
  const variable report("LEAT_HANG_REPORT", "1");
  static constexpr int locks = __LINE__ + 5, waits = __LINE__ + 7;
  printing_child c([] {
    leat::runtime rt(with_workers(1));
    rt.run([] {
      std::mutex held;
      auto task = leat::async([&] { held.lock(); });
      held.lock();
      task.wait(leat::wait::any);
      held.unlock();
    });
  });
  c.expect({"worker 0 waits for a mutex that the same thread holds", place(locks), place(waits),
            "circle of waits, which never ends:", "which lies on the same stack above "});
}

TEST(circle_fault, of_a_lock_that_another_worker_waits_for) {
  const variable report("LEAT_HANG_REPORT", "1");
  static constexpr int locks = __LINE__ + 8, waits = __LINE__ + 13;
  printing_child c([] {
    leat::runtime rt(with_workers(2));
    rt.run([] {
      std::mutex held;
      std::atomic<int> begun{0};
      auto task = leat::async([&] {
        ++begun, wait_for(begun, 2);
        held.lock();
      });
      held.lock();
      while (begun != 1) leat::poll();
      ++begun;
      task.wait(leat::wait::any);
      held.unlock();
    });
  });
  c.expect({" waits for a mutex that worker ", " waits in future::wait for ", " executes", place(locks), place(waits),
            "circle of waits, which never ends:"});
}

TEST(circle_fault, of_a_barrier_of_which_a_task_cannot_end) {
  const variable report("LEAT_HANG_REPORT", "1");
  static constexpr int locks = __LINE__ + 8, waits = __LINE__ + 13;
  printing_child c([] {
    leat::runtime rt(with_workers(2));
    rt.run([] {
      std::mutex held;
      std::atomic<int> begun{0};
      leat::spawn([&] {
        ++begun, wait_for(begun, 2);
        held.lock();
      });
      held.lock();
      while (begun != 1) leat::poll();
      ++begun;
      leat::barrier();
      held.unlock();
    });
  });
  c.expect({" waits for a mutex that worker ", " waits in barrier for ", place(locks), place(waits),
            "circle of waits, which never ends:"});
}

TEST(circle_fault, of_two_runtimes) {
  const variable report("LEAT_HANG_REPORT", "1");
  printing_child c([] {
    leat::runtime first(with_workers(1)), second(with_workers(1));
    first.run([&] { second.run([&] { first.run([] {}); }); });
  });
  c.expect({"waits in runtime::run of another runtime for ", "circle of waits, which never ends:"});
}

TEST(request_fault, is_answered_and_the_process_goes_on) {
  const variable report("LEAT_HANG_REPORT", "on-request");
  printing_child c([] {
    leat::runtime rt(with_workers(2));
    rt.run([] {
      std::fputs("ready\n", stderr);
      for (;;) pause();  // any signal ends it
    });
    sleep(1000);
  });
  c.expect({"ready\n"});
  c.expect_answer(SIGQUIT, {"(runtime, 2 workers, scheduler channel)", "a thread outside waits in runtime::run",
                            "[leat-0]", "[leat-1]"});
  c.send(SIGTERM);
  EXPECT_EQ(WTERMSIG(c.status()), SIGTERM);
}

std::atomic<bool> may_go_on{false};
static_assert(std::atomic<bool>::is_always_lock_free);
extern "C" void lets_go_on(int) { may_go_on = true; }
extern "C" void says_that_it_was_called(int) { static_cast<void>(!write(STDERR_FILENO, "called\n", 7)); }

TEST(request_fault, comes_to_the_handler_of_the_program_too) {
  const variable report("LEAT_HANG_REPORT", "on-request");
  printing_child c([] {
    signal(SIGQUIT, says_that_it_was_called);
    signal(SIGUSR1, lets_go_on);
    {
      leat::runtime rt(with_workers(1));
      raise(SIGQUIT);
      while (!may_go_on) usleep(1000);
    }
    std::fputs("again\n", stderr);
    raise(SIGQUIT);
    std::fputs("end\n", stderr);
  });
  c.expect({"called\n", "(runtime, 1 worker, scheduler channel)"});
  c.send(SIGUSR1);
  c.expect({"again\ncalled\nend\n"});
}

TEST(request_fault, means_what_it_meant_without_reports) {
  const variable report("LEAT_HANG_REPORT", nullptr);
  printing_child c([] {
    leat::runtime rt(with_workers(1));
    raise(SIGQUIT);
  });
  EXPECT_EQ(WTERMSIG(c.status()), SIGQUIT);
}

// If the word came back to an earlier value, a thread that is about to sleep on that would never see its end.
TEST(request_fault, counts_each_end_of_the_thread_that_tells) {
  const variable report("LEAT_HANG_REPORT", "on-request");
  std::set<std::uint32_t> seen;
  for (std::size_t i = 0; i < 4; ++i) {
    {
      const leat::runtime rt(with_workers(1));
    }
    seen.insert(leat::platform::requests::changes);
    EXPECT_EQ(seen.size(), i + 1);
  }
  EXPECT_EQ(leat::platform::requests::count, 0u);
}

TEST(description, ends_no_process_but_its_own) {
  leat::platform::call_stack here;
  leat::platform::native::note_calls(here);
  kills = 0;
  leat::platform::places_of({here});
  EXPECT_EQ(kills, 0) << "a program that has ended may have left its number to another";
}

TEST(description, has_all_runtimes) {
  leat::options o = with_workers(2);
  o.thread_name = "mine";
  const leat::runtime one(o);
  const leat::team two(with_workers(1));
  std::ostringstream text;
  leat::describe(text);
  for (const char* words :
       {"(runtime, 2 workers, scheduler channel): no run is under way", "[mine-0]", "[mine-1]", "(team, 1 worker"})
    EXPECT_NE(text.str().find(words), std::string::npos) << words << " is not in:\n" << text.str();
}

TEST(description, of_a_child_has_none_of_its_parents) {
  const leat::runtime rt(with_workers(2));
  printing_child c([] { leat::describe(std::cerr); });
  c.expect({"no runtime"});
}

TEST(description, leaves_out_what_is_of_the_library) {
  const std::string own =
      std::string("leat::v") + std::to_string(LEAT_VERSION_MAJOR) + "_" + std::to_string(LEAT_VERSION_MINOR) + "::";
  for (const std::string& f : {own + "task::fork_join<main::{lambda()#1}>(main::{lambda()#1}&&)",
                               "void " + own + "platform::native::thread::call<int>(void*)",
                               std::string("decltype(auto) std::invoke<f(int)>(f&&)"), std::string("start_thread"),
                               std::string("___interceptor_backtrace")})
    EXPECT_TRUE(leat::platform::is_of_library(f)) << f;
  for (const std::string f : {"solve(leat::v0_1::runtime&)", "(anonymous namespace)::f<leat::x>()",
                              "leat_program::operator()(int) const", "main::{lambda()#1}::operator()() const"})
    EXPECT_FALSE(leat::platform::is_of_library(f)) << f;
}

}  // namespace
