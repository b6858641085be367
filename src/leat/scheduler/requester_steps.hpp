// The body of the requester: how a thief asks, waits, and accepts. Rules WORKER-1, WORKER-4, WORKER-9, WORKER-10,
// WORKER-13, REQUEST, LEAPFROG-1, LEAPFROG-6, LEAPFROG-9: docs/internals/protocol.md.
#pragma once

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "leat/scheduler/scheduler.hpp"

namespace leat::inline LEAT_ABI::scheduler {

// -- asking -----------------------------------------------------------------------------------------------------------

// Only a thief without a request out may make one (REQUEST-1): then serial, victims and strategy are its own to read.
template <class P>
auto requester<P>::fresh() noexcept -> request {
  assert(!outstanding_);  // REQUEST-1
  request s;
  s.serial = serial_;
  s.thief = me_.id();
  s.amount = stealing_.next(pace_.vain());
  s.known = known_;
  return s;
}

// WORKER-1: the channel is closed before the request leaves, so no other thief waits for this worker meanwhile
// (WORKER-5).
template <class P>
void requester<P>::send(protocol::status status, protocol::run_id only) {
  assert(me_.responder.closed());  // WORKER-5
  asked_.reset();
  request s = fresh();
  s.status = status;
  s.only = only;
  outstanding_ = true;
  const bool for_manager = me_.home.manager().roots_wait() || !me_.home.cpus().has_room();  // BUDGET-3
  me_.responder.carry_out(s, protocol::begin(s, victims_, last_victim_, for_manager, me_.home.givers()));
}

// Only the first victim is noted: it is the one that is asked for exposure when the answer is late (EXPOSURE-3).
template <class P>
void requester<P>::was_sent_to(protocol::worker_id victim) {
  asked_ = victim;
  me_.counts.add(event::requests_sent);
}

// An earlier wait may have left its request out (WORKER-13, LEAPFROG-6). Then none is sent here: its answer serves as
// well (REQUEST-1).
template <class P>
template <class Ready>
std::optional<post::answer<P>> requester<P>::await(protocol::status status, protocol::run_id only, Ready ready) {
  end_leapfrogging();  // before close: an answer that it accepts opens the channel
  me_.responder.close();
  me_.counts.set_operations();
  if (!outstanding_ && !me_.stack().tasks.empty()) return nothing_new();  // that answer brought them
  if (!outstanding_) {
    if (auto a = seek(status, only, ready)) return a;
  }
  const auto answered = [&] { return is_answered() || ready(); };
  wait_for_victim(answered);
  while (!answered()) wait_in_pool(status, only, answered);
  return answers_.try_receive();
}

// Sends the request, unless something public is found first.
template <class P>
template <class Ready>
std::optional<post::answer<P>> requester<P>::seek(protocol::status status, protocol::run_id only, Ready ready) {
  auto& policy = me_.exposer.policy();
  // With more workers than CPUs no worker spins, and each request ends in a wake-up that its victim pays for. A
  // worker that has tasks may lack a CPU: it runs first, and has more to give then.
  if (me_.home.config().spin_ns == 0) P::yield();
  pause(ready);
  if (pace_.worth_ns() != 0 && pace_.worth_ns() < protocol::exposing::worth_ns_min) policy.tasks_are_short();
  if (auto a = me_.hunter.hunt(only, ready)) return a;
  begin_asking(only);
  send(status, only);
  const auto answered = [&] { return is_answered() || ready(); };
  if (asked_ && !handshake::parker<P>::spin(answered, protocol::exposing::late_ns))
    me_.hunter.note_long_tasks(me_.home.worker_at(*asked_), protocol::exposing::late_ns);
  return std::nullopt;
}

// A request that is no leapfrog request is sent next. If the worker leaves its run, that still exists: the manager counts the
// worker there until the request has come (CAP-3).
template <class P>
void requester<P>::begin_asking(protocol::run_id only) {
  if (only == protocol::no_run) {
    if (work::run<P>* const r = std::exchange(admitted_to_, nullptr)) r->workers().leave();
    if (std::exchange(is_busy_, false)) me_.home.cpus().leave();  // BUDGET-1
    return;
  }
  if (admitted_to_ != nullptr) admitted_to_->workers().ask();
  if (is_busy_) me_.home.cpus().ask();
  asks_its_run_ = true;
}

// The request was answered or taken back.
template <class P>
void requester<P>::end_asking() noexcept {
  if (!std::exchange(asks_its_run_, false)) return;
  if (admitted_to_ != nullptr) admitted_to_->workers().ask_no_more();
  if (is_busy_) me_.home.cpus().ask_no_more();
}

template <class P>
void requester<P>::begin_visit() noexcept {
  if (!me_.home.cpus().shares()) return;
  me_.home.cpus().enter();
  is_busy_ = true;
}

template <class P>
void requester<P>::end_visit() {
  if (std::exchange(is_busy_, false)) me_.home.cpus().leave();
}

// WORKER-9, WORKER-10: pauses after a vain steal (protocol::pace). The manager does not count a pausing worker as idle,
// so the pause ends at once when all others are idle or a run wants to begin. Pooled spares end it early;
// blocked workers do not, which is fine as it is short.
template <class P>
template <class Ready>
void requester<P>::pause(Ready ready) {
  if (!pace_.done(P::now_ns()) || ownership_.posted().amount != stealing_.next(true)) return;  // or it asks for more
  const std::uint64_t ns = std::min(pace_.next_pause_ns(), me_.home.cpus().spin_ns(me_.home.config().spin_ns));
  if (ns == 0) return;
  me_.counts.add(event::pauses);
  auto& pausing = me_.home.pausing();
  pausing.fetch_add(1, platform::relaxed);  // relaxed, with the rest of it: hints
  const auto over = [&] {
    return ready() || me_.responder.has_leapfrog_requests() || me_.home.manager().roots_wait() ||
           me_.home.manager().pooled() + pausing.load(platform::relaxed) >= me_.home.config().at_once();
  };
  handshake::parker<P>::spin(over, ns);
  pausing.fetch_sub(1, platform::relaxed);
}

// -- waiting for the answer -------------------------------------------------------------------------------------------

// Most answers come within the patience of a thief, sooner than a pooled request would get one.
template <class P>
template <class Answered>
void requester<P>::wait_for_victim(Answered answered) {
  const bool outside = asked_ && me_.home.all().is_outside(*asked_);  // PRIMARY-2
  // A pooled request has no victim to wait for. Only the manager has roots, and no thread may come to a victim that is outside.
  const auto settled = [&] {
    return answered() || ownership_.is_pooled() || (outside && me_.home.manager().roots_wait());
  };
  std::uint64_t patience_ns = me_.home.config().patience_ns;
  if (outside) patience_ns = me_.home.runs().gaps().spin_ns(patience_ns);  // PRIMARY-5
  if (handshake::parker<P>::spin(settled, patience_ns) || !asked_) return;
  if (me_.home.all().is_outside(*asked_)) return me_.home.givers().clear(*asked_);  // for other thieves (PRIMARY-2)
  // A victim that was outside at first has not kept the thief waiting for so long.
  if (!outside) me_.hunter.note_long_tasks(me_.home.worker_at(*asked_), patience_ns);
}

// Sleeps until there is an answer, or the request may have to be brought to the pool again. The thief never sleeps
// while its request lies unopened with a busy worker (REQUEST-4).
template <class P>
template <class Answered>
void requester<P>::wait_in_pool(protocol::status status, protocol::run_id only, Answered answered) {
  // acquire, and an exchange: the ownership is read after it (pairs with take_back_again).
  sent_on_.exchange(0, platform::acq_rel);
  bring_to_pool(status, only, answered);
  // relaxed: only whether to check again.
  const auto disturbed = [&] {
    return answered() || relief_.is_called() || sent_on_.load(platform::relaxed) != 0 ||
           me_.responder.has_leapfrog_requests();
  };
  me_.waiter.list_open_wait();
  me_.responder.decline_leapfrog_requests();
  relief_.stand_by();
  const std::uint64_t spin_ns = me_.home.cpus().spin_ns(me_.home.config().spin_ns);
  if (me_.home.watch().sleep(me_, disturbed, spin_ns, me_.home.runs().gaps().spin_ns(spin_ns)))  // PRIMARY-5
    me_.counts.add(event::parks);
  if (relief_.end()) me_.home.manager().relieve();  // ACTOR-5: before that, its request is not answered
}

// REQUEST-4: an unopened request at a busy worker is out of reach of all others; that worker stays signalled anyway.
// The thief takes the request back and sends it to the manager before it sleeps. There any worker that has tasks can
// fetch it.
template <class P>
template <class Answered>
void requester<P>::bring_to_pool(protocol::status status, protocol::run_id only, Answered answered) {
  // A held request will be answered, pooled or sent on soon, so the thief checks again. Not for ever: the holder may
  // be preempted. If the holder sends the request on after that, it wakes the thief (REQUEST-5).
  constexpr int tries_max = 64;
  for (int tried = 0; tried < tries_max && !answered(); ++tried) {
    if (ownership_.is_pooled()) return;
    if (auto mine = ownership_.take_back()) {
      // LEAPFROG-9: a leapfrog request that was left out and sent on (LEAPFROG-4, LEAPFROG-6) is this wait's from here
      // on, and may be recalled (WORKER-13).
      if (std::exchange(leapfrogs_, false)) {
        mine->status = status, mine->only = only, mine->awaited = 0;
        begin_asking(only);
      }
      me_.counts.add(event::requests_revoked);
      me_.counts.add(event::requests_pooled);
      return me_.home.post().send_to_manager(*mine);
    }
    P::yield();
  }
}

// Any thread. The store comes before notify(), so the thief that wakes sees it (PARKER-2).
template <class P>
void requester<P>::take_back_again() {
  sent_on_.store(1, platform::release);  // pairs with the exchange in wait_in_pool
  me_.notify();
}

// ACTOR-5: only a worker that is awake is called: a wake-up would delay the messages.
template <class P>
bool requester<P>::relieve() noexcept {
  return relief_.call(me_.parker);
}

// The next request must go on from this serial: the old one may still lie in a channel, and is recognised by it
// (REQUEST-6).
template <class P>
void requester<P>::take_back(const request& mine) noexcept {
  serial_ = mine.serial;
  end_asking();
  outstanding_ = leapfrogs_ = false;
  me_.counts.add(event::requests_revoked);
}

// WORKER-13: in 64 tries the request is normally answered, taken back or recalled. If its holder is preempted, the
// answer waits for a later poll.
template <class P>
void requester<P>::stop_asking() {
  constexpr int tries_max = 64;
  bool recalled = false;
  for (int tried = 0; outstanding_ && !leapfrogs_; ++tried) {
    if (is_answered()) {
      accept_answer();
      // The tasks of the answer can be shared at once: other thieves may wait for some.
      if (me_.stack().has_work()) me_.responder.service();
      return;
    }
    if (!recalled && (ownership_.is_pooled() || tried == tries_max)) {
      // MANAGER-6: the manager answers the request with nothing, now or when it is pooled.
      me_.home.manager().tell({post::note<P>::kind::recall, me_.id()});
      recalled = true;
    } else if (tried >= tries_max) {
      return;
    }
    if (const auto mine = ownership_.take_back()) return take_back(*mine);
    P::yield();
  }
}

// -- leapfrogging -----------------------------------------------------------------------------------------------------

// LEAPFROG-1: the request goes to that worker and not to the manager: no other is known to execute the awaited work.
template <class P>
void requester<P>::leapfrog(const void* target, protocol::worker_id to) {
  asked_ = to;
  asked_ns_ = P::now_ns();
  static_cast<void>(pace_.done(asked_ns_));
  request s = fresh();
  s.only = me_.runner.run_id();
  s.awaited = reinterpret_cast<std::uintptr_t>(target);
  outstanding_ = leapfrogs_ = true;
  leapfrogs_in_ = me_.ancestry.wait()->number;
  if (me_.home.post().send_leapfrog(s, to) == post::delivery::sent) {
    me_.home.poll_for_blocked();  // it may be (BLOCKING-2)
    return me_.counts.add(event::requests_sent);
  }
  // Refused. The serial is used up all the same (REQUEST-6).
  outstanding_ = leapfrogs_ = false;
  serial_ = s.serial;
}

// EXPOSURE-3: the victim is asked for exposure, so that the next wait for it need not ask.
template <class P>
void requester<P>::learn_from_waiting() {
  if (!leapfrogs_ || !asked_ || P::now_ns() - asked_ns_ < protocol::exposing::late_ns) return;
  me_.hunter.note_long_tasks(me_.home.worker_at(*asked_), protocol::exposing::late_ns);
  asked_.reset();
}

// LEAPFROG-6: bounded, since the holder may be preempted. A request that stays out is answered at a later poll.
template <class P>
void requester<P>::end_leapfrogging() {
  constexpr int tries_max = 64;
  for (int tried = 0; leapfrogs_ && tried < tries_max; ++tried) {
    if (is_answered()) return accept_answer();
    assert(!ownership_.is_pooled());
    if (const auto mine = ownership_.take_back()) return take_back(*mine);
    P::yield();
  }
}

// EXPOSURE-3: a steal of short tasks ends eager exposure: they cost more to take singly than they bring.
template <class P>
bool requester<P>::learns_that_tasks_are_short() {
  static_cast<void>(pace_.done(P::now_ns()));
  if (pace_.worth_ns() == 0 || pace_.worth_ns() >= protocol::exposing::worth_ns_min) return false;
  me_.exposer.policy().tasks_are_short();
  return true;
}

// -- answers ----------------------------------------------------------------------------------------------------------

// Everything that a taken task may depend on is set first: the run, the state of the request, the open channel.
template <class P>
void requester<P>::accept(const post::answer<P>& a) {
  const bool was_asked = std::exchange(outstanding_, false);
  const waiting::own_wait* const wait = me_.ancestry.wait();
  // LEAPFROG-6: a late answer may find another wait than the one that asked. To that one its tasks are strangers.
  const bool for_this_wait = std::exchange(leapfrogs_, false) && wait != nullptr && wait->number == leapfrogs_in_;
  known_ = a.known;
  serial_ = a.serial;
  end_asking();
  if (a.of != nullptr) {
    me_.runner.works_for(*a.of);
    me_.hunter.works_in(*a.of);
    assert(admitted_to_ == nullptr || admitted_to_ == a.of);  // CAP-2
    if (a.of->workers().is_capped()) admitted_to_ = a.of;
    if (a.what == post::answer<P>::kind::root) begin_visit();
    else is_busy_ = me_.home.cpus().shares();  // BUDGET-2: it was admitted by its victim
  }
  me_.hunter.is_known_under(known_);
  if (a.what == post::answer<P>::kind::dummy) me_.counts.add(event::dummies);
  // Before tasks are taken: taking may run tasks, whose offers bring requests only through an open channel.
  me_.responder.reopen_if_closed();
  // Strategy and pace are as they were when the request was made, so this is the amount that it asked for.
  if (was_asked && a.lent.count != 0 && stealing_.next(pace_.vain()) == protocol::amount::half)
    me_.counts.add(event::steals_half);
  if (a.what == post::answer<P>::kind::tasks) take(a);
  if (a.what == post::answer<P>::kind::task)
    take({post::answer<P>::kind::tasks, a.victim, {const_cast<work::record*>(&a.task), 1}});
  if (!for_this_wait) me_.ancestry.strangers_came(me_.stack().tasks.end_index());  // LEAPFROG-6
}

// The loan is given back last: until then the victim reuses none of the memory that the tasks lie in.
template <class P>
void requester<P>::take(const post::answer<P>& a) {
  auto& deque = me_.stack().tasks;
  me_.counts.add(event::steals);
  me_.counts.add(event::tasks_stolen, a.lent.count);
  stealing_.stole(me_.counts.of_tasks());
  if (me_.home.config().last_victim) last_victim_ = a.victim;
  arrived(a);
  if (!me_.presence.blocked()) deque.rewind();  // may free memory, which a proxy, maybe in an interrupt, must not
  while (a.lent.count > deque.free_slots() && deque.grow()) {
  }
  std::size_t taken = deque.take(a.lent);
  // If memory is short, the tasks that do not fit run from where they lie, oldest first.
  for (; taken < a.lent.count; ++taken) {
    work::record task = a.lent.first[taken];
    me_.runner.run_in_place(task);
  }
  me_.exposer.policy().holds_stolen(deque.size() == 1);
  if (a.lender != nullptr) a.lender->give_back();
  if (a.lender != nullptr) pace_.stole(a.lent.count, P::now_ns());
  else pace_.took_fork();
}

// Notes in groups and forks that their tasks are here now: their waiters leapfrog the worker that is noted
// (LEAPFROG-1).
template <class P>
void requester<P>::arrived(const post::answer<P>& a) {
  for (std::size_t i = 0; i < a.lent.count;) {
    group<P>* const g = group<P>::of(a.lent.first[i]);
    std::size_t same = 1;
    while (i + same < a.lent.count && group<P>::of(a.lent.first[i + same]) == g) ++same;
    if (g != nullptr) g->moved(me_, a.victim, same);
    for (std::size_t k = i; g == nullptr && k < i + same; ++k) {
      if (auto* fork = a.lent.first[k].template kept<given_fork<P>>()) {
        fork->slot->thief.store(me_.id(), platform::relaxed);  // relaxed: a hint
        me_.stack().fork_came();
      }
    }
    i += same;
  }
}

}  // namespace leat::inline LEAT_ABI::scheduler
