// The exception that a run keeps, where tasks of it may fail while a thread takes what failed before.
#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <stdexcept>
#include <thread>
#include <vector>

#include "leat/platform/native.hpp"
#include "leat/work/run.hpp"

namespace {

using run = leat::work::run<leat::platform::native>;

// Counts the exceptions that are there.
struct counted {
  explicit counted(std::atomic<int>& n) : there(&n) { ++n; }
  counted(const counted& other) : there(other.there) { ++*there; }
  counted& operator=(const counted&) = delete;
  ~counted() { --*there; }
  std::atomic<int>* there;
};

TEST(run_failure, is_the_first_one_until_it_is_taken) {
  run r(1, nullptr, nullptr);
  EXPECT_EQ(r.take_failure(), nullptr);
  const std::exception_ptr first = std::make_exception_ptr(std::runtime_error("first"));
  r.fail(first);
  r.fail(std::make_exception_ptr(std::runtime_error("second")));
  EXPECT_EQ(r.take_failure(), first);
  EXPECT_EQ(r.take_failure(), nullptr);
}

// Tasks that a thread has left behind at its place in the default runtime fail while the next thread comes there.
TEST(run_failure, may_be_taken_while_others_fail) {
  constexpr int failing_threads = 3, failures = 2'000;
  std::atomic<int> there{0};
  {
    run r(1, nullptr, nullptr);
    std::atomic<int> failing{failing_threads};
    std::vector<std::thread> threads;
    for (int t = 0; t < failing_threads; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < failures; ++i) r.fail(std::make_exception_ptr(counted(there)));
        --failing;
      });
    }
    int taken = 0;
    while (failing != 0) taken += r.take_failure() != nullptr;
    for (auto& t : threads) t.join();
    taken += r.take_failure() != nullptr;
    EXPECT_GT(taken, 0);
    EXPECT_LE(taken, failing_threads * failures);
    EXPECT_EQ(r.take_failure(), nullptr);
  }
  EXPECT_EQ(there, 0);
}

}  // namespace
