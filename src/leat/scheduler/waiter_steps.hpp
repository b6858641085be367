// The body of the waiter. Rules L1-L7, W4, W7: docs/internals/protocol.md; CW1-CW6: docs/guide/deadlocks.md.
#pragma once

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "leat/scheduler/scheduler.hpp"

namespace leat::scheduler {

// -- joins ------------------------------------------------------------------------------------------------------------

// Whether the fork in `s` was not given away; if so, pending requests have been answered.
template <class P>
bool waiter<P>::keeps_after_poll(const deque::fork_stack<P>& forks, const slot* s) {
  if (forks.given_away(s)) return false;
  me_.responder.poll();
  return true;
}

template <class P>
bool waiter<P>::join_tls(slot* s) {
  auto& stack = me_.stack();
  if (me_.exposer.keeps(stack.tls_forks, s)) return false;
  const stay<P> here(me_, whereabouts::runtime);
  if (keeps_after_poll(stack.tls_forks, s)) return false;
  stack.set_top(s + 1);
  join(stack.tls_forks, s);
  stack.set_top(s);
  return true;
}

template <class P>
bool waiter<P>::join_context(slot* s) {
  auto& stack = me_.stack();
  if (me_.exposer.keeps(stack.context_forks, s)) return false;
  const stay<P> here(me_, whereabouts::runtime);
  if (keeps_after_poll(stack.context_forks, s)) return false;
  slot* const floor = stack.exchange_context_floor(s + 1);
  join(stack.context_forks, s);
  stack.exchange_context_floor(floor);
  return true;
}

template <class P>
void waiter<P>::join(deque::fork_stack<P>& forks, slot* s) {
  // acquire: pairs with run_fork; the result is there.
  const auto done = [s] { return s->state.load(platform::acquire) != slot::outcome::none; };
  const auto thief = [this, s](bool) {
    const protocol::worker_id id = s->thief.load(platform::relaxed);  // relaxed: a hint
    // It may have come back, beneath the end of this wait.
    record returned;
    const bool found = id == me_.id() && take_fork(s, returned);
    sink_marks();  // a search that finds nothing may have dropped holes, too
    if (found) help_with(returned);
    return std::optional(id);
  };
  help_until(s, wait_about{wait_kind::join, s}, done, thief);
  forks.joined(s);
}

// -- what is awaited, in the worker's own deque -----------------------------------------------------------------------

// L2
template <class P>
bool waiter<P>::take_fork(const void* target, record& taken) {
  if (!me_.stack().has_forks_of_others()) return false;
  const stay<P> here(me_, whereabouts::runtime);
  std::uint64_t popped = 0;
  const bool found = me_.stack().take_fork(static_cast<const slot*>(target), taken, popped);
  me_.counts.add(event::tasks, popped - (found ? 1 : 0));  // a hole counts for its task, and so does who executes it
  return found;
}

template <class P>
bool waiter<P>::take_owned(const group<P>* g, search& where, record& taken) {
  const stay<P> here(me_, whereabouts::runtime);  // I1: between the first look at the deque and the last, its ends stay
  std::uint64_t popped = 0;
  const bool found = where.take([g](record& r) { return group<P>::of(r) == g; }, taken, popped);
  me_.counts.add(event::tasks, popped);  // a hole counts for its task
  return found;
}

template <class P>
bool waiter<P>::take_back_awaited(const void* target, record& taken) {
  if (take_fork(target, taken)) {
    me_.stack().fork_begins();
    return true;
  }
  const group<P>* const g = group<P>::with_key(target);
  if (g == nullptr) return false;
  search where = me_.stack().begin_search();
  if (!take_owned(g, where, taken)) return false;
  me_.counts.take_one(event::tasks);  // the worker that executes it counts it
  return true;
}

// -- waits that run only descendants ----------------------------------------------------------------------------------

template <class P>
struct waiter<P>::pacing {
  static constexpr unsigned rounds_per_look = 64;
  static constexpr unsigned pause_max = 4096;  // rounds before a vain request is sent again
  static constexpr std::uint64_t sleep_ns_min = 100'000, sleep_ns_max = 10'000'000;  // before it is sent again in sleep

  unsigned round = 0, next_request = 0, pause = rounds_per_look;
  std::uint64_t start_ns = 0, sleep_ns = sleep_ns_min;

  void restart() noexcept { round = next_request = 0, pause = rounds_per_look, sleep_ns = sleep_ns_min; }
  bool may_request() const noexcept { return round >= next_request; }
  void requested() noexcept {
    next_request = round + pause;
    pause = std::min(2 * pause, pause_max);
  }
  bool is_time_to_look() noexcept { return ++round % rounds_per_look == 0; }
  std::uint64_t waited_ns() noexcept {
    const std::uint64_t now = P::now_ns();
    if (round == rounds_per_look) start_ns = now;
    return now - start_ns;
  }
  void slept() noexcept {
    sleep_ns = std::min(2 * sleep_ns, sleep_ns_max);
    next_request = round;
  }
};

template <class P>
template <class Ready, class Whom>
std::uint32_t waiter<P>::help_until(const void* target, const wait_about& about, Ready ready, Whom whom) {
  const stay<P> here(me_, whereabouts::runtime);
  const ground on = me_.runner.exchange_ground(ground::task);
  std::optional<long_wait<P>> listed;
  own_wait mine{target, me_.stack().tasks.end_index(), me_.ancestry.wait(), me_.ancestry.wait_number_next()};
  me_.ancestry.enter(mine);
  me_.counts.at_least(event::waits_nested_max, me_.ancestry.waits());
  mine.whom = whom(false);
  if (me_.responder.keeps_requests()) me_.responder.service();  // they can be sent on now (L4)
  const auto over = [&] { return ready() || (listed && listed->is_chosen()); };
  pacing p;
  while (!over()) {
    if (run_task_of_wait()) {
      p.restart();
      continue;
    }
    if (answers_or_accepts()) continue;
    mine.whom = whom(false);
    if (helps_itself(mine)) continue;
    me_.requester.learn_from_waiting();
    if (p.may_request() && leapfrogs(mine)) {
      mine.whom = whom(true);
      p.requested();
    }
    P::relax();
    if (!p.is_time_to_look()) continue;
    P::yield();
    if (me_.responder.keeps_requests()) me_.responder.service();  // or now: to another than before
    const std::uint64_t waited_ns = p.waited_ns();
    if (waited_ns < me_.home.config().spin_ns) continue;
    if (me_.donor.may_offer()) continue;  // others do: if that comes to nothing, nobody asks again
    if (waited_ns >= me_.home.config().list_waits_after_ns) list(listed, about);
    sleep(over, p.sleep_ns);
    p.slept();
  }
  me_.requester.end_leapfrogging();
  me_.ancestry.leave(mine);
  me_.stack().tasks.rewind();  // as in reopen
  me_.responder.reopen_if_closed();
  me_.runner.set_ground(on);
  return end_listed(listed);
}

// The worker's newest task, if it came for the innermost wait.
template <class P>
bool waiter<P>::run_task_of_wait() {
  auto& deque = me_.stack().tasks;
  if (deque.empty() || deque.end_index() <= me_.ancestry.wait()->tasks_end) return false;
  help_with(*deque.pop_unasked());
  return true;
}

// Executes a task in the innermost wait. What that leaves in our deque is not for this wait, as a serial execution would
// come to it later: we put it beneath what is (L7).
template <class P>
void waiter<P>::help_with(record& task) {
  auto& deque = me_.stack().tasks;
  own_wait& w = *me_.ancestry.wait();
  w.others_end = deque.end_index();
  me_.runner.execute(task);
  const std::uint64_t end = deque.end_index();
  if (deque.empty() || end <= w.others_end) return;
  const std::uint64_t first = std::max(w.tasks_end, deque.oldest_index());
  if (first >= w.others_end) {
    w.tasks_end = end;
    return;
  }
  record* const oldest = &deque.at(first);
  std::rotate(oldest, oldest + (w.others_end - first), oldest + (end - first));
  w.tasks_end = first + (end - w.others_end);
}

// Whether there was something to accept, or to do for others.
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

template <class P>
bool waiter<P>::helps_itself(const own_wait& w) {
  if (!w.whom || *w.whom == me_.id() || !me_.exposer.is_eager()) return false;
  return me_.hunter.helps_itself(w.key, me_.home.worker_at(*w.whom));
}

// Whether a leapfrog request was sent, or refused.
template <class P>
bool waiter<P>::leapfrogs(const own_wait& w) {
  if (!w.whom || *w.whom == me_.id() || me_.requester.has_request_out()) return false;
  me_.requester.leapfrog(w.key, *w.whom);
  return true;
}

// Sleeps, and watches the others, until the wait is over, or something is to be done in it, or so much time has passed.
template <class P>
template <class Over>
void waiter<P>::sleep(Over over, std::uint64_t ns) {
  const bool has_work_for_others = me_.stack().has_work();
  if (!has_work_for_others) me_.responder.close_if_open();  // W5
  me_.donor.watch_out().end();
  if (has_work_for_others) me_.home.manager().add_waiting_victim();
  const auto disturbed = [&] {
    return over() || me_.requester.is_answered() || me_.responder.is_request_pending() || me_.donor.may_offer();
  };
  me_.parker.wait_for(disturbed, ns);
  // The worker that executes what we wait for may owe us an answer.
  if (me_.home.watch().on()) me_.home.watch().look_at_all(me_, disturbed);
  me_.counts.add(event::parks);
  if (has_work_for_others) me_.home.manager().remove_waiting_victim();
}

// -- waits that run any task ------------------------------------------------------------------------------------------

template <class P>
template <class Ready>
std::uint32_t waiter<P>::work_until(Ready ready, const wait_about* about) {
  auto& runner = me_.runner;
  const ground on = runner.exchange_ground(ground::task);
  const group<P>* const in_group = runner.exchange_group(nullptr);  // what comes is nobody's descendant
  ancestor_scope<P>* const scope = me_.ancestry.begin_anew();
  open_wait<P> open{scope, me_.ancestry.open(), about};
  me_.ancestry.enter(open);
  const auto over = [&] { return ready() || open.is_chosen(); };
  while (!over()) {
    if (record* task = runner.next()) {
      if constexpr (requires { ready.begins_task(); }) ready.begins_task();
      runner.execute(*task);
      continue;
    }
    const stay<P> here(me_, whereabouts::runtime);
    const auto a = me_.requester.await(protocol::status::working, runner.run_id(), over);
    if (a) me_.requester.accept(*a);
    else break;
  }
  runner.exchange_group(in_group);
  me_.ancestry.go_back_to(scope);
  me_.ancestry.leave(open);
  me_.ancestry.strangers_came(me_.stack().tasks.end_index());
  const stay<P> here(me_, whereabouts::runtime);
  const std::uint32_t circle = end_listed(open.listed);
  me_.requester.stop_asking();
  me_.responder.reopen_if_closed();
  runner.set_ground(on);
  return circle;
}

template <class P>
void waiter<P>::barrier() {
  auto& runner = me_.runner;
  if (runner.on() != ground::root || !me_.stack().has_no_forks())
    throw misplaced_barrier("leat::barrier: only the root of a run may wait for all its tasks");
  runner.set_ground(ground::task);
  const wait_about about{wait_kind::barrier};
  open_wait<P> open{me_.ancestry.innermost(), me_.ancestry.open(), &about};
  me_.ancestry.enter(open);
  for (;;) {
    runner.run_tasks();
    const stay<P> here(me_, whereabouts::runtime);
    const auto a = me_.requester.await(protocol::status::idle, runner.run_id(), [] { return false; });
    me_.requester.accept(*a);
    if (a->what != answer<P>::kind::dummy || a->of == nullptr) continue;  // W7
    end_listed(open.listed);
    break;
  }
  me_.ancestry.leave(open);
  runner.set_ground(ground::root);
  if (auto failure = runner.current_run()->take_failure()) std::rethrow_exception(failure);
}

// -- the list of long waits -------------------------------------------------------------------------------------------

// CW1
template <class P>
void waiter<P>::list(std::optional<long_wait<P>>& w, const wait_about& about) {
  if (w) return;
  w.emplace(about, &me_, me_.ancestry.innermost(), me_.ancestry.open(), P::now_ns());
  me_.home.long_waits().enter(*w);
}

template <class P>
void waiter<P>::list_if_reported(std::optional<long_wait<P>>& w, wait_kind kind) {
  if (me_.home.reports_hangs()) list(w, wait_about{kind});
}

template <class P>
void waiter<P>::list_open_wait() {
  open_wait<P>* const w = me_.ancestry.open();
  if (w != nullptr && w->about != nullptr) list(w->listed, *w->about);
}

template <class P>
std::uint32_t waiter<P>::end_listed(std::optional<long_wait<P>>& w) noexcept {
  return w && !me_.home.forked() ? me_.home.long_waits().leave(*w)
                                 : 0;  // a forked child has not the list's other threads
}

}  // namespace leat::scheduler
