// The tasks that a worker has at hand: how it takes its newest, and executes it.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>

#include "leat/scheduler/channel.hpp"
#include "leat/scheduler/thrown.hpp"

namespace leat::scheduler {

template <class P>
template <class F>
inline void worker<P>::spawn_kept(F&& f) {
  if (tasks_.full()) [[unlikely]]
    return spawn_kept_on_full(std::decay_t<F>(std::forward<F>(f)));
  record::write(tasks_.free_slot(), std::forward<F>(f));
  tasks_.push();
  if (tasks_.asked()) [[unlikely]]
    pushed();
}

// By value: if f's address escaped, the common path would have to build f in memory and copy it from there, into a stall of
// the store buffer.
template <class P>
template <class F>
void worker<P>::spawn_kept_on_full(F f) {
  record spare;
  record::write(&spare, std::move(f));
  spawn_on_full(spare);
}

template <class P>
template <class F>
bool worker<P>::take_back(const F& f) {
  record* newest = tasks_.newest();
  if (newest == nullptr || !newest->holds(f)) return false;
  if (tasks_.pop() == nullptr && !take_newest()) [[unlikely]]
    return false;
  counts_.add(event::tasks);
  return true;
}

template <class P>
template <class F, class Wanted>
std::optional<F> worker<P>::take_newest_if(Wanted wanted) {
  const stay<P> here(*this, whereabouts::runtime);  // I1: what is looked at is what is taken
  record* newest = tasks_.newest();
  const F* f = newest == nullptr ? nullptr : newest->template kept<F>();
  if (f == nullptr || !wanted(*f)) return std::nullopt;
  const F taken = *f;
  tasks_.pop_unasked();
  counts_.add(event::tasks);
  return taken;
}

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

// The newest task if it is wanted; else it stays.
template <class P>
template <class Wanted>
[[gnu::always_inline]] inline record* worker<P>::next_if(Wanted wanted) {
  record* newest = tasks_.pop();
  if (newest == nullptr) [[unlikely]]
    return next_if_asked(wanted);
  if (wanted(*newest)) [[likely]]
    return newest;
  tasks_.push();
  return nullptr;
}

template <class P>
template <class Wanted>
record* worker<P>::next_if_asked(Wanted wanted) {
  if (record* task = pop_public(wanted)) return task;
  const stay<P> here(*this, whereabouts::runtime);
  record* newest = tasks_.newest();
  if (newest == nullptr || !wanted(*newest)) return nullptr;
  at_hand_ = *tasks_.pop_unasked();  // aside, as in next
  if (!sees_nothing_new()) look();
  return &at_hand_;
}

// The same where it is for the innermost wait: what lies beneath that is not, wanted or not.
template <class P>
template <class Wanted>
[[gnu::always_inline]] inline record* worker<P>::next_in_wait_if(Wanted wanted) {
  if (tasks_.end_index() <= waiting_->tasks_end) return nullptr;
  record* const next = next_if(wanted);
  if (next != nullptr) waiting_->others_end = std::min(waiting_->others_end, tasks_.end_index());
  return next;
}

// What lies above `since` the caller has left itself. It need not be above the marks of the innermost wait: a wait for any
// task, which has none, may be executing the caller.
template <class P>
template <class Wanted>
[[gnu::always_inline]] inline record* worker<P>::take_back_if(Wanted wanted, std::uint64_t since) {
  if (waiting_ == nullptr || tasks_.end_index() > since) return next_if(wanted);
  return next_in_wait_if(wanted);
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
