// Callables that wait for each other: where several workers must execute at once.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

namespace leat_test {

/// A place where a number of callables meet. As each waits inside itself for the others, they meet only if as many workers
/// execute them: what was forked has been stolen then.
template <class Engine>
class meeting {
 public:
  explicit meeting(int callables) : missing_(callables) {}

  /// Waits for the others, for ten seconds at most, and answers thieves meanwhile; whether all came.
  bool join() {
    --missing_;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (missing_ > 0) {
      // After a failure nothing is waited for: it might be missing for the same reason, again and again.
      if (::testing::Test::HasFailure() || std::chrono::steady_clock::now() > end) return false;
      Engine::poll();
      std::this_thread::yield();
    }
    return true;
  }

  /// The same; it is an error if somebody does not come.
  void attend() { EXPECT_TRUE(join()) << "too few workers execute what was forked"; }

  /// The same, at the first call of each thread; later calls return at once.
  void attend_once() {
    {
      const std::lock_guard mine(lock_);
      if (!here_.insert(std::this_thread::get_id()).second) return;
    }
    attend();
  }

 private:
  std::atomic<int> missing_;
  std::mutex lock_;  // of the next
  std::set<std::thread::id> here_;
};

}  // namespace leat_test
