// How a worker makes and executes tasks: the task at hand first, then always the newest one.
//
// Programs compile the functions that depend on the type of a callable (runner_callables.hpp) for each of their
// types. All others are compiled once, in the library (entry/instances.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "leat/platform/abort.hpp"
#include "leat/scheduler/boxed.hpp"
#include "leat/scheduler/group.hpp"
#include "leat/scheduler/stay.hpp"
#include "leat/scheduler/whereabouts.hpp"
#include "leat/work/asked.hpp"
#include "leat/work/record.hpp"
#include "leat/work/run.hpp"
#include "leat/work/task_stack.hpp"

namespace leat::inline LEAT_ABI::scheduler {

template <class P>
class worker;

/// The task that executes a fork of another worker; its join target is the slot's address. It keeps the function to
/// call: the slot's own word says only that the slot is in use, and the join may have cleared it (FORK-3).
template <class P>
struct given_fork {
  deque::fork_slot<P>* slot;
  typename deque::fork_slot<P>::call_type call;
  void operator()() const { worker<P>::current()->runner.run_fork(slot, call); }
  friend bool operator==(const given_fork&, const given_fork&) = default;
};

template <class P>
class runner {
 public:
  using slot = deque::fork_slot<P>;
  using account = typename group<P>::account;

  /// See task_stack.
  runner(worker<P>& me, std::size_t deque_capacity, bool all_public, bool lent)
      : me_(me), stack_(&me, deque_capacity, all_public, lent) {}

  work::task_stack<P>& stack() noexcept { return stack_; }
  const work::task_stack<P>& stack() const noexcept { return stack_; }

  // -- what the worker executes

  /// The run that it is in; null when it is idle.
  work::run<P>* current_run() const noexcept { return run_; }
  protocol::run_id run_id() const noexcept { return run_ == nullptr ? protocol::no_run : run_->id(); }
  void works_for(work::run<P>& r) noexcept { run_ = &r; }
  void works_for_none() noexcept { run_ = nullptr; }

  /// Whether a task, the root or a user-level thread is on top of the stack. Constructs that only one of them may use
  /// ask this.
  ground on() const noexcept { return ground_; }
  void set_ground(ground g) noexcept { ground_ = g; }
  ground exchange_ground(ground g) noexcept { return std::exchange(ground_, g); }
  pins& pinned() noexcept { return pins_; }

  /// The group that its present task belongs to; or null.
  const group<P>* current_group() const noexcept { return in_group_; }
  const group<P>* exchange_group(const group<P>* g) noexcept { return std::exchange(in_group_, g); }

  /// GROUP-6: the innermost account.
  account* innermost_account() const noexcept { return account_; }
  void set_account(account* a) noexcept { account_ = a; }
  void take_over_account() noexcept {
    if (account_ != nullptr) account_->take_over();
  }

  /// Calls f as if it were a task: constructs that only the root may use, such as a barrier, are refused inside.
  template <class F>
  decltype(auto) call_as_task(F f) {
    return call_as_task_of(in_group_, f);
  }

  /// The same as a task of group `g`, or of none.
  template <class F>
  decltype(auto) call_as_task_of(const group<P>* g, F f) {
    const task_scope here(*this, g);
    return f();
  }

  /// While it lives, the worker is in a task of group `g`, or of none.
  class task_scope {
   public:
    task_scope(runner& me, const group<P>* g) noexcept
        : me_(me), on_(std::exchange(me.ground_, ground::task)), in_group_(std::exchange(me.in_group_, g)) {}
    task_scope(const task_scope&) = delete;
    task_scope& operator=(const task_scope&) = delete;
    ~task_scope() { me_.ground_ = on_, me_.in_group_ = in_group_; }

   private:
    runner& me_;
    const ground on_;
    const group<P>* const in_group_;
  };

  // -- making tasks

  /// How many tasks may run in place inside each other when memory is short. Bounded, since the thread's stack is.
  static constexpr unsigned in_place_max = 1000;

  /// Adds a task to the current run. If the deque is full and memory too short for a larger one, the task runs in
  /// place; if such tasks nest in_place_max deep, throws std::bad_alloc.
  template <class F>
  void spawn(F&& f) {
    if constexpr (!work::record::fits<std::decay_t<F>>) {
      // Copied before a slot is taken: copying may call anything, spawn as well.
      const auto call = boxed<P, std::decay_t<F>>::make(me_, std::forward<F>(f));
      try {
        spawn_kept(call);
      } catch (...) {
        call.drop();
        throw;
      }
    } else {
      spawn_kept(std::forward<F>(f));
    }
  }

  /// Adds the task `f` of group `g`; see spawn.
  template <class F>
  void spawn_owned(group<P>& g, void (*call)(void*, bool), F f);

  // -- the newest tasks

  /// Takes the task `f` back, so that the caller may run it, if it is the newest of this worker's tasks.
  template <class F>
  bool take_back(const F& f);

  /// Takes the newest of this worker's tasks, if it is an F for which `wanted` is true.
  template <class F, class Wanted>
  std::optional<F> take_newest_if(Wanted wanted);

  /// Takes the newest of this worker's tasks back, if wanted(record&) is true. It becomes the next task, uncounted:
  /// the caller goes on with it. The record is good until the next push. Polls if a request is pending.
  /// \param since  the deque's end_index() when the caller began
  template <class Wanted>
  work::record* take_back_if(Wanted wanted, std::uint64_t since);

  /// Takes the newest task if it is wanted; else it stays. The record is good until the next push.
  template <class Wanted>
  work::record* next_if(Wanted wanted);
  /// The same, but only among tasks that came for the innermost wait. Tasks beneath those stay, wanted or not.
  template <class Wanted>
  work::record* next_in_wait_if(Wanted wanted);

  /// The newest task, or null when there is none left: neither in the deque nor in an answer that came while the
  /// worker was busy.
  work::record* next();

  /// Whether the deque may hold records of futures whose callable a waiter has already run (FUTURE-3).
  bool has_spent_records() const noexcept { return spent_records_; }
  void note_spent_records(bool some) noexcept { spent_records_ = some; }
  bool has_tasks() {
    const stay<P> here(me_, whereabouts::runtime);  // public ones, too
    return me_.published != nullptr ? me_.published->has_tasks() : !stack_.tasks.empty();
  }

  // -- executing

  /// Executes tasks until none is left. An exception goes to the run.
  void run_tasks();
  void run_root();
  /// Executes a task in a wait. Its exception goes to the run, and the wait goes on.
  void execute(work::record& task);
  /// Executes a task inside the one that made it, for want of memory.
  void run_in_place(work::record& task);
  /// Executes a fork that was given away, and notifies the worker that joins it.
  void run_fork(slot* s, typename slot::call_type call);

 private:
  template <class F>
  void spawn_kept(F&& f);
  template <class F>
  [[gnu::noinline]] void spawn_kept_on_full(F f);
  [[gnu::noinline]] void spawn_on_full(work::record& task);
  [[gnu::noinline]] work::record* poll_for_next();
  template <class Wanted>
  [[gnu::noinline]] work::record* poll_for_next_if(Wanted wanted);
  bool take_newest(work::asked<work::record&> wanted);

  worker<P>& me_;
  work::task_stack<P> stack_;
  work::run<P>* run_ = nullptr;
  const group<P>* in_group_ = nullptr;
  account* account_ = nullptr;
  work::record at_hand_;  // the last task that was taken before the worker polled, which may write the deque's slots
  unsigned in_place_ = 0;  // tasks that run in place, one inside the other
  bool spent_records_ = false;
  ground ground_ = ground::task;
  pins pins_;
};

}  // namespace leat::inline LEAT_ABI::scheduler
