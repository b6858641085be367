// What strangers want while somebody waits: a test of waits that must run none of them.
#pragma once

#include <atomic>
#include <mutex>

namespace leat_test {

/// A mutex that its holder locks again only in error, which it counts instead of waiting for ever.
class guarded {
 public:
  template <class F>
  void hold(F f) {
    if (mine) {
      ++strangers;  // executes on top of who holds the mutex
      return;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    mine = true;
    f();
    mine = false;
    ++held;
  }
  std::atomic<int> strangers{0};
  std::atomic<int> held{0};

 private:
  static inline thread_local bool mine = false;
  std::mutex mutex_;
};

}  // namespace leat_test
