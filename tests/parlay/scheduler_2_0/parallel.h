// What Parlay 2.0 to 2.1.3 asks of its scheduler: a fork_join_scheduler made without arguments, one for all threads.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>

#include "scheduler.h"

namespace parlay {

inline fork_join_scheduler& the_scheduler() {
  static fork_join_scheduler one;
  return one;
}

inline std::size_t num_workers() { return the_scheduler().num_workers(); }
inline std::size_t worker_id() { return the_scheduler().worker_id(); }

template <class F>
void parallel_for(std::size_t start, std::size_t end, F f, long granularity = 0, bool conservative = false) {
  if (end > start) the_scheduler().parfor(start, end, f, static_cast<std::size_t>(granularity), conservative);
}

template <class L, class R>
void par_do(L left, R right, bool conservative = false) {
  the_scheduler().pardo(left, right, conservative);
}

}  // namespace parlay

namespace leat_test {

/// PARLAY_NUM_THREADS is `threads` while it lives.
class num_threads_for_now {
 public:
  explicit num_threads_for_now(std::size_t threads) : before_(std::getenv("PARLAY_NUM_THREADS")) {
    setenv("PARLAY_NUM_THREADS", std::to_string(threads).c_str(), 1);
  }
  num_threads_for_now(const num_threads_for_now&) = delete;
  num_threads_for_now& operator=(const num_threads_for_now&) = delete;
  ~num_threads_for_now() { setenv("PARLAY_NUM_THREADS", before_.c_str(), 1); }

 private:
  const std::string before_;
};

/// Calls body(scheduler) with one of so many threads.
template <class Body>
void with_scheduler(std::size_t threads, Body body) {
  const num_threads_for_now in_force(threads);
  parlay::fork_join_scheduler scheduler;
  body(scheduler);
}

}  // namespace leat_test
