// Futures on threads that are no workers.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

TEST(future_outside, is_waited_for_by_a_thread_that_is_no_worker) {
  leat_test::engine e(leat_test::shape{2});
  std::atomic<bool> go{false};
  std::atomic<leat_test::engine::future<int>*> there{nullptr};
  std::thread outside([&] {
    ASSERT_TRUE(leat_test::comes_true([&] { return there != nullptr; }));
    EXPECT_FALSE((*there).is_ready());
    go = true;
    (*there).wait();
    EXPECT_EQ((*there).get(), 1);
  });
  e.run([&] {
    auto* const f = new leat_test::engine::future<int>(leat_test::engine::async([&] {
      while (!go) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));  // the thread outside sleeps by now, or soon
      return 1;
    }));
    there = f;
    while (!go) leat_test::engine::poll();
  });
  outside.join();
  delete there.load();
  EXPECT_EQ(leat::async([] { return 2; }).get(), 2);
}

TEST(future_outside, is_not_waited_for_inside_blocking) {
  leat_test::engine e(leat_test::shape{2});
  e.run([&] {
    auto f = leat_test::engine::async([] { return 1; });
    leat_test::engine::blocking([&] {
      if (!f.is_ready()) {
        EXPECT_THROW(f.wait(), leat::not_a_worker);
      }
    });
    EXPECT_EQ(f.get(), 1);
  });
}

}  // namespace
