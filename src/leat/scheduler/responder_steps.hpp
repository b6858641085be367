// The body of the responder: how requests are received, answered and passed on. Rules WORKER-2 to WORKER-6, WORKER-16,
// WORKER-17: docs/internals/protocol.md. Leapfrog requests: leapfrog_steps.hpp.
#pragma once

#include <algorithm>
#include <cassert>
#include <vector>

#include "leat/scheduler/scheduler.hpp"

namespace leat::inline LEAT_ABI::scheduler {

// Each sender has one request (REQUEST-1), so neither channel nor `kept_` ever needs more room: a handler of an
// interrupt may not allocate.
template <class P>
responder<P>::responder(worker<P>& me, std::size_t senders) : me_(me), requests_(senders), leapfrog_requests_(senders) {
  kept_.reserve(senders);
  requests_.close();  // WORKER-5: it has no tasks yet
}

// -- when it polls ----------------------------------------------------------------------------------------------------

// Inside the runtime, so that no interrupt polls in the middle of this poll (INTERRUPT-1).
template <class P>
void responder<P>::service() {
  if (me_.published != nullptr) return me_.published->poll();
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
  if (me_.published != nullptr) return false;
  const undisturbed<P> here(me_);  // a poll in an interrupt changes what is changed here
  if (me_.stack().tasks.is_signalled() || !kept_.empty() || me_.requester.has_answer()) return false;
  auto& lookout = me_.donor.watch_out();
  if (me_.donor.may_offer()) {
    if (!me_.donor.others_offer()) return false;
  } else if (!me_.home.manager().read_pool().has_requests || turns_thieves_away(me_.stack().has_work())) {
    if (!lookout.on() || lookout.at_last_poll()) return false;
    lookout.spend();
    me_.monitor.leaves_no_thief_waiting();
  }
  me_.monitor.polled();
  return true;
}

// The signal is acknowledged before the channels are read, and the limit is rearmed at the end. So a request in between
// signals again, and none is missed (DEQUE-2).
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
  // A thief may have hidden the worker after it came back (PRIMARY-2).
  if (me_.id() < me_.home.config().primaries && given.pool_has_requests && !closed()) me_.home.givers().set(me_.id());
  const bool pool_is_of_use = given.pool_has_requests && given.what != outcome::closed;  // CAP-4
  if (pool_is_of_use && !me_.presence.blocked()) {
    lookout.begin(lookout_polls);
  } else if (lookout.on()) {
    lookout.spend();
  }
  me_.stack().rearm(pool_is_of_use || !kept_.empty() || lookout.on() || me_.times.wants_gaps());
  me_.home.poll_for_blocked();  // a receiver of these may be blocked (BLOCKING-2)
  // Also where the run is full: then interrupts are in vain, and become rare (INTERRUPT-10).
  me_.monitor.poll_ends(given.pool_has_requests || !kept_.empty(), given.what == outcome::put_off);
}

// If so, the caller ignores pooled requests.
template <class P>
bool responder<P>::turns_thieves_away(bool wants) noexcept {
  const work::run<P>* const r = me_.runner.current_run();
  return r != nullptr && (r->workers().turns_thieves_away() || me_.home.cpus().turns_thieves_away(wants));
}

// CAP-1, BUDGET-2: for a request of a thief that asks for tasks of any run. The run's room is given back silently: workers that
// found none are signalled when there is a CPU again.
template <class P>
bool responder<P>::admits_thief() noexcept {
  auto& workers = me_.runner.current_run()->workers();
  if (!workers.admit()) return false;
  if (me_.home.cpus().admit()) return true;
  if (workers.is_capped()) workers.leave();
  return false;
}

// Deals with every request that came. Kept ones go first: they have waited longest.
template <class P>
void responder<P>::receive_all() {
  // There may be descendants for kept requests by now (LEAPFROG-5).
  std::erase_if(kept_, [this](const request& s) { return serve_leapfrog(s); });
  while (auto s = leapfrog_requests_.try_receive()) {
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
  if (me_.published != nullptr) return me_.published->pushed();
  const profile::worker_times::operation sampled(me_.times);
  if (sees_nothing_new()) return;
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
  std::size_t tasks = !stack.tasks.empty() ? stack.tasks.size() : stack.oldest_fork() != nullptr ? 1 : 0;
  if (tasks != 0 && s.only == protocol::no_run && !admits_thief()) tasks = 0;
  const protocol::holder me{me_.id(), me_.runner.run_id(), tasks};
  const protocol::verdict v = protocol::on_request(me, s, me_.home.victims_of(s), me_.home.givers());
  carry_out(v.then, v.what);
}

// It polls for blocked workers last: a decision may send to several workers in turn, and each may be blocked
// (BLOCKING-2).
template <class P>
void responder<P>::carry_out(request s, decision d) {
  hand_on(s, d);
  me_.home.poll_for_blocked();
}

// WORKER-3: a closed or full channel leaves the request here, and the next victim is tried. After any other delivery it
// is no longer this worker's (REQUEST-2).
template <class P>
void responder<P>::hand_on(request s, decision d) {
  using post::delivery;
  while (d.what == decision::kind::forward) {
    // PRIMARY-2: only the thief itself asks a worker that is outside: it knows that it waits there.
    const bool in_vain = s.thief != me_.id() && me_.home.all().is_outside(d.to);
    const delivery result = in_vain ? delivery::refused : me_.home.post().send(s, d.to);
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
  work::run<P>* const mine = me_.runner.current_run();
  if (update) {
    // Before the answer, so the manager hears it before any later message of the thief or of this worker (WORKER-2,
    // MANAGER-2).
    me_.counts.add_in_poll(event::updates);
    me_.home.manager().tell({post::note<P>::kind::update, s.thief, {}, mine});
  }
  has_given_ = true;
  me_.runner.take_over_account();  // GROUP-6
  post::answer<P> a{post::answer<P>::kind::tasks, me_.id(), {}, &stack.tasks, mine};
  if (stack.tasks.empty()) give_fork(stack.oldest_fork(), a, s.thief);
  else a.lent = stack.tasks.lend(protocol::batch(s.amount, stack.tasks.size()));
  if (me_.home.post().answer_to(s.thief, a, s)) me_.counts.add_in_poll(event::wakes);
}

// A fork is not lent: the answer itself has it, as a task.
template <class P>
void responder<P>::give_fork(slot* s, post::answer<P>& a, protocol::worker_id thief) noexcept {
  me_.stack().give_fork(s, thief);
  a.what = post::answer<P>::kind::task;
  work::record::write(&a.task, given_fork<P>{s, s->call});
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
  const bool was_closed = closed();
  if (was_closed) {
    requests_.reopen();
    me_.home.givers().set(me_.id());
    has_given_ = false;
  }
  // Thieves were refused while the worker was idle, but requests may be pooled: its first push or join must offer
  // (WORKER-6).
  const bool pool_has_requests = me_.home.manager().read_pool().has_requests;
  bool asked = pool_has_requests;
  if (!was_closed) {  // PRIMARY-2: a thief may have asked meanwhile, or have hidden the worker and gone to the pool
    asked = asked || requests_.size() != 0;
    if (pool_has_requests) {
      me_.home.givers().set(me_.id());
      has_given_ = false;
    }
  }
  me_.stack().tasks.rearm(asked);
  if (!asked) return;
  me_.stack().tls_forks.signal();
  me_.stack().context_forks.signal();
}

// PRIMARY-2
template <class P>
void responder<P>::leave_open() noexcept {
  me_.donor.watch_out().end();  // while the thread is outside, the worker does not poll
}

template <class P>
bool responder<P>::is_thief_here() const noexcept {
  return requests_.size() != 0 && !me_.home.manager().read_pool().has_requests;
}

// An estimate only: pooled requests may want tasks of other runs, and other workers see them, too.
template <class P>
std::size_t responder<P>::unserved(std::size_t most) {
  const stay<P> here(me_, whereabouts::runtime);
  const bool exposure_wanted = me_.exposer.requested() != protocol::exposure_request::nothing;
  std::size_t pooled = me_.home.manager().pooled();
  if (pooled != 0 && turns_thieves_away(true)) pooled = 0;
  const std::size_t ask = me_.published != nullptr ? me_.published->unserved()
                                                   : requests_.size() + leapfrog_requests_.size() + kept_.size() +
                                                         pooled + (exposure_wanted ? 1 : 0);
  const std::size_t at_hand = me_.stack().pending_tls_forks() + me_.stack().tasks.size();
  return std::min(ask, most) > at_hand ? std::min(ask, most) - at_hand : 0;
}

}  // namespace leat::inline LEAT_ABI::scheduler
