// Continuations, when_all and when_any, and waits with a limit. Rules FUTURE: src/leat/task/future_record.hpp.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

using leat_test::comes_true;
using leat_test::reps;
using std::chrono::milliseconds;

std::vector<leat::options> each_kind() {
  return {{.workers = 1}, {.workers = 3}, {.workers = 2, .scheduler = "prell"}};
}

TEST(then, is_called_with_the_result) {
  for (const leat::options& o : each_kind()) {
    leat::runtime rt(o);
    EXPECT_EQ(rt.submit([] { return 20; }).then([](int i) { return i + 1; }).then([](int i) { return 2 * i; }).get(),
              42);
    int x = 0;
    rt.submit([&] { x = 1; }).then([&] { ++x; }).get();
    EXPECT_EQ(x, 2);
    EXPECT_EQ(&rt.submit([&]() -> int& { return x; }).then([](int& i) -> int& { return i; }).get(), &x);
    EXPECT_EQ(*rt.submit([] { return std::make_unique<int>(3); })
                   .then([](std::unique_ptr<int> p) { return std::make_unique<int>(*p + 1); })
                   .get(),
              4);
    auto f = rt.submit([] { return 5; });
    f.wait();
    auto g = f.then([p = std::make_unique<int>(1)](int i) { return i + *p; });
    EXPECT_FALSE(f.valid());
    EXPECT_EQ(g.get(), 6);
    EXPECT_THROW(f.then([](int) {}), std::logic_error);
    EXPECT_EQ(rt.run([] { return leat::async([] { return 1; }).then([](int i) { return i + 1; }).get(); }), 2);
    const int ready = rt.run([] {
      auto a = leat::async([] { return 1; });
      a.wait();
      return a.then([](int i) { return i + 7; }).get();
    });
    EXPECT_EQ(ready, 8);
  }
}

TEST(then, passes_an_exception_on) {
  for (const leat::options& o : each_kind()) {
    leat::runtime rt(o);
    bool called = false;
    auto f = rt.submit([]() -> int { throw std::runtime_error("mine"); }).then([&](int i) { return called = true, i; });
    EXPECT_THROW(f.get(), std::runtime_error);
    EXPECT_FALSE(called);
    EXPECT_THROW(rt.submit([] {}).then([] { throw 1; }).get(), int);
    auto shared = rt.submit([]() -> std::string { throw 2.5; }).share();
    EXPECT_THROW(shared.then([](const std::string& s) { return s; }).get(), double);
  }
}

TEST(then, may_be_called_often_on_a_shared_future) {
  for (const leat::options& o : each_kind()) {
    leat::runtime rt(o);
    for (int round = 0; round < reps(100); ++round) {
      auto shared = rt.submit([] { return std::string("abc"); }).share();
      std::vector<leat::future<std::size_t>> all;
      for (int i = 0; i < 10; ++i) all.push_back(shared.then([](const std::string& s) { return s.size(); }));
      for (auto& f : all) EXPECT_EQ(f.get(), 3u);
      EXPECT_EQ(shared.get(), "abc");
    }
  }
}

// A long chain neither nests nor waits for a worker that is not there.
TEST(then, is_begun_by_a_task_that_waits_for_it) {
  leat::runtime rt({.workers = 1});
  const int links = reps(100'000);
  const int got = rt.run([&] {
    auto f = leat::async([] { return 0; });
    for (int i = 0; i < links; ++i) f = f.then([](int n) { return n + 1; });
    return f.get();
  });
  EXPECT_EQ(got, links);
  std::atomic<bool> begun{false}, go{false};
  auto busy = rt.submit([&] {
    begun = true;
    EXPECT_TRUE(comes_true([&] { return go.load(); }));
    return 0;
  });
  ASSERT_TRUE(comes_true([&] { return begun.load(); }));
  // The only worker executes `first`, which waits for what lies behind it.
  std::optional<leat::future<int>> behind;
  std::atomic<bool> there{false};
  auto first = rt.submit([&] {
    EXPECT_TRUE(comes_true([&] { return there.load(); }));
    return behind->get();
  });
  auto a = rt.submit([] { return 1; }), b = rt.submit([] { return 2; });
  behind = leat::when_all(a.then([](int i) { return i; }), std::move(b)).then([](auto both) {
    return std::get<0>(both).get() + std::get<1>(both).get();
  });
  there = true;
  go = true;
  EXPECT_EQ(first.get(), 3);
  busy.get();
}

TEST(then, is_executed_though_its_future_is_dropped_or_the_runtime_ends) {
  std::atomic<int> done{0};
  std::optional<leat::future<int>> kept;
  {
    leat::runtime rt({.workers = 2});
    for (int i = 0; i < 100; ++i) static_cast<void>(rt.submit([] {}).then([&] { ++done; }));
    kept = rt.submit([] { return 1; });
  }
  EXPECT_EQ(done, 100);
  EXPECT_EQ(kept->then([](int i) { return i + 1; }).get(), 2) << "called at once";
}

TEST(then, races_with_the_result) {
  leat::runtime rt({.workers = 2});
  for (int round = 0; round < reps(4'000); ++round) {
    auto f = rt.submit([] { return 1; });
    for (int spin = round % 64 * 8; spin > 0; --spin) std::atomic_signal_fence(std::memory_order_seq_cst);
    ASSERT_EQ(f.then([](int i) { return i + 1; }).get(), 2);
  }
}

TEST(when_all, gives_futures_whose_results_are_there) {
  for (const leat::options& o : each_kind()) {
    leat::runtime rt(o);
    auto shared = rt.submit([] { return 3; }).share();
    auto all = leat::when_all(rt.submit([] { return 1; }), rt.submit([] { return std::string("two"); }), shared);
    auto [a, b, c] = all.get();
    EXPECT_TRUE(a.is_ready() && b.is_ready() && c.is_ready());
    EXPECT_EQ(a.get(), 1);
    EXPECT_EQ(b.get(), "two");
    EXPECT_EQ(c.get() + shared.get(), 6);
    std::vector<leat::future<int>> many;
    for (int i = 0; i < 100; ++i) many.push_back(rt.submit([i] { return i % 2 == 0 ? i : throw i; }));
    auto done = leat::when_all(many).get();
    EXPECT_FALSE(many[0].valid());
    for (int i = 0; i < 100; ++i) {
      if (i % 2 == 0) EXPECT_EQ(done[static_cast<std::size_t>(i)].get(), i);
      else EXPECT_THROW(done[static_cast<std::size_t>(i)].get(), int);
    }
    std::list<leat::shared_future<int>> some(4, shared);
    EXPECT_EQ(leat::when_all(some.begin(), some.end()).get().size(), 4u);
    EXPECT_TRUE(leat::when_all().is_ready());
    many.clear();
    EXPECT_TRUE(leat::when_all(many).get().empty());
    EXPECT_THROW(static_cast<void>(leat::when_all(leat::future<int>())), std::logic_error);
  }
}

// One worker, so that the losers have not begun: the parts that wait for them are their holders (FUTURE-9).
TEST(when_any, lets_go_of_losers_that_nothing_has_begun) {
  for (const char* scheduler : {"channel", "prell"}) {
    leat::runtime rt({.workers = 1, .scheduler = scheduler});
    for (int way = 0; way != 4; ++way) {
      std::atomic<int> ran{0};
      const auto held = std::make_shared<int>(7);
      rt.run([&] {
        const auto task = [&ran, held] { return ++ran, *held; };
        auto any = leat::when_any(leat::async(task), leat::async(task)).get();
        auto& [first, second] = any.futures;
        auto& loser = any.index == 0 ? second : first;
        if (way == 1) loser.wait();
        if (way == 2) {
          EXPECT_EQ(std::move(loser).then([](int i) { return i + 1; }).get(), 8);
        } else if (way == 3) {
          EXPECT_EQ(std::move(loser).share().get(), 7);
        } else {
          EXPECT_EQ(loser.get(), 7);
        }
      });
      EXPECT_EQ(ran, 2) << scheduler << ", way " << way;
      rt.run([&] { static_cast<void>(leat::when_any(leat::async([held] {}), leat::async([held] {})).get()); });
      EXPECT_EQ(held.use_count(), 1) << scheduler << ", way " << way;
    }
  }
}

// A message names the future that is empty, and the others stay.
TEST(when_all, refuses_an_empty_future_and_leaves_the_others) {
  leat::runtime rt({.workers = 2});
  auto one = rt.submit([] { return 1; });
  try {
    static_cast<void>(leat::when_all(std::move(one), leat::future<int>()));
    ADD_FAILURE();
  } catch (const std::logic_error& e) {
    EXPECT_STREQ(e.what(), "leat::when_all: future 1 has no result; it was taken, moved or never set");
  }
  EXPECT_EQ(one.get(), 1);
}

TEST(wait_until, takes_times_at_the_ends_of_their_types) {
  leat::runtime rt({.workers = 2});
  std::atomic<bool> goes_on{false};
  auto f = rt.submit([&] { return comes_true([&] { return goes_on.load(); }); });
  using clock = std::chrono::steady_clock;
  EXPECT_FALSE(f.wait_until(clock::time_point::min()));
  EXPECT_FALSE(f.wait_until(clock::now()));
  goes_on = true;
  EXPECT_TRUE(f.wait_until(std::chrono::time_point<clock, std::chrono::seconds>::max()));
}

TEST(when_any, tells_which_was_the_first_and_lets_the_others_go_on) {
  leat::runtime rt({.workers = 3});
  for (int round = 0; round < reps(200); ++round) {
    std::atomic<bool> go{false};
    auto slow = [&] {
      EXPECT_TRUE(comes_true([&] { return go.load(); }));
      return 1;
    };
    auto any = leat::when_any(rt.submit(slow), rt.submit([] { return 2; }), rt.submit(slow));
    auto won = any.get();
    EXPECT_EQ(won.index, 1u);
    EXPECT_EQ(std::get<1>(won.futures).get(), 2);
    EXPECT_FALSE(std::get<0>(won.futures).is_ready());
    go = true;
    EXPECT_EQ(std::get<0>(won.futures).get() + std::get<2>(won.futures).get(), 2);
  }
  std::vector<leat::future<int>> many;
  for (int i = 0; i < 20; ++i) many.push_back(rt.submit([i] { return i; }));
  auto first = leat::when_any(many.begin(), many.end()).then([](auto r) {
    return r.futures[r.index].get() == static_cast<int>(r.index);
  });
  EXPECT_TRUE(first.get());
  EXPECT_EQ(leat::when_any().get().index, 0u);
  static_cast<void>(leat::when_any(rt.submit([] { return 1; }), rt.submit([] {})));  // dropped, losers and all
}

TEST(when_all, gathers_from_several_runtimes) {
  leat::runtime a({.workers = 1}), b({.workers = 2});
  for (int round = 0; round < reps(300); ++round) {
    auto both = leat::when_all(a.submit([] { return 1; }), b.submit([] { return 2; })).then([](auto t) {
      return std::get<0>(t).get() + std::get<1>(t).get();
    });
    if (round % 2 == 0) EXPECT_EQ(both.get(), 3);
    else EXPECT_EQ(a.run([&] { return both.get(); }), 3);
  }
}

TEST(future_wait_for, ends_with_the_result_or_the_time) {
  leat::runtime rt({.workers = 2});
  std::atomic<bool> begun{false}, go{false};
  auto f = rt.submit([&] {
    begun = true;
    EXPECT_TRUE(comes_true([&] { return go.load(); }));
    return 1;
  });
  EXPECT_TRUE(comes_true([&] { return begun.load(); }));  // else the run below may begin it
  const auto before = std::chrono::steady_clock::now();
  EXPECT_FALSE(f.wait_for(milliseconds(3)));
  EXPECT_GE(std::chrono::steady_clock::now() - before, milliseconds(3));
  EXPECT_FALSE(f.wait_for(milliseconds(-1)));
  EXPECT_FALSE(f.wait_until(std::chrono::system_clock::now() + milliseconds(1)));
  EXPECT_FALSE(rt.run([&] { return f.wait_for(std::chrono::microseconds(200)); }));
  go = true;
  EXPECT_TRUE(f.wait_for(std::chrono::hours::max()));
  EXPECT_TRUE(f.wait_until(std::chrono::steady_clock::now()));
  auto shared = f.share();
  EXPECT_TRUE(shared.wait_for(milliseconds(0)));
  EXPECT_EQ(shared.get(), 1);
  EXPECT_THROW(static_cast<void>(f.wait_for(milliseconds(0))), std::logic_error);
}

TEST(future_wait_for, runs_a_task_that_none_has_begun) {
  leat::runtime rt({.workers = 1});
  EXPECT_TRUE(rt.run([] { return leat::async([] {}).wait_for(milliseconds(0)); }));
  EXPECT_TRUE(rt.run([] { return leat::async([] {}).then([] {}).wait_for(milliseconds(0)); }));
}

}  // namespace
