// What is left of a failing schedule is what it takes, told on faults that are planted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "leat/platform/simulated.hpp"
#include "shrinking.hpp"

namespace {

using leat::platform::at_random;
using leat::platform::fault_plan;
using leat::platform::machine;
using leat::platform::preemption;
using leat::platform::relaxed;
using leat::platform::replayed;
using leat::platform::schedule;
using leat::platform::simulated;
using leat::platform::simulation;
using leat_test::failing_plan;
using leat_test::kind_of;
using leat_test::shrink;
using word = simulated::atomic<std::uint32_t>;

simulation::outcome run(schedule& who, const fault_plan& faults, const std::function<void()>& main) {
  simulation::settings s;
  s.on = machine::even();
  s.steps_max = 10'000;
  s.faults = faults;
  simulation world(s, who);
  return world.run(main);
}

// A queue whose receiver sleeps when it is empty, on a flag that it does not raise and look again: a sender that comes
// between its look and the flag finds nobody to wake.
void lose_a_wake_up() {
  struct queue {
    word messages{0};
    word asleep{0};
    void send() {
      messages.fetch_add(1, relaxed);
      if (asleep.exchange(0, relaxed) != 0) simulated::wake_one(asleep);
    }
    void receive() {
      if (messages.load(relaxed) == 0) {
        asleep.store(1, relaxed);
        while (asleep.load(relaxed) != 0) simulated::wait(asleep, 1);
      }
      messages.fetch_sub(1, relaxed);
    }
  } q;
  const auto be_busy = [] {
    for (int i = 0; i < 20; ++i) simulated::relax();
  };
  simulated::thread stranger(be_busy);
  simulated::thread receiver([&] {
    be_busy();
    q.receive();
  });
  be_busy();
  q.send();
  receiver.join();
  stranger.join();
}

// A schedule that fails, as a list.
failing_plan found(const fault_plan& faults, const std::function<void()>& main, std::string& failure) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    at_random who(seed, 2);
    failing_plan plan{{}, faults};
    who.record(plan.preemptions);
    failure = run(who, faults, main).failure;
    if (!failure.empty()) return plan;
  }
  ADD_FAILURE() << "no seed fails";
  return {};
}

TEST(shrinking, leaves_the_preemptions_that_lose_a_wake_up) {
  fault_plan faults;
  faults.stalls = {{1, 7, 100}};
  faults.wake_late_ns = 100;
  std::string failure;
  const failing_plan plan = found(faults, lose_a_wake_up, failure);
  EXPECT_THAT(failure, testing::HasSubstr("nobody can go on"));
  std::size_t runs = 0;
  const std::function<std::string(const failing_plan&)> failure_of = [&](const failing_plan& p) {
    ++runs;
    replayed who(p.preemptions);
    return run(who, p.faults, lose_a_wake_up).failure;
  };
  EXPECT_EQ(failure_of(plan), failure);
  const failing_plan small = shrink(plan, kind_of(failure), failure_of);
  EXPECT_GT(plan.preemptions.size(), 10u);
  EXPECT_LT(small.preemptions.size(), plan.preemptions.size()) << describe(small);
  for (std::size_t i = 0; i < small.preemptions.size(); ++i) {
    failing_plan smaller = small;
    smaller.preemptions.erase(smaller.preemptions.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_NE(kind_of(failure_of(smaller)), kind_of(failure)) << "not needed: the one with number " << i;
  }
  EXPECT_EQ(small.faults.wake_late_ns, 0u);
  EXPECT_EQ(kind_of(failure_of(small)), kind_of(failure));
  EXPECT_LT(runs, 1000u);
}

// Nothing can be dropped: the thread that fails to start is what it takes.
TEST(shrinking, leaves_the_fault_that_it_takes) {
  const auto main = [] {
    simulated::thread a([] { simulated::relax(); });
    simulated::thread b([] { simulated::relax(); });
    a.join();
    b.join();
  };
  failing_plan plan;
  plan.faults.thread_fails = 2;
  plan.faults.signal_late_ns = 5;
  const auto failure_of = [&](const failing_plan& p) {
    replayed who(p.preemptions);
    return run(who, p.faults, main).failure;
  };
  const failing_plan small = shrink(plan, kind_of(failure_of(plan)), failure_of);
  EXPECT_EQ(small.faults.thread_fails, 2u);
  EXPECT_EQ(small.faults.signal_late_ns, 0u);
  EXPECT_THAT(describe(small), testing::HasSubstr("cannot be started: thread 2"));
}

TEST(shrinking, a_kind_of_failure_is_its_first_line_without_numbers) {
  EXPECT_EQ(kind_of("task 17 is executed twice\n  thread 0"), kind_of("task 3 is executed twice\n"));
  EXPECT_NE(kind_of("task 17 was lost"), kind_of("task 17 is executed twice"));
  EXPECT_EQ(kind_of(""), "");
}

}  // namespace
