// A wait, and what is executed beneath it on the same stack: from these a circle of waits is found.
//
// Page with the rules DEADLOCK-1 to DEADLOCK-6: docs/internals/deadlocks.md.
#pragma once

#include <cstdint>
#include <new>
#include <optional>

#include "leat/handshake/parker.hpp"
#include "leat/platform/call_stack.hpp"
#include "leat/platform/order.hpp"
#include "leat/protocol/request.hpp"

namespace leat::inline LEAT_ABI::waiting {

/// The construct in which a worker, or the caller of a run, waits.
enum class wait_kind : std::uint8_t {
  join,
  future,
  group,
  barrier,
  blocking,  ///< leat::blocking: the thread is in the program's own call
  run,  ///< runtime::run
  foreign_run,  ///< runtime::run of another runtime
  foreign_future,  ///< a future of another runtime
  channel,  ///< leat::channel: the other end may be any thread
  lock,  ///< in pictures alone (picture.hpp): a mutex of the program that a thread holds
  system,  ///< in pictures alone: the thread sleeps in another call, in a task
};

/// The thing that a wait awaits, as its caller knows it.
struct wait_about {
  wait_kind kind;
  const void* target = nullptr;  ///< the join target of the awaited work; null: listed for reports alone
  bool may_be_left = false;  ///< DEADLOCK-9: the caller throws leat::deadlock when the wait is left
  void (*withdraw)(void* waiter) noexcept = nullptr;  ///< DEADLOCK-6: from then on `waiter` is told nothing
  void* waiter = nullptr;
  /// The awaited work may itself wait for what lies beneath this wait, as futures that several hold do: so under a published scheduler
  /// the wait runs nothing at all.
  bool runs_nothing = false;
  /// What is awaited, where that is for reports alone: a run, or the join target of another runtime's work.
  const void* reported = nullptr;
};

/// A wait that runs only descendants of the awaited work (LEAPFROG-1); on the stack of the worker that waits.
struct own_wait {
  const void* target;
  std::uint64_t tasks_end;  ///< tasks above it in the deque descend from the awaited work
  own_wait* outer;
  std::uint64_t number;
  std::uint64_t others_end = 0;  ///< while such a task is executed: tasks above it are what that task left
  std::optional<protocol::worker_id> whom = std::nullopt;
};

/// Work that a worker executes under a join target, on its stack, and the work that lies beneath it.
struct execution {
  const void* const target_;
  execution* const outer_;
  const std::uint64_t number_;  ///< grows: each execution of a worker has a larger one than those before
};

template <class P>
struct open_wait;

/// A wait that is listed, in the frame of the thread that waits.
template <class P>
class long_wait {
 public:
  /// For a wait of a worker.
  /// \param parker   by which that worker is woken
  /// \param beneath  what it executes beneath the wait
  /// \param open     its innermost open wait, beneath which lies what it had begun before
  long_wait(const wait_about& about, protocol::worker_id worker, handshake::parker<P>& parker, const execution* beneath,
            const open_wait<P>* open, std::uint64_t since_ns) noexcept
      : about_(about), worker_(worker), parker_(&parker), beneath_(beneath), open_(open), since_ns_(since_ns) {}
  /// For a wait of a thread that is no worker of this runtime.
  long_wait(const wait_about& about, std::uint64_t since_ns) noexcept : about_(about), since_ns_(since_ns) {}
  long_wait(const long_wait&) = delete;
  long_wait& operator=(const long_wait&) = delete;
  ~long_wait() { delete calls_; }

  /// DEADLOCK-11: what the report says of the wait beyond the list's needs. The calling thread is the one that waits; before it
  /// is listed.
  /// \param run  in which it waits; null: in none
  void note_for_report(const void* run) noexcept {
    run_ = run;
    if constexpr (platform::shows_calls<P>) {
      if (calls_ == nullptr) calls_ = new (std::nothrow) platform::call_stack;
      if (calls_ != nullptr) P::note_calls(*calls_);
    }
  }
  const void* run() const noexcept { return run_; }
  /// Null if they were not noted.
  const platform::call_stack* calls() const noexcept { return calls_; }

  /// Whether the wait is to be left: it was chosen to break a circle. relaxed: wait_list::leave says so for certain.
  bool is_chosen() const noexcept { return circle_.load(platform::relaxed) != 0; }

  const wait_about& about() const noexcept { return about_; }
  /// The worker that waits; none: a thread that is no worker of this runtime.
  std::optional<protocol::worker_id> worker() const noexcept { return worker_; }
  /// Wakes the worker that waits. Under the lock of the list.
  void notify() const noexcept {
    if (parker_ != nullptr) parker_->notify();
  }
  std::uint64_t since_ns() const noexcept { return since_ns_; }

  /// DEADLOCK-2: whether work with this join target is executed beneath the wait, by the same worker. O(depth), which
  /// `steps` counts.
  bool lies_above(const void* target, std::uint32_t& steps) const noexcept;
  /// each_execution, of those beneath the wait.
  template <class F>
  void each_beneath(F f) const noexcept;

  /// Links of the list and of its searches. Only under the lock of the list.
  struct place_in_list {
    long_wait* next = nullptr;
    long_wait* before = nullptr;
    long_wait* from = nullptr;  // of a search: a wait that needs this one to end; null: not reached
    long_wait* todo = nullptr;  // of a search: the next one whose needs are to be searched
  };
  place_in_list listed;

  /// DEADLOCK-5: the wait must be left, to break a circle of `waits` waits. Under the lock of the list.
  void choose(std::uint32_t waits) noexcept {
    circle_.store(waits, platform::relaxed);
  }  // relaxed: circle() is under the lock, too
  /// How many waits the circle has that it must break; or 0. Under the lock of the list.
  std::uint32_t circle() const noexcept { return circle_.load(platform::relaxed); }

 private:
  const wait_about about_;
  const std::optional<protocol::worker_id> worker_;
  handshake::parker<P>* const parker_ = nullptr;
  const execution* const beneath_ = nullptr;
  const open_wait<P>* const open_ = nullptr;
  const std::uint64_t since_ns_;
  const void* run_ = nullptr;
  platform::call_stack* calls_ = nullptr;
  typename P::template atomic<std::uint32_t> circle_{0};
};

/// A wait with wait::any, a carrier's rest, or a barrier, on the worker's stack. It may execute any task, so the
/// worker's innermost scope begins anew in it.
template <class P>
struct open_wait {
  const execution* executed;  ///< innermost when the wait began
  open_wait* outer;
  const wait_about* about;  ///< null: it is not listed
  std::optional<long_wait<P>> listed = std::nullopt;

  bool is_chosen() const noexcept { return listed && listed->is_chosen(); }
};

/// Calls f(target) for the join target of each execution from `e` on, and beneath the open waits, innermost first, until f
/// returns false.
template <class P, class F>
void each_execution(const execution* e, const open_wait<P>* o, F f) noexcept {
  for (;; o = o->outer) {
    for (; e != nullptr; e = e->outer_) {
      if (!f(e->target_)) return;
    }
    if (o == nullptr) return;
    e = o->executed;
  }
}

template <class P>
template <class F>
void long_wait<P>::each_beneath(F f) const noexcept {
  each_execution(beneath_, open_, f);
}

template <class P>
bool long_wait<P>::lies_above(const void* target, std::uint32_t& steps) const noexcept {
  const execution* e = beneath_;
  for (const open_wait<P>* o = open_;; o = o->outer) {
    for (++steps; e != nullptr; e = e->outer_, ++steps) {
      if (e->target_ == target) return true;
    }
    if (o == nullptr) return false;
    e = o->executed;
  }
}

}  // namespace leat::inline LEAT_ABI::waiting
