// The tasks that a worker has at hand: how it takes its newest, and executes it.
#pragma once

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "leat/scheduler/abort.hpp"
#include "leat/scheduler/channel.hpp"
#include "leat/scheduler/thrown.hpp"
#include "leat/scheduler/worker_callables.hpp"

namespace leat::scheduler {

// Our newest task, or null when there is none left, here or in an answer that came while we were busy.
template <class P>
[[gnu::always_inline]] inline record* worker<P>::next() {
  record* task = tasks_.pop();
  if (task != nullptr) [[likely]]
    return task;
  return next_asked();
}

// The same when there is none, or somebody asks. Apart, so that the way around it needs no frame.
template <class P>
record* worker<P>::next_asked() {
  check_process(*this);
  if (record* task = pop_public([](record&) { return true; })) return task;
  const stay<P> here(*this, whereabouts::runtime);
  record* task = tasks_.pop_unasked();
  if (task == nullptr && outstanding_ && answers_.size() != 0) {
    accept(*answers_.try_receive());
    task = tasks_.pop_unasked();
  }
  // Our own task is taken first; thieves are served from what is left (thesis, Figure 3.2). Aside, as what a late answer
  // brings may take its slot.
  if (task != nullptr) task = &(at_hand_ = *task);
  if (!sees_nothing_new()) look();
  // The look may have accepted an answer that came this moment.
  if (task == nullptr && (task = tasks_.pop_unasked()) != nullptr) task = &(at_hand_ = *task);
  return task;
}

// The newest task, which an interrupt may have lent meanwhile.
template <class P>
bool worker<P>::take_newest() {
  const stay<P> here(*this, whereabouts::runtime);
  return tasks_.pop_unasked() != nullptr;
}

template <class P>
void worker<P>::run_tasks() {
  const ground on = std::exchange(ground_, ground::task);
  for (;;) {
    try {
      while (record* task = next()) {
        counts_.add(event::tasks);
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
void worker<P>::execute(record& task) {
  const stay<P> away(*this, whereabouts::task);
  counts_.add(event::tasks);
  try {
    task.invoke(task);
  } catch (...) {
    run_->fail(thrown());
  }
  check_process(*this);
}

template <class P>
void worker<P>::run_root() {
  ground_ = ground::root;
  run_->call_root();
  ground_ = ground::task;
}

template <class P>
void worker<P>::spawn_on_full(record& task) {
  {
    const stay<P> here(*this, whereabouts::runtime);
    record* place = tasks_.room();
    if (place == nullptr && tasks_.grow()) place = tasks_.room();
    if (place != nullptr) {
      *place = task;
      tasks_.push();
      return poll();
    }
  }
  if (in_place_ == in_place_max) throw std::bad_alloc();
  run_in_place(task);
}

template <class P>
void worker<P>::run_in_place(record& task) {
  ++in_place_;
  poll();
  counts_.add(event::tasks);
  counts_.add(event::inlined);
  try {
    const stay<P> away(*this, whereabouts::task);
    call_as_task_of(nullptr, [&] { task.invoke(task); });
  } catch (...) {
    run_->fail(thrown());
  }
  --in_place_;
}

}  // namespace leat::scheduler
