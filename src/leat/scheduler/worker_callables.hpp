// A worker's tasks where the type of their callables matters: programs compile this for each of theirs, and all else of a
// worker is compiled once, in the library (instances.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "leat/scheduler/abort.hpp"
#include "leat/scheduler/worker.hpp"

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
  check_process(*this);
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

// Where all is public: the newest task, if it is wanted, and ours for sure, and nobody asks. It is looked at and taken with no
// interrupt between, which could leave a hole there (I2).
template <class P>
template <class Wanted>
record* worker<P>::pop_public(Wanted wanted) {
  if (exposure_.now() != protocol::exposure::all || where_.load(platform::relaxed) != whereabouts::task) return nullptr;
  const undisturbed<P> here(*this);
  record* const newest = tasks_.newest();
  return newest != nullptr && wanted(*newest) ? tasks_.pop_public() : nullptr;
}

// -- tasks of groups --------------------------------------------------------------------------------------------------

template <class P>
template <class F>
[[gnu::always_inline]] inline void worker<P>::spawn_owned(group<P>& g, void (*call)(void*, bool), F f) {
  const record::owned_head head{&g, call};
  if (tasks_.full()) [[unlikely]] {
    record spare;  // as in spawn_kept
    record::write_owned(&spare, group<P>::invoke, head, std::move(f));
    return spawn_on_full(spare);
  }
  record::write_owned(tasks_.free_slot(), group<P>::invoke, head, std::move(f));
  tasks_.push();
  if (tasks_.asked()) [[unlikely]]
    pushed();
}

template <class P>
template <class F>
[[gnu::always_inline]] inline void group<P>::spawn(worker<P>& me, void (*call)(void*, bool), F f) {
  if (&me == owner_) [[likely]]
    ++local_;
  else if (accounts_for(me)) [[likely]] me.account_->add(1);
  else count_in(me);
  try {
    me.spawn_owned(*this, call, std::move(f));
  } catch (...) {
    count_back(me);
    throw;
  }
}

template <class P>
template <class F, class Wanted>
std::optional<F> group<P>::take_back(worker<P>& me, void (*call)(void*, bool), Wanted wanted, std::uint64_t since) {
  const auto mine = [&](record& r) { return of(r) == this && r.head().call == call && wanted(r.template owned<F>()); };
  record* const r = me.take_back_if(mine, since);
  if (r == nullptr) return std::nullopt;
  const F taken = r->template owned<F>();
  count_back(me);
  return taken;
}

}  // namespace leat::scheduler
