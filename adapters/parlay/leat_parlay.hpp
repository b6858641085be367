// Parlay on leat: stands for Parlay's scheduler.h, of the versions 2.0 to 2.3, when the compiler reads it first
// (-include leat_parlay.hpp, or the CMake target leat::parlay). Nothing of Parlay or of the program changes: it may be
// C++17, and sees nothing else of leat.
//
// Page: docs/guide/parlay.md. Macros, the same in all files of a program:
//   LEAT_PARLAY_SCHEDULER         the name of leat's scheduler, without quotes; else LEAT_SCHEDULER in the environment
//   LEAT_PARLAY_PARTS_PER_WORKER  a loop without granularity has that many parts for each worker, or up to twice as
//                                 many; else 128
#pragma once

#if defined(PARLAY_SCHEDULER_H_)
#error "leat_parlay.hpp must come before Parlay's scheduler.h: pass it to the compiler with -include"
#endif
#define PARLAY_SCHEDULER_H_

// Programs get these from Parlay's scheduler.h, and rely on it.
#include <algorithm>
#include <array>  // IWYU pragma: keep
#include <atomic>  // IWYU pragma: keep
#include <cassert>  // IWYU pragma: keep
#include <chrono>  // IWYU pragma: keep
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>  // IWYU pragma: keep
#include <limits>  // IWYU pragma: keep
#include <memory>  // IWYU pragma: keep
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>  // IWYU pragma: keep
#include <type_traits>
#include <utility>
#include <vector>  // IWYU pragma: keep

#include "leat/platform/abi.hpp"

#if !defined(LEAT_PARLAY_PARTS_PER_WORKER)
#define LEAT_PARLAY_PARTS_PER_WORKER 128
#elif LEAT_PARLAY_PARTS_PER_WORKER + 0 < 1
#error "LEAT_PARLAY_PARTS_PER_WORKER must be a whole number, 1 or more"
#endif
#if defined(LEAT_PARLAY_SCHEDULER)
#define LEAT_PARLAY_TEXT_OF(name) #name
#define LEAT_PARLAY_TEXT(macro) LEAT_PARLAY_TEXT_OF(macro)
#define LEAT_PARLAY_SCHEDULER_NAME LEAT_PARLAY_TEXT(LEAT_PARLAY_SCHEDULER)
#else
#define LEAT_PARLAY_SCHEDULER_NAME nullptr
#endif

namespace leat::inline LEAT_ABI {
class team;
}

namespace leat::inline LEAT_ABI::adapters {

/// A scheduler in Parlay's sense: a team whose primary thread is the one that makes it. It is that thread's current
/// scheduler until the same thread destroys it; a thread destroys them in reverse order. It is also the current
/// scheduler of the team's other workers.
class parlay_team {
 public:
  using worker_id_type = unsigned int;
  const worker_id_type num_threads;

  /// Starts num_workers - 1 threads. `scheduler`: the name of leat's scheduler; null: its default.
  /// \throws std::invalid_argument, with the value, unless num_workers is 1 to leat::workers_max and there is such a
  ///         scheduler; what leat::team throws
  explicit parlay_team(std::size_t num_workers, const char* scheduler = LEAT_PARLAY_SCHEDULER_NAME);
  parlay_team(const parlay_team&) = delete;
  parlay_team& operator=(const parlay_team&) = delete;
  ~parlay_team();

  /// Returns the current scheduler of the calling thread, or null. Any thread may call it.
  static parlay_team* current() noexcept { return here_; }

  worker_id_type num_workers() const noexcept { return num_threads; }

  /// Returns a number that differs for each thread inside par_do or parallel_for of this team; 0 for its primary
  /// thread.
  worker_id_type worker_id() const noexcept;

  /// Whether the calling thread is inside par_do or parallel_for of this team.
  bool has_caller() const noexcept;

  /// Calls both, in parallel if another worker is free, and returns when both have ended. On a thread that is neither
  /// of this team nor may enter it, it calls one after the other. About 10 ns inside.
  /// \throws the exception of the first one, in order, that threw
  template <class Left, class Right>
  void par_do(Left&& left, Right&& right) {
    static_assert(std::is_invocable_v<Left> && std::is_invocable_v<Right>,
                  "parlay::par_do: both must be callable without arguments");
    fork(job_of<Left>(left), job_of<Right>(right));
  }

  /// Calls f(i) for each i of [start, end), `granularity` of them or fewer in a row; with 0 as many as take some time.
  /// Several workers call f at once.
  /// \throws what f throws
  template <class F>
  void parallel_for(std::size_t start, std::size_t end, F& f, std::size_t granularity) {
    static_assert(std::is_invocable_v<F&, std::size_t>, "parlay::parallel_for: f must be callable with an index");
    if (end <= start) return;
    // The one place that calls f, so that compilers inline it there.
    auto each = [&f](std::size_t first, std::size_t last) {
      const near<F> body{f};
      for (std::size_t i = first; i < last; ++i) body.call(i);
    };
    const auto call = [](void* p, std::size_t first, std::size_t last) {
      (*static_cast<decltype(each)*>(p))(first, last);
    };
    loop(start, end, {call, &each}, granularity, LEAT_PARLAY_PARTS_PER_WORKER);
  }

 private:
  /// A callable, to be called once.
  struct job {
    void (*call)(void*);
    void* callable;
  };

  template <class F>
  static job job_of(std::remove_reference_t<F>& f) noexcept {
    using callable = std::remove_reference_t<F>;
    return {[](void* p) { static_cast<void>(static_cast<F&&>(*static_cast<callable*>(p))()); },
            const_cast<void*>(static_cast<const void*>(std::addressof(f)))};
  }

  /// Whether the one call operator of class F is const, as that of a lambda without `mutable`.
  template <class Call>
  struct is_const : std::false_type {};
  template <class R, class F, class... Args>
  struct is_const<R (F::*)(Args...) const> : std::true_type {};
  template <class R, class F, class... Args>
  struct is_const<R (F::*)(Args...) const noexcept> : std::true_type {};
  template <class F, class = void>
  struct is_copied : std::false_type {};
  template <class F>
  struct is_copied<F, std::void_t<decltype(&F::operator())>>
      : std::bool_constant<is_const<decltype(&F::operator())>::value && std::is_trivially_copyable_v<F> &&
                           std::is_copy_constructible_v<F> && sizeof(F) <= 8 * sizeof(void*)> {};

  /// A callable to call again and again. A small one of plain data is copied: a compiler then keeps what it holds in registers,
  /// and need not read it again after each store of the callable.
  template <class F>
  struct near {
    std::conditional_t<is_copied<F>::value, const F, F&> call;
  };

  void fork(job left, job right);
  template <class Inside>
  bool enter(const Inside& call);
  void arrive() noexcept;

  /// The iterations of a loop, to call from one up to before another.
  struct iterations {
    void (*call)(void*, std::size_t first, std::size_t last);
    void* callable;
  };

  void loop(std::size_t start, std::size_t end, iterations each, std::size_t granularity, std::size_t parts_per_worker);
  void halve(std::size_t start, std::size_t end, iterations each, std::size_t granularity);

  static inline thread_local parlay_team* here_ = nullptr;

  const std::unique_ptr<team> team_;
  parlay_team* const before_;
};

/// Returns the number that PARLAY_NUM_THREADS says; if it is not set, the default of leat::options::workers.
std::size_t parlay_num_threads();

/// Returns `threads`, if it is 1 to leat::workers_max. \throws std::invalid_argument, with the value, else
std::size_t checked_parlay_threads(std::size_t threads);

/// The team that a thread outside keeps until it ends, for schedulers that are not told which team is meant.
class parlay_own_team {
 public:
  ~parlay_own_team() { made_.reset(), ended_ = true; }

  /// Calls f with a team of `threads` that the calling thread works for or may enter. That is its current team if it
  /// has that size, or else its own, which is made anew if it had another size. Where another team is in use, the new
  /// one lasts as long as f.
  template <class F>
  static void with(std::size_t threads, F f) {
    parlay_team* const current = parlay_team::current();
    if (current != nullptr && current->num_threads == threads) return f(*current);
    parlay_own_team& own = of_this_thread();
    const bool others_in_use = current != nullptr && (!own.made_ || &*own.made_ != current);
    if (others_in_use || own.ended_ || (own.made_ && own.made_->has_caller())) {
      parlay_team brief(threads);
      return f(brief);
    }
    own.made_.emplace(threads);
    f(*own.made_);
  }

 private:
  static parlay_own_team& of_this_thread() {
    thread_local parlay_own_team own;
    return own;
  }

  std::optional<parlay_team> made_;
  bool ended_ = false;
};

}  // namespace leat::inline LEAT_ABI::adapters

namespace parlay {

/// The scheduler of Parlay 2.1.11 and later: parlay::internal::get_current_scheduler() makes one for each thread
/// outside, and execute_with_scheduler makes one for the time of a call.
template <typename Job>
struct scheduler : leat::adapters::parlay_team {
  using parlay_team::parlay_team;
  static scheduler* get_current_scheduler() noexcept { return static_cast<scheduler*>(current()); }
};

/// The forks of Parlay. Its `conservative` means that a waiting thread takes no other work. On leat a waiting thread
/// takes only what it waits for, so the argument changes nothing.
class fork_join_scheduler {
 public:
  // -- Parlay 2.1.11 and later

  template <typename Job, typename L, typename R>
  static void pardo(scheduler<Job>& s, L&& left, R&& right, bool /*conservative*/ = false) {
    s.par_do(std::forward<L>(left), std::forward<R>(right));
  }

  template <typename Job, typename F>
  static void parfor(scheduler<Job>& s, std::size_t start, std::size_t end, F&& f, std::size_t granularity = 0,
                     bool /*conservative*/ = false) {
    s.parallel_for(start, end, f, granularity);
  }

  // -- before; threads outside get teams of their own, as they do later

  /// 2.0 to 2.1.3. \throws std::invalid_argument if PARLAY_NUM_THREADS makes no sense
  fork_join_scheduler() : fork_join_scheduler(leat::adapters::parlay_num_threads()) {}

  /// 2.1.4 to 2.1.10. No thread starts before it is used.
  /// \throws std::invalid_argument, with the value, unless `threads` is 1 to leat::workers_max
  explicit fork_join_scheduler(std::size_t threads) : threads_(leat::adapters::checked_parlay_threads(threads)) {}

  unsigned int num_workers() const noexcept { return static_cast<unsigned int>(threads_); }

  unsigned int worker_id() const noexcept {
    const auto* here = leat::adapters::parlay_team::current();
    return here != nullptr && here->num_threads == threads_ ? here->worker_id() : 0;
  }

  /// Not supported, as in Parlay. \throws std::logic_error, with the number
  void set_num_workers(int n) {
    throw std::logic_error("leat: set_num_workers(" + std::to_string(n) +
                           "): the number of workers is set by PARLAY_NUM_THREADS, before the program starts");
  }

  template <typename L, typename R>
  void pardo(L&& left, R&& right, bool /*conservative*/ = false) {
    leat::adapters::parlay_own_team::with(
        threads_, [&](auto& team) { team.par_do(std::forward<L>(left), std::forward<R>(right)); });
  }

  template <typename F>
  void parfor(std::size_t start, std::size_t end, F&& f, std::size_t granularity = 0, bool /*conservative*/ = false) {
    leat::adapters::parlay_own_team::with(threads_, [&](auto& team) { team.parallel_for(start, end, f, granularity); });
  }

 private:
  std::size_t threads_;
};

}  // namespace parlay
