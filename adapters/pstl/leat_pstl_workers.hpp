// Workers for std::execution::par: how its loops enter a run of leat, fork and are cancelled. C++17, and without leat's
// own headers; pstl.cpp has the other side.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::adapters::pstl {

/// Something to call once. It lets nothing out: what a user's function throws ends the program, as the standard says
/// ([algorithms.parallel.exceptions]), on the worker that called it.
struct job {
  void (*call)(void*) noexcept;
  void* callable;
};

template <class F>
job job_of(F& f) noexcept {
  return {[](void* p) noexcept { static_cast<void>((*static_cast<F*>(p))()); },
          const_cast<void*>(static_cast<const void*>(std::addressof(f)))};
}

/// Iterations of a loop, to call from one up to before another.
struct iterations {
  void (*call)(void*, std::size_t first, std::size_t last) noexcept;
  void* callable;
};

/// Calls it as a worker: at once where the calling thread is one, else in a run of the process's own runtime, which
/// the first such call starts. Any thread. \throws what the start throws
void enter_job(job j);

/// Calls both, in parallel if another worker is free. Workers only.
void fork_jobs(job left, job right);

/// Calls `each` for pieces that make up [0, n). Any thread.
void loop(std::size_t n, iterations each);

/// Of the runtime that the calling worker belongs to. Workers only.
std::size_t workers() noexcept;

/// The calling worker; different for each.
const void* this_worker() noexcept;

template <class F>
void enter(F&& f) {
  enter_job(job_of(f));
}

template <class Left, class Right>
void fork(Left&& left, Right&& right) {
  fork_jobs(job_of(left), job_of(right));
}

/// each(first, last) for pieces that make up [0, n).
template <class F>
void for_pieces(std::size_t n, const F& each) {
  loop(n, {[](void* p, std::size_t first, std::size_t last) noexcept { (*static_cast<const F*>(p))(first, last); },
           const_cast<void*>(static_cast<const void*>(std::addressof(each)))});
}

/// Whether a loop is to end early. One for each call of an algorithm's loop, in the frame of its caller.
class cancellation {
 public:
  /// Calls f, a body of the loop, unless the loop has been cancelled.
  template <class F>
  void guard(F&& f) noexcept {
    // relaxed: it only saves work; results come by joins.
    if (requested_.load(std::memory_order_relaxed)) return;
    cancellation* const outer = std::exchange(current_, this);
    f();
    current_ = outer;
  }

  /// Cancels the loop whose body the calling thread executes, the innermost one.
  static void request() noexcept {
    if (current_ != nullptr) current_->requested_.store(true, std::memory_order_relaxed);  // relaxed: as above
  }

 private:
  static inline thread_local cancellation* current_ = nullptr;

  std::atomic<bool> requested_{false};
};

}  // namespace leat::inline LEAT_ABI::adapters::pstl
