// Where a recording begins and ends: beside other threads, and in processes that fork.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>

#include "child_threads.hpp"
#include "leat/strands/stream.hpp"
#include "profiled/measuring.hpp"
#include "profiled/read_recording.hpp"

using leat_test::fib;
using leat_test::measure;
using leat_test::profiled;
using leat_test::recording;
using leat_test::recording_reader;
using leat_test::session;
using leat_test::take;
using leat_test::temporary_file;

namespace {

// Calls f in a forked child, and waits for that.
template <class F>
bool succeeds_in_a_child(F f) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    f();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Of the clock below.
bool on_at_a_reading = false;
std::uint64_t read_and_look() noexcept {
  on_at_a_reading = on_at_a_reading || session::on();
  return leat_test::thread_ns;
}

}  // namespace

// A thread that finds the session finds its clock, its file and its beginning.
TEST(session, is_published_when_it_is_complete) {
  session::turn_off();
  profiled::strand_clock = &read_and_look;
  EXPECT_TRUE(session::begin(nullptr));
  EXPECT_TRUE(session::on());
  session::turn_off();
  profiled::strand_clock = &leat_test::read_thread_ns;
  EXPECT_FALSE(on_at_a_reading);
}

// The child makes more operations than a stream keeps.
TEST(session, is_off_in_a_forked_child) {
  if (const char* why = leat_test::no_threads_in_a_child()) GTEST_SKIP() << why;
  const temporary_file to;
  const auto whole = measure(
      1,
      [] {
        fib(8);
        EXPECT_TRUE(succeeds_in_a_child([] {
          if (session::on()) _exit(1);
          leat::runtime({.workers = 2}).run([] { fib(20); });
        }));
        fib(8);
      },
      to.name().c_str());
  const recording r = recording_reader(to.name()).read();
  EXPECT_EQ(r.work_ns, whole.whole.work);
}

// The constructs around the fork end in the child, too.
TEST(session, has_no_operations_of_a_child_that_goes_on) {
  const temporary_file to;
  measure(
      1,
      [] {
        pid_t child = -1;
        leat::fork_join([&child] { child = fork(); }, [] { take(10); });
        if (child == 0) _exit(session::end() ? 0 : 1);
        int status = -1;
        waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
      },
      to.name().c_str());
  EXPECT_EQ(recording_reader(to.name()).read().work_ns, 10u);
}

// A child that exits writes what its copies of the parent's files still keep.
TEST(session, leaves_nothing_for_a_child_to_write) {
  const temporary_file to;
  const auto whole = measure(
      1,
      [] {
        fib(18);
        EXPECT_TRUE(succeeds_in_a_child([] { std::fflush(nullptr); }));
        fib(18);
      },
      to.name().c_str());
  EXPECT_EQ(recording_reader(to.name()).read().work_ns, whole.whole.work);
}

TEST(session, takes_nothing_into_a_closed_stream) {
  const temporary_file to;
  ASSERT_TRUE(leat::strands::open_recording(to.name().c_str(), 0));
  auto& out = leat::strands::streams<profiled>::open();
  out.put(leat::strands::op::run);
  out.close();
  const auto bytes = to.size();
  for (int i = 0; i != 100'000; ++i) out.put(leat::strands::op::barrier);
  EXPECT_EQ(to.size(), bytes);
  EXPECT_TRUE(leat::strands::close_recording(1, 0));
}

// As where std::exit is called while a run is under way.
TEST(session, ends_beside_running_tasks) {
  profiled::strand_clock = &leat_test::read_thread_ns;
  for (int i = 0; i != 20; ++i) {
    const temporary_file to;
    ASSERT_TRUE(session::begin(to.name().c_str()));
    std::atomic<bool> began{false}, ended{false};
    std::thread program([&] {
      leat::runtime({.workers = 2}).run([&] {
        while (!ended) fib(12), began = true;
      });
    });
    while (!began) std::this_thread::yield();
    EXPECT_TRUE(session::end());
    const auto bytes = to.size();
    ended = true;
    program.join();
    session::turn_off();
    EXPECT_EQ(to.size(), bytes);
    EXPECT_NO_THROW(recording_reader(to.name(), true).read());
  }
}
