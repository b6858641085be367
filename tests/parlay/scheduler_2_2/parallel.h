// What Parlay 2.1.11 and later asks of its scheduler: one for each thread outside, which is told of the present one in
// each call.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>

#include "scheduler.h"

namespace parlay {

struct WorkStealingJob {
  void operator()() {}
};

using scheduler_type = scheduler<WorkStealingJob>;

inline scheduler_type& the_scheduler() {
  if (auto* current = scheduler_type::get_current_scheduler()) return *current;
  static thread_local scheduler_type of_thread(std::stoul(std::getenv("PARLAY_NUM_THREADS")));
  return of_thread;
}

inline std::size_t num_workers() { return the_scheduler().num_workers(); }
inline std::size_t worker_id() { return the_scheduler().worker_id(); }

template <class F>
void parallel_for(std::size_t start, std::size_t end, F&& f, long granularity = 0, bool conservative = false) {
  if (end > start) {
    fork_join_scheduler::parfor(the_scheduler(), start, end, std::forward<F>(f), static_cast<std::size_t>(granularity),
                                conservative);
  }
}

template <class L, class R>
void par_do(L&& left, R&& right, bool conservative = false) {
  fork_join_scheduler::pardo(the_scheduler(), std::forward<L>(left), std::forward<R>(right), conservative);
}

template <class F>
void execute_with_scheduler(unsigned int threads, F&& f) {
  scheduler_type for_now(threads);
  f();
}

}  // namespace parlay

namespace leat_test {

/// A scheduler with the functions that take it.
struct bound_scheduler {
  parlay::scheduler_type scheduler;

  template <class... Args>
  void pardo(Args&&... args) {
    parlay::fork_join_scheduler::pardo(scheduler, std::forward<Args>(args)...);
  }
  template <class... Args>
  void parfor(Args&&... args) {
    parlay::fork_join_scheduler::parfor(scheduler, std::forward<Args>(args)...);
  }
  unsigned int num_workers() { return scheduler.num_workers(); }
  unsigned int worker_id() { return scheduler.worker_id(); }
};

/// Calls body(scheduler) with one of so many threads.
template <class Body>
void with_scheduler(std::size_t threads, Body body) {
  bound_scheduler scheduler{parlay::scheduler_type(threads)};
  body(scheduler);
}

}  // namespace leat_test
