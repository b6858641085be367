// User-level threads in a run with a cap on its workers (rules CAP): no more workers carry them at once.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "leat/leat.hpp"
#include "leat/thread.hpp"

namespace {

// How many are inside at once, at most. None yields inside, so each has a worker of its own.
class section {
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

TEST(thread_cap, holds_for_carriers) {
  leat::runtime rt({.workers = 4, .spares = 0});
  for (int most = 1; most <= 4; ++most) {
    section s;
    int ended = 0;
    rt.run({.workers_max = static_cast<std::uint64_t>(most)}, [&] {
      leat::run_threads([&] {
        leat::mutex m;
        std::vector<leat::thread> threads;
        for (int i = 0; i < 40; ++i) {
          threads.emplace_back([&] {
            // Where several may carry, the threads go on until two have met: how soon is the machine's affair.
            for (int k = 0; k < 20 || (most > 1 && s.most() < 2); ++k) {
              s.pass();
              leat::thread::yield();
            }
            const std::lock_guard lock(m);
            ++ended;
          });
        }
        for (leat::thread& t : threads) t.join();
      });
    });
    EXPECT_EQ(ended, 40);
    EXPECT_LE(s.most(), most);
  }
}

}  // namespace
