// The body of the waiter. Rules LEAPFROG, WORKER-4, WORKER-7, WORKER-12: docs/internals/protocol.md; LOOP-19:
// docs/internals/loops.md; DEADLOCK-1 to DEADLOCK-6: docs/internals/deadlocks.md.
#pragma once

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "leat/scheduler/scheduler.hpp"
#include "leat/waiting/wait_pace.hpp"

namespace leat::inline LEAT_ABI::scheduler {

// -- joins ------------------------------------------------------------------------------------------------------------

// True if the fork in `s` was not given away. Then the limit was signalled for a request, so requests are serviced
// before the caller runs the fork.
template <class P>
bool waiter<P>::keeps_after_poll(deque::fork_stack<P>& forks, slot* s) {
  if (me_.published != nullptr) return me_.published->keeps(forks, s);
  if (forks.given_away(s)) return false;
  me_.responder.poll();
  return true;
}

// The top stays above the slot during the wait, so that forks made in the wait leave the slot alone until the result
// is there.
template <class P>
bool waiter<P>::join_tls(slot* s) {
  auto& stack = me_.stack();
  const stay<P> here(me_, whereabouts::runtime);
  if (keeps_after_poll(stack.tls_forks, s)) return false;
  stack.set_top(s + 1);
  join(stack.tls_forks, s);
  stack.set_top(s);
  if (me_.published != nullptr) me_.published->joined(stack.tls_forks);
  return true;
}

// The same in context form, whose top is an argument: here the floor keeps the slot in use.
template <class P>
bool waiter<P>::join_context(slot* s) {
  auto& stack = me_.stack();
  const stay<P> here(me_, whereabouts::runtime);
  if (keeps_after_poll(stack.context_forks, s)) return false;
  slot* const floor = stack.exchange_context_floor(s + 1);
  join(stack.context_forks, s);
  stack.exchange_context_floor(floor);
  if (me_.published != nullptr) me_.published->joined(stack.context_forks);
  return true;
}

// The thief is read anew in each round: it may have lost the fork to a third worker, or this worker may have got it
// back.
template <class P>
void waiter<P>::join(deque::fork_stack<P>& forks, slot* s) {
  const auto done = [s] { return is_done(s); };
  const auto thief = [this, s](bool) {
    const protocol::worker_id id = s->thief.load(platform::relaxed);  // relaxed: a hint
    // The fork may have come back, below the mark of this wait.
    work::record returned;
    const bool found = id == me_.id() && take_fork(s, returned);
    sink_marks();  // a search that finds nothing may have dropped tombstones, too
    if (found) help_with(returned);
    return std::optional(id);
  };
  help_until(s, waiting::wait_about{waiting::wait_kind::join, s}, done, thief);
  forks.joined(s);
}

template <class P>
void waiter<P>::await_thief(const slot* s) const noexcept {
  handshake::parker<P>::spin([s] { return is_done(s); },
                             std::min(me_.home.cpus().spin_ns(me_.home.config().spin_ns), thief_ns_max));
}

// -- awaited work in the worker's own deque ---------------------------------------------------------------------------

// LEAPFROG-2: a fork that was given away comes back when an answer brings it. Then no other worker can execute it.
template <class P>
bool waiter<P>::take_fork(const void* target, work::record& taken) {
  if (!me_.stack().has_forks_of_others()) return false;
  const stay<P> here(me_, whereabouts::runtime);
  const auto wanted = [target](work::record& r) {
    const auto* const fork = r.template kept<given_fork<P>>();
    return fork != nullptr && fork->slot == target;
  };
  std::uint64_t popped = 0;
  const bool found = me_.stack().begin_search().take(wanted, taken, popped);
  me_.counts.add(event::tasks, popped - (found ? 1 : 0));  // a tombstone counts; the fork is counted when executed
  return found;
}

// Tasks of the group may lie beneath other tasks, which stay where they are (rules SEARCH, owned_tasks.hpp).
template <class P>
bool waiter<P>::take_owned(const group<P>* g, search& where, work::record& taken) {
  const stay<P> here(me_, whereabouts::runtime);  // INTERRUPT-1: no interrupt moves the deque's ends during the search
  std::uint64_t popped = 0;
  const bool found = where.take([g](work::record& r) { return group<P>::of(r) == g; }, taken, popped);
  me_.counts.add(event::tasks, popped);  // a tombstone counts as its task
  return found;
}

// LEAPFROG-2: giving the awaited work itself serves the waiter best, as its wait ends with it.
template <class P>
bool waiter<P>::take_back_awaited(const void* target, work::record& taken) {
  if (take_fork(target, taken)) {
    me_.stack().fork_begins();
    return true;
  }
  const group<P>* const g = group<P>::with_target(target);
  if (g == nullptr) return false;
  search where = me_.stack().begin_search();
  if (!take_owned(g, where, taken)) return false;
  me_.counts.take_one(event::tasks);  // the worker that executes it counts it
  return true;
}

// -- waits that run only descendants ----------------------------------------------------------------------------------

// Work goes before waiting: own tasks, then messages, then public tasks of the thief, and only then a request.
// The worker sleeps only after spin_ns without any of these, and never while its own offer is still needed.
template <class P>
template <class Ready, class Whom>
std::uint32_t waiter<P>::leapfrog_until(const void* target, const waiting::wait_about& about, Ready ready, Whom whom) {
  const stay<P> here(me_, whereabouts::runtime);
  const profile::worker_times::during shown(me_.times, profile::activity::waiting);
  const ground on = me_.runner.exchange_ground(ground::task);
  std::optional<waiting::long_wait<P>> listed;
  waiting::own_wait mine{target, me_.stack().tasks.end_index(), me_.ancestry.wait(), me_.ancestry.wait_number_next()};
  me_.ancestry.enter(mine);
  me_.counts.at_least(event::waits_nested_max, me_.ancestry.waits());
  mine.whom = whom(false);
  if (me_.responder.keeps_requests()) me_.responder.service();  // this wait may show where to send them on (LEAPFROG-4)
  const auto over = [&] { return ready() || (listed && listed->is_chosen()); };
  waiting::wait_pace<P> pace;
  while (!over()) {
    if (run_task_of_wait()) {
      pace.restart();
      continue;
    }
    if (answers_or_accepts()) continue;
    mine.whom = whom(false);
    if (helps_itself(mine)) continue;
    me_.requester.learn_from_waiting();
    if (pace.may_request() && leapfrogs(mine)) {
      mine.whom = whom(true);
      pace.requested();
    }
    P::relax();
    if (!pace.is_time_to_check()) continue;
    P::yield();
    if (me_.responder.keeps_requests()) me_.responder.service();  // the worker to ask may have changed since
    const std::uint64_t waited_ns = pace.waited_ns();
    if (waited_ns < me_.home.cpus().spin_ns(me_.home.config().spin_ns)) continue;
    if (me_.donor.may_offer()) continue;  // other workers offer; if their offers fail, no signal comes
    if (waited_ns >= me_.home.config().list_waits_after_ns) list(listed, about);
    sleep(over, pace.sleep_ns());
    pace.slept();
  }
  me_.requester.end_leapfrogging();
  me_.ancestry.leave(mine);
  // What was lent during a group's wait has been given back when the group is done. Later there may always be another
  // loan, and a worker that gives most of its tasks away would run to the end of its deque, and let it grow.
  me_.stack().tasks.rewind();
  me_.responder.reopen_if_closed();
  me_.runner.set_ground(on);
  return end_listed(listed);
}

// Runs the newest task, if it came for the innermost wait. Any other task might take a lock that the waiter holds.
template <class P>
bool waiter<P>::run_task_of_wait() {
  auto& deque = me_.stack().tasks;
  if (deque.empty() || deque.end_index() <= me_.ancestry.wait()->tasks_end) return false;
  help_with(*deque.pop_without_poll());
  return true;
}

// Executes a task in the innermost wait. Tasks that it leaves in the deque are not for this wait: a serial execution
// would reach them later. They are moved beneath the tasks that are for this wait (LEAPFROG-7).
template <class P>
void waiter<P>::help_with(work::record& task) {
  auto& deque = me_.stack().tasks;
  waiting::own_wait& w = *me_.ancestry.wait();
  w.others_end = deque.end_index();
  me_.runner.execute(task);
  const std::uint64_t end = deque.end_index();
  if (deque.empty() || end <= w.others_end) return;
  const std::uint64_t first = std::max(w.tasks_end, deque.oldest_index());
  if (first >= w.others_end) {
    w.tasks_end = end;
    return;
  }
  work::record* const oldest = &deque.at(first);
  std::rotate(oldest, oldest + (w.others_end - first), oldest + (end - first));
  w.tasks_end = first + (end - w.others_end);
}

// True if an answer was accepted or requests were serviced. The channels are read and not the limit, since a message
// may lie there before its signal.
template <class P>
bool waiter<P>::answers_or_accepts() {
  if (me_.requester.has_answer()) {
    me_.requester.accept_answer();
    return true;
  }
  if (!me_.responder.is_request_pending() && !me_.donor.is_needed()) return false;
  me_.responder.service();
  return true;
}

// EXPOSURE-3: taking a public task of the awaited group costs no request, so an eager waiter tries that first.
template <class P>
bool waiter<P>::helps_itself(const waiting::own_wait& w) {
  if (!w.whom || *w.whom == me_.id() || !me_.exposer.is_eager()) return false;
  return me_.hunter.helps_itself(w.target, me_.home.worker_at(*w.whom));
}

// LEAPFROG-1: sends a leapfrog request. True also if it was refused: in both cases another worker is to be asked next.
template <class P>
bool waiter<P>::leapfrogs(const waiting::own_wait& w) {
  if (!w.whom || *w.whom == me_.id() || me_.requester.has_request_out()) return false;
  me_.requester.leapfrog(w.target, *w.whom);
  return true;
}

// Sleeps until the wait is over, or there is something to do in it, or `ns` has passed, and then checks all workers. A
// waiter that has tasks stays a victim, so it tells the manager that it waits (ACTOR-4).
template <class P>
template <class Over>
void waiter<P>::sleep(Over over, std::uint64_t ns) {
  const bool has_work_for_others = me_.stack().has_work();
  if (!has_work_for_others) me_.responder.close_if_open();  // WORKER-5
  me_.donor.watch_out().end();
  if (has_work_for_others) me_.home.manager().add_waiting_victim();
  const auto disturbed = [&] {
    return over() || me_.requester.is_answered() || me_.responder.is_request_pending() || me_.donor.may_offer();
  };
  {
    const profile::worker_times::asleep shown(me_.times);
    me_.parker.wait_for(disturbed, ns);
  }
  // INTERRUPT-11: the worker that executes the awaited work may be deep in a task, and owe a poll.
  if (me_.home.watch().on()) me_.home.watch().check_all(me_, disturbed);
  me_.counts.add(event::parks);
  if (has_work_for_others) me_.home.manager().remove_waiting_victim();
}

// -- waits that run any task ------------------------------------------------------------------------------------------

// A task that runs here may be unrelated to the caller. So the scopes and the group are set aside: it descends from
// neither.
template <class P>
template <class Ready>
std::uint32_t waiter<P>::work_until(Ready ready, const waiting::wait_about* about) {
  auto& runner = me_.runner;
  const ground on = runner.exchange_ground(ground::task);
  const group<P>* const in_group = runner.exchange_group(nullptr);  // the next task may be of no group here
  waiting::open_wait<P> open{me_.ancestry.innermost(), me_.ancestry.open(), about};
  me_.ancestry.enter(open);  // first, so that an interrupt that comes between misses no scope
  ancestor_scope<P>* const scope = me_.ancestry.begin_anew();
  const auto over = [&] { return ready() || open.is_chosen(); };
  const auto begins_task = [&] {
    if constexpr (requires { ready.begins_task(); }) ready.begins_task();
    return true;
  };
  if (me_.published != nullptr) me_.published->work_until(over, begins_task, about == nullptr || !about->runs_nothing);
  while (!over()) {
    if (work::record* task = runner.next()) {
      begins_task();
      runner.execute(*task);
      continue;
    }
    const stay<P> here(me_, whereabouts::runtime);
    const profile::worker_times::during shown(me_.times, profile::activity::waiting);
    const auto a = me_.requester.await(protocol::status::working, runner.run_id(), over);
    if (a) me_.requester.accept(*a);
    else break;
  }
  runner.exchange_group(in_group);
  me_.ancestry.go_back_to(scope);
  me_.ancestry.leave(open);
  // The tasks that are left may be unrelated to the waits beneath, which must not run them.
  me_.ancestry.strangers_came(me_.stack().tasks.end_index());
  const stay<P> here(me_, whereabouts::runtime);
  const std::uint32_t circle = end_listed(open.listed);
  me_.requester.stop_asking();
  if (me_.published == nullptr) me_.responder.reopen_if_closed();
  runner.set_ground(on);
  return circle;
}

// WORKER-7: the root counts as idle here, else its run would never be seen to end. Only the dummy that names the run
// ends the barrier.
template <class P>
void waiter<P>::barrier() {
  auto& runner = me_.runner;
  if (runner.on() != ground::root || !me_.stack().has_no_forks())
    throw misplaced_barrier("leat::barrier: only the root of a run may wait for all its tasks");
  runner.set_ground(ground::task);
  if (me_.published != nullptr) me_.published->barrier();
  else wait_for_dummy();
  runner.set_ground(ground::root);
  if (auto failure = runner.current_run()->take_failure()) std::rethrow_exception(failure);
}

template <class P>
void waiter<P>::wait_for_dummy() {
  auto& runner = me_.runner;
  const waiting::wait_about about{waiting::wait_kind::barrier};
  waiting::open_wait<P> open{me_.ancestry.innermost(), me_.ancestry.open(), &about};
  me_.ancestry.enter(open);
  for (;;) {
    runner.run_tasks();
    const stay<P> here(me_, whereabouts::runtime);
    const profile::worker_times::during shown(me_.times, profile::activity::waiting);
    const auto a = me_.requester.await(protocol::status::idle, runner.run_id(), [] { return false; });
    me_.requester.accept(*a);
    if (a->what != post::answer<P>::kind::dummy || a->of == nullptr) continue;  // WORKER-7
    end_listed(open.listed);
    break;
  }
  me_.ancestry.leave(open);
}

// -- the list of long waits -------------------------------------------------------------------------------------------

// DEADLOCK-1: a wait is listed once, with the scopes and waits that lie beneath it. They stay as they are while it
// lasts.
template <class P>
void waiter<P>::list(std::optional<waiting::long_wait<P>>& w, const waiting::wait_about& about) {
  if (w) return;
  w.emplace(about, me_.id(), me_.parker, me_.ancestry.innermost(), me_.ancestry.open(), P::now_ns());
  if (me_.home.hangs().on()) return me_.home.hangs().list(*w, me_.runner.current_run());
  me_.home.long_waits().enter(*w);
}

// Such a wait has no join target, so it is in no circle: it is listed for the report alone.
template <class P>
void waiter<P>::list_if_reported(std::optional<waiting::long_wait<P>>& w, waiting::wait_kind kind,
                                 const void* awaited) {
  if (!me_.home.hangs().on()) return;
  waiting::wait_about about{kind};
  about.reported = awaited;
  list(w, about);
}

// Called when the thief is about to sleep: only then has the open wait found nothing to execute.
template <class P>
void waiter<P>::list_open_wait() {
  waiting::open_wait<P>* const w = me_.ancestry.open();
  if (w != nullptr && w->about != nullptr) list(w->listed, *w->about);
}

// Must be called on every way out of a listed wait: the list points into its frame.
template <class P>
std::uint32_t waiter<P>::end_listed(std::optional<waiting::long_wait<P>>& w) noexcept {
  return w && !me_.home.forked() ? me_.home.long_waits().leave(*w)
                                 : 0;  // a forked child lacks the list's other threads, and one may hold its lock
}

}  // namespace leat::inline LEAT_ABI::scheduler
