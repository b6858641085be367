// The body of the runner: how a worker takes its newest task, and executes it.
#pragma once

#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "leat/platform/thrown.hpp"
#include "leat/scheduler/process.hpp"
#include "leat/scheduler/scheduler.hpp"

namespace leat::inline LEAT_ABI::scheduler {

// Every task passes here, so the common path is one comparison. Late answers and requests are left to the slow path.
template <class P>
[[gnu::always_inline]] inline work::record* runner<P>::next() {
  work::record* task = stack_.tasks.pop();
  if (task != nullptr) [[likely]]
    return task;
  return poll_for_next();
}

// The slow path: no task is left, or a request is pending. Apart, so that the common path needs no frame.
template <class P>
work::record* runner<P>::poll_for_next() {
  check_process(me_);
  if (me_.published != nullptr) {
    const auto any = [](work::record&) { return true; };
    return me_.published->next(any);
  }
  const stay<P> here(me_, whereabouts::runtime);
  work::record* task = stack_.tasks.pop_without_poll();
  if (task == nullptr && me_.requester.has_answer()) {
    me_.requester.accept_answer();
    task = stack_.tasks.pop_without_poll();
  }
  // The worker's own task is taken first; thieves are served from the rest (thesis, Figure 3.2). It is copied aside,
  // as the tasks of a late answer may take its slot.
  if (task != nullptr) task = &(at_hand_ = *task);
  me_.responder.poll();
  // The poll may have accepted an answer that came this moment.
  if (task == nullptr && (task = stack_.tasks.pop_without_poll()) != nullptr) task = &(at_hand_ = *task);
  return task;
}

// An interrupt may have lent the newest task meanwhile (INTERRUPT-2); inside the runtime none can. A processor may have got
// another task then, so it is told which one is wanted.
template <class P>
bool runner<P>::take_newest(work::asked<work::record&> wanted) {
  if (me_.published != nullptr) {
    check_process(me_);
    return me_.published->next(wanted) != nullptr;
  }
  const stay<P> here(me_, whereabouts::runtime);
  return stack_.tasks.pop_without_poll() != nullptr;
}

// An exception ends one task, not the loop: a run is over only when all its tasks are done.
template <class P>
void runner<P>::run_tasks() {
  const ground on = std::exchange(ground_, ground::task);
  auto& counts = me_.counts;  // in a register: the worker's address is not loaded for each task
  for (;;) {
    try {
      while (work::record* task = next()) {
        counts.add(event::tasks);
        task->invoke(*task);
      }
      ground_ = on;
      return;
    } catch (...) {
      run_->fail(platform::thrown());
    }
  }
}

// Executed in a wait, the task may be unrelated to the waiter. So its exception goes to the run and not to the
// waiter.
template <class P>
void runner<P>::execute(work::record& task) {
  const stay<P> away(me_, whereabouts::task);
  me_.counts.add(event::tasks);
  try {
    task.invoke(task);
  } catch (...) {
    run_->fail(platform::thrown());
  }
  check_process(me_);  // the task may have called fork()
}

// Only here is the ground `root`, so that only the root's own code passes the check of a barrier.
template <class P>
void runner<P>::run_root() {
  ground_ = ground::root;
  run_->call_root();
  ground_ = ground::task;
}

// Growing comes first: a task that runs inside its parent may wait for that parent, or recurse until the stack ends.
template <class P>
void runner<P>::spawn_on_full(work::record& task) {
  {
    const stay<P> here(me_, whereabouts::runtime);
    if (me_.published != nullptr) me_.published->tasks_move();
    work::record* place = stack_.tasks.room();
    if (place == nullptr && stack_.tasks.grow()) place = stack_.tasks.room();
    if (place != nullptr) {
      *place = task;
      stack_.tasks.push();
      return me_.poll();
    }
  }
  if (in_place_ == in_place_max) throw std::bad_alloc();
  run_in_place(task);
}

// Polls as the push would have, so that thieves are served however long tasks run in place.
template <class P>
void runner<P>::run_in_place(work::record& task) {
  ++in_place_;
  me_.poll();
  me_.counts.add(event::tasks);
  me_.counts.add(event::inlined);
  try {
    const stay<P> away(me_, whereabouts::task);
    // In no group at first: the task may be of another group than the one around it, or of none.
    call_as_task_of(nullptr, [&] { task.invoke(task); });
  } catch (...) {
    run_->fail(platform::thrown());
  }
  --in_place_;
}

// The owner may reuse the slot as soon as `state` is stored. So the owner is read first, and nothing of the slot is
// touched after the store.
template <class P>
void runner<P>::run_fork(slot* s, typename slot::call_type call) {
  stack_.fork_begins();
  auto* const owner = static_cast<worker<P>*>(deque::fork_stack<P>::header_of(s).owner);
  auto outcome = slot::outcome::done;
  {
    ancestor_scope<P> e(me_, s);
    try {
      // Of no group: the group that this worker waits in, if any, need not be the fork's.
      call_as_task_of(nullptr, [&] { call(*s, stack_.context_floor()); });
    } catch (...) {
      ::new (static_cast<void*>(s->payload)) std::exception_ptr(platform::thrown());
      outcome = slot::outcome::failed;
    }
  }
  s->state.store(outcome, platform::release);  // pairs with join; the slot is the owner's from here on (FORK-4)
  owner->notify();
}

}  // namespace leat::inline LEAT_ABI::scheduler
