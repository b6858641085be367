// The body of the hunter. Rules EXPOSURE-1 to EXPOSURE-3: exposer.hpp.
#pragma once

#include <algorithm>
#include <cassert>
#include <optional>

#include "leat/scheduler/scheduler.hpp"

namespace leat::inline LEAT_ABI::scheduler {

// EXPOSURE-1: the tag names the run before anything of the worker is public, so no thief of another run takes it.
template <class P>
void hunter<P>::works_in(work::run<P>& r) noexcept {
  run_ = &r;
  run_id_ = r.id();
  me_.exposer.tag().works_for(run_id_);
}

template <class P>
void hunter<P>::request_exposure(worker<P>& victim) {
  if (!victim.exposer.request()) return;
  victim.stack().signal();
  P::fence();  // BLOCKING-2
  if (!victim.presence.blocked()) return;
  me_.home.proxies().call(victim);
  me_.home.poll_for_blocked();
}

// Takes the oldest public task of `victim`, or else its oldest public fork, in the form of an answer: it is accepted
// as one.
template <class P>
bool hunter<P>::take_public(worker<P>& victim, post::answer<P>& a) {
  me_.counts.add(event::attempts);
  auto& stack = victim.stack();
  // Evaluated after the public slot was read and before it is taken, so the victim cannot leave its run in between
  // (PUBLIC-2).
  const auto ours = [&] { return victim.exposer.tag().is_of(run_id_); };  // EXPOSURE-1
  if (const auto stolen = stack.tasks.steal(ours); stolen.count != 0) {
    if (stolen.last) request_exposure(victim);  // EXPOSURE-3
    a.what = post::answer<P>::kind::tasks;
    a.lent = stolen;
    a.lender = &stack.tasks;
    return true;
  }
  typename slot::call_type call = nullptr;
  slot* s = nullptr;
  stack.with_words([&] { s = stack.tls_forks.take_plain(stack.top_of_thread(), ours); });
  if (s != nullptr) call = s->call;  // FORK-3: it is pending, so its owner leaves the word as it is
  else if (s = stack.context_forks.take_marked(call, ours); s == nullptr) return false;
  s->thief.store(me_.id(), platform::relaxed);  // relaxed: a hint
  a.what = post::answer<P>::kind::task;
  work::record::write(&a.task, given_fork<P>{s, call});
  return true;
}

// LEAPFROG-1 holds here, too: only tasks of the awaited group may be taken, as others do not descend from it.
template <class P>
bool hunter<P>::helps_itself(const void* target, worker<P>& victim) {
  if (!victim.exposer.tag().has_target(target)) return false;
  if (me_.requester.learns_that_tasks_are_short()) return false;
  me_.counts.add(event::attempts);
  work::run<P>* const mine = me_.runner.current_run();
  const auto stolen = victim.exposer.tag().steal(victim.stack().tasks, mine->id(), target);  // EXPOSURE-1
  if (stolen.count == 0) return false;
  me_.counts.add(event::taken);
  if (stolen.last) request_exposure(victim);
  post::answer<P> a{post::answer<P>::kind::tasks, victim.id(), {}, nullptr, mine};
  a.lent = stolen;
  a.lender = &victim.stack().tasks;
  // As in accept: the channel opens before tasks are taken (WORKER-5).
  me_.responder.reopen_if_closed();
  me_.requester.take(a);
  me_.requester.end_leapfrogging_unless_held();
  return true;
}

// EXPOSURE-3: both sides expose eagerly from here on: this worker at once, the victim when it polls.
template <class P>
void hunter<P>::note_long_tasks(worker<P>& victim, std::uint64_t waited_ns) {
  if (me_.home.all().is_outside(victim.id()) || !me_.requester.is_kept_waiting(waited_ns)) return;
  me_.exposer.policy().tasks_are_long();
  // The request may lie with another worker by now, so this one is examined again.
  if (victim.monitor.is_in_task() && victim.exposer.tag().is_of(run_id_)) request_exposure(victim);
}

// EXPOSURE-1: a worker hunts only in the run under which the manager counts it, else that run could end during the
// hunt.
template <class P>
bool hunter<P>::may_hunt(protocol::run_id only) const noexcept {
  if (!me_.exposer.is_eager() || run_ == nullptr || (only != protocol::no_run && only != run_id_)) return false;
  // The manager alone knows whether an idle spare is still needed (MANAGER-8).
  return only != protocol::no_run || me_.id() < me_.home.config().workers;
}

// A worker hunts before each request, so it tries only as many victims as a request would.
template <class P>
auto hunter<P>::try_all(unsigned round, post::answer<P>& a) -> round_end {
  const bool may_request = round % rounds_per_request == 0;
  const std::uint32_t workers = me_.home.workers_started();
  const std::uint32_t tried = std::min(workers, me_.home.config().attempts + 1);
  const auto last = me_.requester.last_victim();
  const std::uint32_t first = round == 0 && last ? *last : random_.below(workers);
  auto end = round_end::found_none;
  for (std::uint32_t i = 0; i < tried; ++i) {
    worker<P>& victim = me_.home.worker_at((first + i) % workers);
    if (&victim == &me_ || !victim.exposer.tag().is_of(run_id_)) continue;
    if (take_public(victim, a)) {
      a.victim = victim.id();
      a.of = run_;
      me_.counts.add(event::taken);
      return round_end::took;
    }
    // A victim outside a task will have nothing soon; one that waits has nothing public, and answers requests.
    if (!victim.monitor.is_in_task()) continue;
    end = round_end::found_work;
    if (may_request) request_exposure(victim);
  }
  return end;
}

// A hunting worker counts as active, so it gives up as soon as a root waits for an idle worker (MANAGER-4).
template <class P>
template <class Ready>
std::optional<post::answer<P>> hunter<P>::hunt(protocol::run_id only, Ready ready) {
  if (!may_hunt(only)) return std::nullopt;
  assert(me_.requester.may_execute(*run_));  // CAP-3
  post::answer<P> a = me_.requester.nothing_new();
  std::uint64_t start = 0;
  for (unsigned round = 0; !ready() && !me_.home.manager().roots_wait(); ++round) {
    const round_end end = try_all(round, a);
    if (end == round_end::took) return a;
    if (end == round_end::found_none) break;
    // A thief that leapfrogs this worker must not wait for the end of the hunt.
    me_.responder.decline_leapfrog_requests();
    P::relax();
    if (round % rounds_per_request != 0) continue;
    P::yield();
    if (round == 0) start = P::now_ns();
    if (P::now_ns() - start >= std::min(me_.home.config().patience_ns, protocol::exposing::late_ns)) break;
  }
  return std::nullopt;
}

}  // namespace leat::inline LEAT_ABI::scheduler
