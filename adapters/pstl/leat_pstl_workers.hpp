// Workers for std::execution::par: how its loops enter a run of leat, fork and are cancelled. C++17, and without leat's
// own headers; pstl.cpp and loop.cpp have the other side.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
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

/// What is done for elements of a range, as functions that know its types; `self` goes to each. A loop may make a value of the
/// elements, in order; `step` alone is there if it makes none.
struct loop_body {
  const void* self;
  /// For elements from `first` up to before `last`, whose value is added to `value`.
  void (*step)(const void* self, void* value, std::size_t first, std::size_t last) noexcept;

  /// Makes the value of the first elements in `room`, and returns how many these are.
  std::size_t (*begin_value)(const void* self, void* room, std::size_t first) noexcept = nullptr;
  /// Adds `right`, the value of what follows. No value needs a destructor.
  void (*join)(const void* self, void* left, void* right) noexcept = nullptr;
  std::size_t value_bytes = 0;
  std::size_t value_alignment = 1;
  std::size_t chunk_min = 1;  ///< elements of a step that begins a value: at least 1, and as many as begin_value takes
};

/// Calls it as a worker: at once where the calling thread is one, else in a run of the process's own runtime, which
/// the first such call starts. Any thread. \throws what the start throws
void enter_job(job j);

/// Calls both, in parallel if another worker is free. Workers only.
void fork_jobs(job left, job right);

/// Calls steps that make up [0, n). `value`: of what is before 0; in the end of all. Any thread.
/// \throws std::bad_alloc if there is no memory for a thief's value; what the start of the runtime throws
void run_loop(std::size_t n, const loop_body& body, void* value = nullptr);

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
  loop_body body{std::addressof(each), [](const void* f, void*, std::size_t first, std::size_t last) noexcept {
                   (*static_cast<const F*>(f))(first, last);
                 }};
  run_loop(n, body);
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
