// The body of the responder: how requests are received, answered, kept and passed on. Rules WORKER-2 to WORKER-6,
// WORKER-16, WORKER-17, LEAPFROG-2 to LEAPFROG-5, LEAPFROG-8: docs/internals/protocol.md.
#pragma once

#include <algorithm>
#include <cassert>
#include <vector>

#include "leat/scheduler/scheduler.hpp"

namespace leat::scheduler {

// Each sender has one request (REQUEST-1), so neither channel nor `kept_` ever needs more room: a handler of an
// interrupt may not allocate.
template <class P>
responder<P>::responder(worker<P>& me, std::size_t senders) : me_(me), requests_(senders), leapfrogs_(senders) {
  kept_.reserve(senders);
  requests_.close();  // WORKER-5: it has no tasks yet
}

// -- when it polls ----------------------------------------------------------------------------------------------------

// Inside the runtime, so that no interrupt polls in the middle of this poll (INTERRUPT-1).
template <class P>
void responder<P>::service() {
  const stay<P> here(me_, whereabouts::runtime);
  polls_at_pushes_ = 0;
  // A late answer's tasks can be shared, though its wait is over. They must fit: a task that does not fit would run
  // here, in the midst of anything, and overwrite the task at hand. A proxy accepts late answers itself
  // (worker::poll_while_blocked).
  if (me_.requester.has_answer() && me_.stack().tasks.empty() && !me_.presence.blocked() && me_.stack().make_room())
    me_.requester.accept_answer();
  service_without_accepting();
}

// While requests are pooled, a worker polls at every push and pop (WORKER-6). Such a poll costs a few loads, unless a
// request came since the last one or the worker has tasks that it has not offered (WORKER-16).
template <class P>
bool responder<P>::sees_nothing_new() noexcept {
  const undisturbed<P> here(me_);  // a poll in an interrupt changes what is changed here
  if (me_.stack().tasks.asked_by_others() || !kept_.empty() || me_.requester.has_answer()) return false;
  auto& lookout = me_.donor.watch_out();
  if (me_.donor.may_offer()) {
    if (!me_.donor.others_offer()) return false;
  } else if (!me_.home.manager().read_pool().has_requests) {
    if (!lookout.on() || lookout.at_last_poll()) return false;
    lookout.spend();
    me_.monitor.leaves_no_thief_waiting();
  }
  me_.monitor.polled();
  return true;
}

// The limit is lowered before the channels are read, and set again at the end: a request in between raises it anew,
// and none is missed (DEQUE-2).
template <class P>
void responder<P>::service_without_accepting() {
  me_.stack().acknowledge();
  if (me_.exposer.requested() != protocol::exposure_request::nothing)
    me_.exposer.policy().tasks_are_long();  // EXPOSURE-3
  // How many polls the lookout lasts after the last pooled request is gone.
  constexpr std::uint32_t lookout_polls = 64;
  auto& lookout = me_.donor.watch_out();
  if (lookout.at_last_poll()) lookout.end();  // before the pool is read
  // The pool is read once a round, so that the notes below agree with the decision about the last offer.
  using outcome = typename donor<P>::outcome;
  typename donor<P>::pool_poll given{outcome::again, false};
  while (given.what == outcome::again) {
    receive_all();
    given = me_.donor.give();
  }
  if (given.pool_has_requests && !me_.presence.blocked()) {
    lookout.begin(lookout_polls);
  } else if (lookout.on()) {
    lookout.spend();
  }
  const bool others_wait = given.pool_has_requests || !kept_.empty();
  me_.stack().rearm(others_wait || lookout.on());
  me_.home.poll_for_blocked();  // a receiver of these may be blocked (BLOCKING-2)
  me_.monitor.poll_ends(others_wait, given.what == outcome::put_off);
}

// Deals with every request that came. Kept ones go first: they have waited longest.
template <class P>
void responder<P>::receive_all() {
  // There may be descendants for kept requests by now (LEAPFROG-5).
  std::erase_if(kept_, [this](const request& s) { return serve_leapfrog(s); });
  while (auto s = leapfrogs_.try_receive()) {
    if (!me_.home.post().open(*s) || serve_leapfrog(*s)) continue;
    assert(kept_.size() < kept_.capacity());  // each worker has one request
    kept_.push_back(*s);
  }
  while (auto s = requests_.try_receive()) {
    me_.donor.offer_anew();  // once for each request, served or not (WORKER-6)
    if (me_.home.post().open(*s)) hold(*s);
  }
}

// WORKER-17: the pause bounds the share of polls: a producer spends about half of its time on them at most.
template <class P>
void responder<P>::pushed() {
  constexpr std::uint32_t prompt_polls = 4;
  if (me_.exposer.expose_pushed() || sees_nothing_new()) return;
  const std::uint64_t begun_ns = P::now_ns();
  const std::uint32_t in_a_row = polls_at_pushes_;
  if (in_a_row >= prompt_polls && begun_ns < no_poll_until_ns_) return;  // the limit stays signalled
  service();
  const std::uint64_t done_ns = P::now_ns();
  no_poll_until_ns_ = done_ns + (done_ns - begun_ns);
  polls_at_pushes_ = std::min(in_a_row + 1, prompt_polls);
}

// -- requests of thieves ----------------------------------------------------------------------------------------------

// Forks count only if there are no tasks, and then as one: one fork is given at a time.
template <class P>
void responder<P>::hold(request s) {
  auto& stack = me_.stack();
  const std::size_t tasks = !stack.tasks.empty() ? stack.tasks.size() : stack.oldest_fork() != nullptr ? 1 : 0;
  const protocol::holder me{me_.id(), me_.runner.run_id(), tasks};
  const protocol::verdict v = protocol::on_request(me, s, me_.home.victims_of(s), me_.home.givers());
  carry_out(v.then, v.what);
}

// It polls for blocked workers last: a decision may send to several workers in turn, and each may be blocked
// (BLOCKING-2).
template <class P>
void responder<P>::carry_out(request s, decision d) {
  hand_on(s, d);
  me_.home.poll_for_blocked();  // the one it went to may be (BLOCKING-2)
}

// WORKER-3: a closed or full channel leaves the request here, and the next victim is tried. After any other delivery it
// is no longer this worker's (REQUEST-2).
template <class P>
void responder<P>::hand_on(request s, decision d) {
  using delivery = typename post<P>::delivery;
  while (d.what == decision::kind::forward) {
    const delivery result = me_.home.post().send(s, d.to);
    if (result == delivery::revoked) return;
    if (result == delivery::sent) {
      if (s.thief == me_.id()) return me_.requester.was_sent_to(d.to);
      me_.home.worker_at(s.thief).requester.take_back_again();  // REQUEST-5
      return me_.counts.add_in_poll(event::requests_forwarded);
    }
    d = protocol::pass_on(s, me_.home.victims_of(s), me_.id(), me_.home.givers());  // closed: skipped (WORKER-3)
  }
  if (d.what == decision::kind::serve) return serve(s, d.update);
  if (s.thief == me_.id()) me_.counts.add_in_poll(event::requests_sent);
  me_.counts.add_in_poll(event::requests_pooled);
  me_.home.post().send_to_manager(s);
}

// WORKER-2: oldest first, as the oldest tasks are the largest parts of the work.
template <class P>
void responder<P>::serve(request s, bool update) {
  auto& stack = me_.stack();
  run<P>* const mine = me_.runner.current_run();
  if (update) {
    // Before the answer, so the manager hears it before any later message of the thief or of this worker (WORKER-2,
    // MANAGER-2).
    me_.counts.add_in_poll(event::updates);
    me_.home.manager().tell({note<P>::kind::update, s.thief, {}, mine});
  }
  me_.runner.take_over_account();  // GROUP-6
  answer<P> a{answer<P>::kind::tasks, me_.id(), {}, &stack.tasks, mine};
  if (stack.tasks.empty()) stack.give_fork(stack.oldest_fork(), a, s.thief);
  else a.lent = stack.tasks.lend(protocol::batch(s.amount, stack.tasks.size()));
  if (me_.home.post().answer_to(s.thief, a, s)) me_.counts.add_in_poll(event::wakes);
}

// WORKER-5: the channel is closed first. From then on sends are refused, so no request is left in it.
template <class P>
void responder<P>::close() {
  me_.home.givers().clear(me_.id());
  me_.donor.watch_out().end();
  requests_.close();
  while (auto s = requests_.try_receive()) {
    if (me_.home.post().open(*s))
      carry_out(*s, protocol::pass_on(*s, me_.home.victims_of(*s), me_.id(), me_.home.givers()));
  }
}

// WORKER-5: the channel opens before the tasks of an answer are touched: executing them may push, and thieves should
// find that.
template <class P>
void responder<P>::reopen() {
  if (!me_.presence.blocked()) me_.stack().tasks.rewind();  // the next tasks then lie in memory that has been touched
  me_.donor.offer_anew();
  me_.monitor.owes_nothing();
  requests_.reopen();
  me_.home.givers().set(me_.id());
  // Thieves were refused while the worker was idle, but requests may be pooled: its first push or join must offer
  // (WORKER-6).
  const bool pool_has_requests = me_.home.manager().read_pool().has_requests;
  me_.stack().tasks.rearm(pool_has_requests);
  if (!pool_has_requests) return;
  me_.stack().tls_forks.signal();
  me_.stack().context_forks.signal();
}

// An estimate only: pooled requests may want tasks of other runs, and other workers see them, too.
template <class P>
std::size_t responder<P>::unserved(std::size_t most) {
  const stay<P> here(me_, whereabouts::runtime);
  const bool exposure_wanted = me_.exposer.requested() != protocol::exposure_request::nothing;
  const std::size_t ask =
      requests_.size() + leapfrogs_.size() + kept_.size() + me_.home.manager().pooled() + (exposure_wanted ? 1 : 0);
  const std::size_t at_hand = me_.stack().pending_tls_forks() + me_.stack().tasks.size();
  return std::min(ask, most) > at_hand ? std::min(ask, most) - at_hand : 0;
}

// -- leapfrog requests ------------------------------------------------------------------------------------------------

// LEAPFROG-8: true if the task, made in scope `e`, is awaited there or may be. Other tasks are left out: a serial
// execution would run them later, maybe when the waiter has released a lock that they need.
template <class P>
bool responder<P>::descends(record& task, const ancestor_scope<P>& e) noexcept {
  const group<P>* const g = group<P>::of(task);
  if (g == nullptr) return task.kept<awaited_call>() != nullptr || task.template kept<given_fork<P>>() != nullptr;
  if (g->was_made_in(me_, e.number_)) return true;  // a record keeps its group alive
  for (const ancestor_scope<P>* i = me_.ancestry.innermost();; i = i->outer()) {
    if (i->target_ == g->target()) return true;
    if (i == &e) return false;
  }
}

// Only tasks of one group go together: the group notes their new holder, so its waiter finds them (LEAPFROG-3).
template <class P>
std::size_t responder<P>::oldest_of(const group<P>* g, std::size_t most) noexcept {
  auto& deque = me_.stack().tasks;
  std::size_t tasks = 0;
  while (tasks < most && group<P>::of(deque.at(deque.oldest_index() + tasks)) == g) ++tasks;
  return tasks;
}

// LEAPFROG-3: how many of the oldest tasks may go to a thief that leapfrogs scope `e`. More than one only if all are of
// one group, whose waiter finds them wherever they are.
template <class P>
std::size_t responder<P>::oldest_since(const ancestor_scope<P>& e, protocol::amount wanted) noexcept {
  auto& deque = me_.stack().tasks;
  if (deque.empty() || deque.oldest_index() < e.tasks_end) return 0;
  record& oldest = deque.at(deque.oldest_index());
  if (!descends(oldest, e)) return 0;
  const group<P>* const g = group<P>::of(oldest);
  return g == nullptr ? 1 : oldest_of(g, protocol::batch(wanted, deque.size()));
}

// Finds work that was made in the scope that the request names, if this worker is in that scope.
template <class P>
void responder<P>::find_in_scope(const request& s, descendants& found) noexcept {
  const ancestor_scope<P>* const e = me_.ancestry.find(reinterpret_cast<const void*>(s.awaited));
  if (e == nullptr) return;
  found.about.executes = true;
  found.fork = me_.stack().oldest_fork_above(e->tls_top, e->context_top);
  found.about.has_fork = found.fork != nullptr;
  found.tasks = oldest_since(*e, s.amount);
  // LEAPFROG-4: the worker that the innermost wait leapfrogs, if that wait began inside the scope. Never back to the
  // thief.
  const own_wait* const w = me_.ancestry.wait();
  if (w != nullptr && me_.ancestry.waits() > e->waits && w->whom != s.thief) found.about.onward = w->whom;
}

// LEAPFROG-2: finds the awaited work itself, wherever it lies in the deque. In a handler the deque's top must stay
// (INTERRUPT-2).
template <class P>
void responder<P>::find_awaited(const request& s, descendants& found) noexcept {
  const auto* const target = reinterpret_cast<const void*>(s.awaited);
  const group<P>* const g = group<P>::with_target(target);
  const std::size_t most = g == nullptr ? 0 : protocol::batch(s.amount, me_.stack().tasks.size());
  if (const std::size_t oldest = oldest_of(g, most)) {
    found.about.executes = true, found.tasks = oldest;
  } else if (me_.monitor.in_handler()) {
    found.about.has_awaited = take_in_handler(target, found.awaited);
  } else {
    found.about.has_awaited = me_.waiter.take_back_awaited(target, found.awaited);
    me_.waiter.sink_marks();  // a search that finds nothing may have dropped tombstones, too
  }
}

// LEAPFROG-2 to LEAPFROG-5: the nearest relative of the awaited work is given. False if the request is to be kept.
template <class P>
bool responder<P>::serve_leapfrog(request s) {
  auto& stack = me_.stack();
  run<P>* const mine = me_.runner.current_run();
  descendants found;
  // LEAPFROG-3: a late request may name a join target that something else has now, in another run.
  if (mine != nullptr && s.only == mine->id()) {
    me_.runner.take_over_account();  // GROUP-6
    find_in_scope(s, found);
    find_awaited(s, found);
    found.about.has_tasks = found.tasks != 0;
  }
  answer<P> a{answer<P>::kind::dummy, me_.id(), {}, nullptr, nullptr};
  switch (protocol::on_leapfrog_request(found.about)) {
    case protocol::leapfrog::give_awaited:
      a.what = answer<P>::kind::task;
      a.task = found.awaited;
      break;
    case protocol::leapfrog::give_fork: stack.give_fork(found.fork, a, s.thief); break;
    case protocol::leapfrog::give_task:
      a.what = answer<P>::kind::tasks;
      a.lent = stack.tasks.lend(found.tasks);
      a.lender = &stack.tasks;
      break;
    case protocol::leapfrog::forward:
      if (send_onward(s, *found.about.onward)) return true;
      break;
    case protocol::leapfrog::keep: return false;
    case protocol::leapfrog::decline: break;
  }
  if (a.what != answer<P>::kind::dummy) a.of = mine;  // the thief may be idle when it comes (LEAPFROG-6)
  if (me_.home.post().answer_to(s.thief, a, s)) me_.counts.add_in_poll(event::wakes);
  return true;
}

// LEAPFROG-4: the request goes on under the join target of this worker's own wait. False if the receiver refuses it.
template <class P>
bool responder<P>::send_onward(request& s, protocol::worker_id to) {
  using delivery = typename post<P>::delivery;
  s.awaited = reinterpret_cast<std::uintptr_t>(me_.ancestry.wait()->target);
  const delivery result = me_.home.post().send_leapfrog(s, to);
  if (result == delivery::sent) me_.counts.add_in_poll(event::requests_forwarded);
  return result != delivery::refused;
}

// INTERRUPT-8, for LEAPFROG-2: takes the task with this join target, wherever it lies. It leaves a tombstone even on
// top. A poll searches only part of a large deque, from a random place: a search that
// went on from the last one could keep step with other polls, and never see the rest.
template <class P>
bool responder<P>::take_in_handler(const void* target, record& taken) noexcept {
  auto& deque = me_.stack().tasks;
  const group<P>* const g = group<P>::with_target(target);
  const std::uint64_t oldest = deque.oldest_index(), tasks = deque.size();
  if (tasks == 0 || (g == nullptr && !me_.stack().has_forks_of_others())) return false;
  constexpr std::uint64_t searched_max = 4096;
  const std::uint64_t first = search_begins_() % tasks;
  for (std::uint64_t i = 0; i < std::min(tasks, searched_max); ++i) {
    record& r = deque.at(oldest + (first + i) % tasks);
    const auto* const fork = r.template kept<given_fork<P>>();
    if (fork != nullptr ? fork->slot != target : g == nullptr || group<P>::of(r) != g) continue;
    taken = r;
    tombstone{0, {}}.write(r);
    me_.counts.take_one(event::tasks);  // the tombstone counts as a task, and so does the task itself
    return true;
  }
  return false;
}

// LEAPFROG-5: answered before the end of the scope is made known, so that no thief waits for work that is done.
template <class P>
void responder<P>::end_leapfrogging_of(const void* target) {
  const stay<P> here(me_, whereabouts::runtime);
  std::erase_if(kept_, [&](const request& s) {
    if (s.awaited != reinterpret_cast<std::uintptr_t>(target)) return false;
    me_.home.post().answer_to(s.thief, {answer<P>::kind::dummy, me_.id(), {}, nullptr, nullptr}, s);
    return true;
  });
  me_.home.poll_for_blocked();  // a receiver of these may be blocked (BLOCKING-2)
}

// An idle worker must answer, too: a thief that leapfrogs it would else wait in vain instead of asking another
// worker.
template <class P>
void responder<P>::decline_leapfrog_requests() {
  while (auto s = leapfrogs_.try_receive()) {
    if (me_.home.post().open(*s) && !serve_leapfrog(*s)) kept_.push_back(*s);
  }
  me_.home.poll_for_blocked();  // a receiver of these may be blocked (BLOCKING-2)
}

}  // namespace leat::scheduler
