// The threads of a runtime: their names, their stacks, and the hooks that they call.
#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "leat/leat.hpp"
#include "meeting.hpp"

namespace {

struct by_leat {
  static void poll() { leat::poll(); }
};
using meeting = leat_test::meeting<by_leat>;

std::vector<std::string> names_in_process() {
  std::vector<std::string> names;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "comm");
    std::string name;
    if (std::getline(file, name)) names.push_back(name);
  }
  return names;
}

bool is_there(const std::string& name) {
  const auto names = names_in_process();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string own_name() {
  char name[64] = {};
  pthread_getname_np(pthread_self(), name, sizeof name);
  return name;
}

std::size_t own_stack() {
  pthread_attr_t of;
  pthread_getattr_np(pthread_self(), &of);
  std::size_t bytes = 0;
  pthread_attr_getstacksize(&of, &bytes);
  pthread_attr_destroy(&of);
  return bytes;
}

// Both workers are in a task of `f` at once, so each has begun.
template <class F>
void on_both(leat::runtime& rt, F f) {
  meeting all(2);
  rt.run([&] {
    const auto each = [&] {
      all.attend();
      f();
    };
    leat::fork_join(each, each);
  });
}

TEST(thread_names, number_the_workers) {
  leat::runtime rt({.workers = 2, .thread_name = "grain"});
  on_both(rt, [] {});
  EXPECT_TRUE(is_there("grain-0"));
  EXPECT_TRUE(is_there("grain-1"));
  EXPECT_FALSE(is_there("grain-2"));
  EXPECT_EQ(*rt.options().thread_name, "grain");
}

TEST(thread_names, are_leat_if_nothing_is_said) {
  leat::runtime rt({.workers = 1});
  EXPECT_EQ(rt.run(own_name), "leat-0");
}

TEST(thread_names, tell_compensating_workers_from_others) {
  leat::runtime rt({.workers = 1, .spares = 2, .thread_name = "barley"});
  meeting both(2);
  std::string name;
  rt.run([&] {
    leat::spawn([&] {
      name = own_name();
      both.attend();
    });
    leat::blocking([&] { both.attend(); });
  });
  EXPECT_EQ(name, "barley-s0");
}

TEST(thread_names, tell_the_thread_that_reports_hangs) {
  const leat::runtime rt({.workers = 1, .hang_report_s = 1000, .thread_name = "oats"});
  while (!is_there("oats-hang")) std::this_thread::yield();
}

TEST(thread_names, count_a_team_s_primary_as_0) {
  leat::team t({.workers = 2, .thread_name = "rye"});
  const std::string mine = own_name();
  meeting all(2);
  t.call([&] { leat::fork_join([&] { all.attend(); }, [&] { all.attend(); }); });
  EXPECT_FALSE(is_there("rye-0"));
  EXPECT_TRUE(is_there("rye-1"));
  EXPECT_EQ(own_name(), mine);
}

TEST(thread_names, are_those_of_published_schedulers_too) {
  for (const auto scheduler : leat::scheduler_names()) {
    leat::runtime rt({.workers = 1, .scheduler = std::string(scheduler), .thread_name = "malt"});
    EXPECT_EQ(rt.run(own_name), "malt-0") << scheduler;
  }
}

TEST(thread_stacks, have_the_size_that_was_asked_for) {
  constexpr std::size_t bytes = std::size_t{3} << 18;
  leat::runtime rt({.workers = 2, .stack_size = bytes});
  std::atomic<int> right{0};
  on_both(rt, [&] { right += own_stack() == bytes ? 1 : 0; });
  EXPECT_EQ(right, 2);
}

TEST(thread_stacks, of_compensating_workers_have_it_too) {
  constexpr std::size_t bytes = std::size_t{3} << 18;
  leat::runtime rt({.workers = 1, .spares = 1, .stack_size = bytes});
  meeting both(2);
  std::size_t found = 0;
  rt.run([&] {
    leat::spawn([&] {
      found = own_stack();
      both.attend();
    });
    leat::blocking([&] { both.attend(); });
  });
  EXPECT_EQ(found, bytes);
}

TEST(thread_stacks, are_the_system_s_if_nothing_is_said) {
  leat::runtime rt({.workers = 1});
  std::size_t usual = 0;
  std::thread([&] { usual = own_stack(); }).join();
  EXPECT_EQ(rt.run(own_stack), usual);
}

// The smallest one is enough for a worker, its polls and its sleep.
TEST(thread_stacks, may_be_small) {
  leat::runtime rt({.workers = 2, .stack_size = std::max<std::uint64_t>(leat::stack_size_min, PTHREAD_STACK_MIN)});
  std::atomic<int> sum{0};
  rt.run([&] { leat::parallel_for(0, 1000, [&](int i) { sum += i; }); });
  EXPECT_EQ(sum, 499'500);
}

// What a hook was called with, by thread.
class calls {
 public:
  void add(std::uint32_t worker) {
    const std::lock_guard lock(mutex_);
    all_.emplace_back(pthread_self(), worker);
  }
  std::vector<std::uint32_t> workers() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::uint32_t> sorted;
    for (const auto& c : all_) sorted.push_back(c.second);
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }
  bool has(pthread_t thread, std::uint32_t worker) const {
    const std::lock_guard lock(mutex_);
    return std::count(all_.begin(), all_.end(), std::pair(thread, worker)) == 1;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<pthread_t, std::uint32_t>> all_;
};

class thread_hooks : public ::testing::Test {
  void SetUp() override { ::testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(thread_hooks, are_called_once_on_each_worker_s_thread) {
  calls began, ended;
  {
    leat::runtime rt({.workers = 2,
                      .thread_begin = [&](std::uint32_t w) { began.add(w); },
                      .thread_end = [&](std::uint32_t w) { ended.add(w); }});
    std::atomic<int> after{0};
    on_both(rt, [&] { after += began.has(pthread_self(), 0) || began.has(pthread_self(), 1) ? 1 : 0; });
    EXPECT_EQ(after, 2);  // before the thread's first task
    EXPECT_TRUE(ended.workers().empty());
  }
  EXPECT_EQ(began.workers(), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(ended.workers(), (std::vector<std::uint32_t>{0, 1}));
}

TEST_F(thread_hooks, are_called_for_compensating_workers_with_later_numbers) {
  calls began, ended;
  {
    leat::runtime rt({.workers = 1,
                      .spares = 1,
                      .thread_begin = [&](std::uint32_t w) { began.add(w); },
                      .thread_end = [&](std::uint32_t w) { ended.add(w); }});
    meeting both(2);
    bool known = false;
    rt.run([&] {
      leat::spawn([&] {
        known = began.has(pthread_self(), 1);
        both.attend();
      });
      leat::blocking([&] { both.attend(); });
    });
    EXPECT_TRUE(known);
  }
  EXPECT_EQ(ended.workers(), (std::vector<std::uint32_t>{0, 1}));
}

TEST_F(thread_hooks, find_the_thread_named_and_leave_it_their_name) {
  leat::runtime rt({.workers = 1, .thread_name = "wheat", .thread_begin = [](std::uint32_t) {
                      if (own_name() == "wheat-0") pthread_setname_np(pthread_self(), "flour");
                    }});
  EXPECT_EQ(rt.run(own_name), "flour");
}

TEST_F(thread_hooks, are_not_called_for_a_team_s_primary) {
  calls began;
  {
    leat::team t({.workers = 2, .thread_begin = [&](std::uint32_t w) { began.add(w); }});
    meeting all(2);
    t.call([&] { leat::fork_join([&] { all.attend(); }, [&] { all.attend(); }); });
  }
  EXPECT_EQ(began.workers(), (std::vector<std::uint32_t>{1}));
}

// In a child, since the process may have a default runtime already.
TEST_F(thread_hooks, are_not_called_for_callers_of_the_default_runtime) {
  const auto body = [] {
    static calls began;
    leat::configure_default(
        {.workers = 2, .thread_name = "hops", .thread_begin = [](std::uint32_t w) { began.add(w); }});
    meeting all(2);
    leat::fork_join([&] { all.attend(); }, [&] { all.attend(); });
    const bool right = began.workers() == std::vector<std::uint32_t>{1} && is_there("hops-1") && !is_there("hops-0");
    std::_Exit(right ? 3 : 4);
  };
  EXPECT_EXIT(body(), ::testing::ExitedWithCode(3), "");
}

TEST_F(thread_hooks, may_use_no_construct) {
  std::atomic<int> refused{0};
  const auto hook = [&](std::uint32_t) {
    try {
      leat::fork_join([] {}, [] {});
    } catch (const leat::not_a_worker&) {
      ++refused;
    }
  };
  leat::runtime({.workers = 1, .thread_begin = hook, .thread_end = hook}).run([] {});
  EXPECT_EQ(refused, 2);
}

TEST_F(thread_hooks, that_throw_end_the_process) {
  const auto begin = [] {
    const leat::runtime rt({.workers = 1, .thread_begin = [](std::uint32_t) { throw std::runtime_error("flood"); }});
    for (;;) std::this_thread::yield();
  };
  EXPECT_DEATH(begin(), "flood");
  const auto end = [] {
    const leat::runtime rt({.workers = 1, .thread_end = [](std::uint32_t) { throw std::runtime_error("drought"); }});
  };
  EXPECT_DEATH(end(), "drought");
}

TEST_F(thread_hooks, are_copied_with_the_options) {
  leat::options o;
  EXPECT_FALSE(o.thread_begin);
  int made = 0;
  struct counted {
    int* made;
    explicit counted(int* m) : made(m) { ++*made; }
    counted(const counted& c) : made(c.made) { ++*made; }
    counted& operator=(const counted&) = delete;
    ~counted() { --*made; }
    void operator()(std::uint32_t w) const { *made += w == 7 ? 100 : 0; }
  };
  {
    o.thread_begin = counted(&made);
    EXPECT_EQ(made, 1);
    const leat::options copy = o;
    EXPECT_EQ(made, 2);
    copy.thread_begin(7);
    EXPECT_EQ(made, 102);
    o.thread_begin = leat::thread_hook();
    EXPECT_EQ(made, 101);
  }
  EXPECT_EQ(made, 100);
  EXPECT_FALSE(o.thread_begin);
}

}  // namespace
