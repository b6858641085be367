// options::share_cpus: runtimes of a process that together keep as many workers busy as there are CPUs (rules BUDGET).
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "child_threads.hpp"
#include "leat/leat.hpp"
#include "leat/topology/cpus.hpp"
#include "needs.hpp"
#include "variable.hpp"

namespace {

// How many threads are in tasks at once, at most.
class crowd {
 public:
  void pass() {
    const int now = ++now_;
    for (int most = most_; most < now && !most_.compare_exchange_weak(most, now);) {
    }
    std::this_thread::yield();
    --now_;
  }
  int most() const { return most_; }

 private:
  std::atomic<int> now_{0};
  std::atomic<int> most_{0};
};

void many_tasks(leat::runtime& rt, crowd& c, std::atomic<int>& done) {
  rt.run([&] {
    for (int i = 0; i < 200; ++i) {
      leat::spawn([&] {
        c.pass();
        ++done;
      });
    }
  });
}

leat::options sharing(std::uint64_t workers) {
  leat::options o;
  o.workers = workers;
  o.share_cpus = true;
  return o;
}

// Each of the runs has a worker in any case, and all others together are no more than the CPUs.
TEST(share_cpus, bounds_the_busy_workers_of_several_runtimes) {
  constexpr int runtimes = 3;
  const int cpus = static_cast<int>(leat::topology::available_cpus());
  crowd c;
  std::atomic<int> done{0};
  std::vector<std::unique_ptr<leat::runtime>> all;
  for (int i = 0; i < runtimes; ++i)
    all.push_back(std::make_unique<leat::runtime>(sharing(static_cast<std::uint64_t>(cpus) + 2)));
  std::vector<std::thread> callers;
  for (const auto& rt : all) {
    callers.emplace_back([&] {
      for (int k = 0; k < 5; ++k) many_tasks(*rt, c, done);
    });
  }
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(done, runtimes * 5 * 200);
  EXPECT_LE(c.most(), cpus + runtimes - 1);
}

TEST(share_cpus, leaves_constructs_as_they_are) {
  leat::runtime a(sharing(2)), b(sharing(2));
  std::thread other([&] {
    for (int i = 0; i < 20; ++i) {
      a.run([] {
        std::atomic<int> sum{0};
        leat::parallel_for(0, 1000, [&](int k) { sum += k; });
        EXPECT_EQ(sum, 499'500);
        leat::blocking([] { std::this_thread::yield(); });
      });
    }
  });
  for (int i = 0; i < 20; ++i) {
    std::vector<int> v(5000);
    for (int k = 0; k < 5000; ++k) v[static_cast<std::size_t>(k)] = k * 7919 % 5000;
    b.run([&] { leat::parallel_sort(v.begin(), v.end()); });
    EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
  }
  other.join();
}

// The blocked task waits for one of its own, while the other runtime has the CPUs.
TEST(share_cpus, lets_another_worker_take_the_place_of_a_blocked_one) {
  leat::runtime a(sharing(1)), b(sharing(4));
  std::atomic<bool> over{false};
  std::thread other([&] {
    crowd c;
    std::atomic<int> done{0};
    while (!over) many_tasks(b, c, done);
  });
  for (int i = 0; i < 20; ++i) {
    a.run([] {
      std::atomic<bool> done{false};
      leat::spawn([&] { done = true; });
      leat::blocking([&] {
        while (!done) std::this_thread::yield();
      });
    });
  }
  over = true;
  other.join();
}

TEST(share_cpus, works_for_teams) {
  leat::team t(sharing(2));
  leat::runtime rt(sharing(2));
  std::atomic<int> sum{0};
  for (int i = 0; i < 100; ++i) {
    t.call([&] { leat::parallel_for(0, 100, [&](int) { ++sum; }); });
    rt.run([&] { leat::parallel_for(0, 100, [&](int) { ++sum; }); });
  }
  EXPECT_EQ(sum, 20'000);
}

TEST(share_cpus, begins_anew_in_a_child) {
  if (const char* why = leat_test::no_threads_in_a_child()) GTEST_SKIP() << why;
  leat::runtime rt(sharing(2));
  rt.run([] {});
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> sum{0};
    leat::runtime mine(sharing(2));
    mine.run([&] { leat::parallel_for(0, 1000, [&](int) { ++sum; }); });
    _exit(sum == 1000 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(share_cpus, is_off_if_nothing_is_said_and_takes_channel) {
  const leat_test::variable none("LEAT_SHARE_CPUS", nullptr);
  EXPECT_EQ(leat::options{}.resolved().share_cpus, false);
  const leat_test::variable set("LEAT_SHARE_CPUS", "1");
  EXPECT_EQ(leat::options{}.resolved().share_cpus, true);
  leat::options o;
  o.scheduler = "prell";
  o.share_cpus = true;
  try {
    o.resolved();
    ADD_FAILURE() << "prell does not share";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("share_cpus = true: takes the scheduler channel, and it is 'prell'"),
              std::string::npos)
        << e.what();
  }
  const leat_test::variable bad("LEAT_SHARE_CPUS", "2");
  EXPECT_THROW(leat::options{}.resolved(), std::invalid_argument);
}

}  // namespace
