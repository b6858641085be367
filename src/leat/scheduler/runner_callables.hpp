// The functions of the runner that depend on the type of a callable. They are inlined into programs, so each has a
// short common path.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "leat/scheduler/process.hpp"
#include "leat/scheduler/worker.hpp"
#include "leat/waiting/wait.hpp"

namespace leat::inline LEAT_ABI::scheduler {

// Nearly every spawn takes this path: no fence, and one relaxed load tells whether a request is pending (DEQUE-2).
template <class P>
template <class F>
inline void runner<P>::spawn_kept(F&& f) {
  if (stack_.tasks.full()) [[unlikely]]
    return spawn_kept_on_full(std::decay_t<F>(std::forward<F>(f)));
  work::record::write(stack_.tasks.free_slot(), std::forward<F>(f));
  stack_.tasks.push();
  if (stack_.tasks.is_poll_due()) [[unlikely]]
    me_.responder.pushed();
}

// By value. If f's address escaped, the common path would have to build f in memory and copy it, into a stall of the
// store buffer.
template <class P>
template <class F>
void runner<P>::spawn_kept_on_full(F f) {
  work::record spare;
  work::record::write(&spare, std::move(f));
  spawn_on_full(spare);
}

// An interrupt may lend the task after the comparison (INTERRUPT-2). Then the second pop finds nothing, and the task is
// gone.
template <class P>
template <class F>
bool runner<P>::take_back(const F& f) {
  work::record* newest = stack_.tasks.newest();
  if (newest == nullptr || !newest->holds(f)) return false;
  if (stack_.tasks.pop() == nullptr && !take_newest([&f](work::record& r) { return r.holds(f); })) [[unlikely]]
    return false;
  me_.counts.add(event::tasks);
  return true;
}

// Copied out before it is popped: from then on a push may reuse the slot.
template <class P>
template <class F, class Wanted>
std::optional<F> runner<P>::take_newest_if(Wanted wanted) {
  const auto mine = [&wanted](work::record& r) {
    const F* const f = r.template kept<F>();
    return f != nullptr && wanted(*f);
  };
  // INTERRUPT-1: no interrupt lends the task between the comparison and the pop
  const stay<P> here(me_, whereabouts::runtime);
  work::record* newest = stack_.tasks.newest();
  if (me_.published != nullptr) newest = me_.published->next(mine);
  else if (newest != nullptr && !mine(*newest)) newest = nullptr;
  if (newest == nullptr) return std::nullopt;
  const F taken = *newest->template kept<F>();
  if (me_.published == nullptr) stack_.tasks.pop_without_poll();
  me_.counts.add(event::tasks);
  return taken;
}

// The task is popped before it is examined: from then on no interrupt can lend it. An unwanted task is pushed back.
template <class P>
template <class Wanted>
[[gnu::always_inline]] inline work::record* runner<P>::next_if(Wanted wanted) {
  work::record* newest = stack_.tasks.pop();
  if (newest == nullptr) [[unlikely]]
    return poll_for_next_if(wanted);
  if (wanted(*newest)) [[likely]]
    return newest;
  stack_.tasks.push();
  return nullptr;
}

// The slow path of next_if. A task that is not wanted must stay untouched, so it is examined before the pop.
template <class P>
template <class Wanted>
work::record* runner<P>::poll_for_next_if(Wanted wanted) {
  check_process(me_);
  if (me_.published != nullptr) [[unlikely]]
    return me_.published->next(wanted);
  const stay<P> here(me_, whereabouts::runtime);
  work::record* newest = stack_.tasks.newest();
  if (newest == nullptr || !wanted(*newest)) return nullptr;
  at_hand_ = *stack_.tasks.pop_without_poll();  // aside: the poll may overwrite its slot
  me_.responder.poll();
  return &at_hand_;
}

// Tasks below `tasks_end` are for outer waits. `others_end` sinks with the deque, so that later tasks are not taken
// for older ones (LEAPFROG-7).
template <class P>
template <class Wanted>
[[gnu::always_inline]] inline work::record* runner<P>::next_in_wait_if(Wanted wanted) {
  waiting::own_wait* const wait = me_.ancestry.wait();
  if (stack_.tasks.end_index() <= wait->tasks_end) return nullptr;
  work::record* const next = next_if(wanted);
  if (next != nullptr) wait->others_end = std::min(wait->others_end, stack_.tasks.end_index());
  return next;
}

// Tasks above `since` were pushed by the caller. They need not be above the marks of the innermost wait: a wait for
// any task, which has no marks, may be executing the caller.
template <class P>
template <class Wanted>
[[gnu::always_inline]] inline work::record* runner<P>::take_back_if(Wanted wanted, std::uint64_t since) {
  if (me_.ancestry.wait() == nullptr || stack_.tasks.end_index() > since) return next_if(wanted);
  return next_in_wait_if(wanted);
}

// -- tasks of groups --------------------------------------------------------------------------------------------------

// As spawn_kept, with a record that names its group. The group has counted the task before (GROUP-2).
template <class P>
template <class F>
[[gnu::always_inline]] inline void runner<P>::spawn_owned(group<P>& g, void (*call)(void*, bool), F f) {
  const work::record::owned_head head{&g, call};
  if (stack_.tasks.full()) [[unlikely]] {
    work::record spare;  // as in spawn_kept
    work::record::write_owned(&spare, group<P>::invoke, head, std::move(f));
    return spawn_on_full(spare);
  }
  work::record::write_owned(stack_.tasks.free_slot(), group<P>::invoke, head, std::move(f));
  stack_.tasks.push();
  if (stack_.tasks.is_poll_due()) [[unlikely]]
    me_.responder.pushed();
}

// Counted before the push (GROUP-2): a thief may take the task and end it at once. Only a worker without an account
// needs a read-modify-write (GROUP-6).
template <class P>
template <class F>
[[gnu::always_inline]] inline void group<P>::spawn(worker<P>& me, void (*call)(void*, bool), F f) {
  if (&me == owner_) [[likely]]
    count_.add_own(1);
  else if (accounts_for(me)) [[likely]] me.runner.innermost_account()->add(1);
  else count_in(me);
  try {
    me.runner.spawn_owned(*this, call, std::move(f));
  } catch (...) {
    // The task was counted, but there is none (GROUP-2).
    count_back(me);
    throw;
  }
}

// Counted back: the caller goes on with the task as part of its own, which the group still counts.
template <class P>
template <class F, class Wanted>
std::optional<F> group<P>::take_back(worker<P>& me, void (*call)(void*, bool), Wanted wanted, std::uint64_t since) {
  const auto mine = [&](work::record& r) {
    return of(r) == this && r.head().call == call && wanted(r.template owned<F>());
  };
  work::record* const r = me.runner.take_back_if(mine, since);
  if (r == nullptr) return std::nullopt;
  const F taken = r->template owned<F>();
  count_back(me);
  return taken;
}

}  // namespace leat::inline LEAT_ABI::scheduler
