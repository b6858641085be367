// What Parlay 2.1.4 to 2.1.10 asks of its scheduler: a fork_join_scheduler made with a number of threads, one for all
// threads.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>

#include "scheduler.h"

namespace parlay {

inline fork_join_scheduler& the_scheduler() {
  static fork_join_scheduler one(std::stoul(std::getenv("PARLAY_NUM_THREADS")));
  return one;
}

inline std::size_t num_workers() { return the_scheduler().num_workers(); }
inline std::size_t worker_id() { return the_scheduler().worker_id(); }

template <class F>
void parallel_for(std::size_t start, std::size_t end, F&& f, long granularity = 0, bool conservative = false) {
  const auto body = [&](std::size_t i) { f(i); };
  if (end > start) the_scheduler().parfor(start, end, body, static_cast<std::size_t>(granularity), conservative);
}

template <class L, class R>
void par_do(L&& left, R&& right, bool conservative = false) {
  the_scheduler().pardo(std::forward<L>(left), std::forward<R>(right), conservative);
}

}  // namespace parlay

namespace leat_test {

/// Calls body(scheduler) with one of so many threads.
template <class Body>
void with_scheduler(std::size_t threads, Body body) {
  parlay::fork_join_scheduler scheduler(threads);
  body(scheduler);
}

}  // namespace leat_test
