// The body of the runner: how a worker takes its newest task, and executes it.
#pragma once

#include <exception>
#include <new>
#include <optional>
#include <utility>

#include "leat/scheduler/abort.hpp"
#include "leat/scheduler/scheduler.hpp"
#include "leat/scheduler/thrown.hpp"

namespace leat::scheduler {

// Our newest task, or null when there is none left, here or in an answer that came while we were busy.
template <class P>
[[gnu::always_inline]] inline record* runner<P>::next() {
  record* task = stack_.tasks.pop();
  if (task != nullptr) [[likely]]
    return task;
  return next_asked();
}

// The same when there is none, or somebody asks. Apart, so that the way around it needs no frame.
template <class P>
record* runner<P>::next_asked() {
  check_process(me_);
  if (record* task = me_.exposer.pop([](record&) { return true; })) return task;
  const stay<P> here(me_, whereabouts::runtime);
  record* task = stack_.tasks.pop_unasked();
  if (task == nullptr && me_.requester.has_answer()) {
    me_.requester.accept_answer();
    task = stack_.tasks.pop_unasked();
  }
  // Our own task is taken first; thieves are served from what is left (thesis, Figure 3.2). Aside, as what a late answer
  // brings may take its slot.
  if (task != nullptr) task = &(at_hand_ = *task);
  me_.responder.poll();
  // The look may have accepted an answer that came this moment.
  if (task == nullptr && (task = stack_.tasks.pop_unasked()) != nullptr) task = &(at_hand_ = *task);
  return task;
}

// The newest task, which an interrupt may have lent meanwhile.
template <class P>
bool runner<P>::take_newest() {
  const stay<P> here(me_, whereabouts::runtime);
  return stack_.tasks.pop_unasked() != nullptr;
}

template <class P>
void runner<P>::run_tasks() {
  const ground on = std::exchange(ground_, ground::task);
  for (;;) {
    try {
      while (record* task = next()) {
        me_.counts.add(event::tasks);
        task->invoke(*task);
      }
      ground_ = on;
      return;
    } catch (...) {
      run_->fail(thrown());
    }
  }
}

// A task in a wait: what it throws belongs to the run, and the wait goes on.
template <class P>
void runner<P>::execute(record& task) {
  const stay<P> away(me_, whereabouts::task);
  me_.counts.add(event::tasks);
  try {
    task.invoke(task);
  } catch (...) {
    run_->fail(thrown());
  }
  check_process(me_);
}

template <class P>
void runner<P>::run_root() {
  ground_ = ground::root;
  run_->call_root();
  ground_ = ground::task;
}

template <class P>
void runner<P>::spawn_on_full(record& task) {
  {
    const stay<P> here(me_, whereabouts::runtime);
    record* place = stack_.tasks.room();
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

template <class P>
void runner<P>::run_in_place(record& task) {
  ++in_place_;
  me_.poll();
  me_.counts.add(event::tasks);
  me_.counts.add(event::inlined);
  try {
    const stay<P> away(me_, whereabouts::task);
    call_as_task_of(nullptr, [&] { task.invoke(task); });
  } catch (...) {
    run_->fail(thrown());
  }
  --in_place_;
}

template <class P>
void runner<P>::run_fork(slot* s, typename slot::call_type call) {
  stack_.fork_begins();
  auto* const owner = static_cast<worker<P>*>(deque::fork_stack<P>::header_of(s).owner);
  auto outcome = slot::outcome::done;
  {
    ancestor_scope<P> e(me_, s);
    try {
      // Of no group: the one that we wait in, if we do, may be another's.
      call_as_task_of(nullptr, [&] { call(*s, stack_.context_floor()); });
    } catch (...) {
      ::new (static_cast<void*>(s->payload)) std::exception_ptr(thrown());
      outcome = slot::outcome::failed;
    }
  }
  s->state.store(outcome, platform::release);  // pairs with join; the slot is the owner's from here on (K4)
  owner->notify();
}

}  // namespace leat::scheduler
