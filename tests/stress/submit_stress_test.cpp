// Eight threads that submit a million tasks in all, to one runtime: each is executed once, and each future gets its result.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

constexpr std::uint32_t threads = 8;
const std::uint32_t each = static_cast<std::uint32_t>(leat_test::reps(1'000'000)) / threads;

template <class F>
void on_threads(F f) {
  std::vector<std::thread> all;
  for (std::uint32_t t = 0; t < threads; ++t) all.emplace_back([f, t] { f(t); });
  for (auto& t : all) t.join();
}

// Which of a thread's tasks have been executed.
class ledger {
 public:
  ledger() {
    for (auto& of : counts_) of = std::make_unique<std::atomic<std::uint8_t>[]>(each);
  }
  void executed(std::uint32_t thread, std::uint32_t number) {
    counts_[thread][number].fetch_add(1, std::memory_order_relaxed);
  }
  void expect_each_once() const {
    for (const auto& of : counts_) {
      for (std::uint32_t i = 0; i < each; ++i) ASSERT_EQ(of[i].load(), 1);
    }
  }

 private:
  std::array<std::unique_ptr<std::atomic<std::uint8_t>[]>, threads> counts_;
};

TEST(submit_stress, nothing_is_lost_when_the_runtime_ends) {
  for (const leat::options& o : {leat::options{.workers = 2}, leat::options{.workers = 4, .spin_us = 0}}) {
    ledger all;
    {
      leat::runtime rt(o);
      on_threads([&](std::uint32_t t) {
        for (std::uint32_t i = 0; i < each; ++i) static_cast<void>(rt.submit([&all, t, i] { all.executed(t, i); }));
      });
    }
    all.expect_each_once();
  }
}

// Continuations, and futures that are waited for in the order of submission, a few behind.
TEST(submit_stress, each_result_comes_to_its_future) {
  leat::runtime rt({.workers = 2});
  on_threads([&](std::uint32_t t) {
    std::array<leat::future<std::uint32_t>, 64> open;
    for (std::uint32_t i = 0; i < each / 4; ++i) {
      auto& place = open[i % open.size()];
      if (place.valid()) {
        ASSERT_EQ(place.get(), t + i - open.size());
      }
      place = rt.submit([t, i] { return t + i; });
      if (i % 8 == 0) place = place.then([](std::uint32_t n) { return n; });
    }
  });
}

// Runs, loops in the default runtime and submissions to both, at once.
TEST(submit_stress, beside_runs_and_loops) {
  leat::runtime rt({.workers = 2});
  std::atomic<std::uint64_t> sum{0};
  const std::uint32_t rounds = each / 200;
  on_threads([&](std::uint32_t t) {
    for (std::uint32_t i = 0; i < rounds; ++i) {
      auto f = rt.submit([] { return 1; });
      auto g = leat::submit([] { return 2; });
      if (t % 4 == 0) sum += static_cast<std::uint64_t>(rt.run([&f] { return f.get(); }));
      else sum += static_cast<std::uint64_t>(f.get());
      if (t % 4 == 1) leat::parallel_for(0, 10, [](int) {});
      sum += static_cast<std::uint64_t>(g.get());
    }
  });
  EXPECT_EQ(sum, std::uint64_t{3} * threads * rounds);
}

}  // namespace
