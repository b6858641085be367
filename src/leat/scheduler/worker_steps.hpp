// The body of the worker: its life, and the polls that a proxy makes on its behalf.
#pragma once

#include "leat/scheduler/blocked_scope.hpp"
#include "leat/scheduler/scheduler.hpp"

namespace leat::scheduler {

// Each part gets the worker here, and may not use another part before all are made.
template <class P>
worker<P>::worker(channel_scheduler<P>& of, protocol::worker_id id)
    : home(of),
      runner(*this, of.config().deque_capacity, of.config().exposure == protocol::exposure::all),
      waiter(*this),
      exposer(*this, of.config().exposure),
      monitor(*this),
      requester(*this, of.make_victims(id), of.config().strategy),
      hunter(*this, of.config().seed + id),
      donor(*this, of.lookouts(), id),
      responder(*this, std::size_t{of.config().workers} + of.config().spares),
      blocks(&of),
      id_(id),
      workers_(of.config().workers),
      home_number_(of.config().number) {}

// The thread is a worker only between the two stores to self(). It leaves with all others, since a late signal may
// still write its fork words.
template <class P>
void worker<P>::main() {
  P::self() = this;
  auto& words = P::template own<deque::fork_words<P>>();
  P::put(words.top, stack().tls_forks.base());
  stack().attach(words);
  const auto& cpus = home.config().bind_to;
  if (!cpus.empty()) P::bind(cpus[id_ % cpus.size()]);
  if (home.watch().on()) P::allow_interrupts();
  for (;;) {
    runner.works_for_none();
    exposer.works_for_none();
    const auto a = requester.await(protocol::status::idle, protocol::no_run, [] { return false; });
    if (a->what == answer<P>::kind::stop) break;
    requester.accept(*a);
    const stay<P> away(*this, whereabouts::task);
    if (a->what == answer<P>::kind::root) runner.run_root();
    runner.run_tasks();
  }
  P::self() = nullptr;
  P::put(words.top, nullptr);
  home.all().leave_with_all();
}

// The slow path of poll(): the limit is signalled, by a request or, in a forked child, for check_process.
template <class P>
void worker<P>::poll_asked() {
  check_process(*this);
  // Exposure requests are heeded by a service alone.
  if (!exposer.expose_pushed()) responder.service();
}

// The child has no other worker, and its thread must not go on as one. It is signalled, so that its next poll aborts
// (check_process).
template <class P>
void worker<P>::forget_in_children() {
  // Once for the process. If it fails, the next runtime tries again.
  static const bool asked = (P::on_fork([] {
                               if (worker* const me = current()) me->stack().tasks.signal();  // it polls: check_process
                               P::self() = nullptr;
                               P::template own<deque::fork_words<P>>().top = nullptr;
                             }),
                             true);
  static_cast<void>(asked);
}

// A proxy owns all of the worker's state meanwhile (BLOCKING-1). It may not allocate, so an answer is accepted
// only where it fits.
template <class P>
void worker<P>::poll_while_blocked() {
  const stay<P> here(*this, whereabouts::runtime);
  auto& tasks = stack().tasks;
  for (;;) {
    responder.service();
    // A late answer (WORKER-8). If memory was short when the worker left, the answer waits for its return.
    if (!requester.has_answer() || !tasks.empty() || tasks.free_slots() < protocol::batch_max) break;
    requester.accept_answer();
    P::fence();  // pairs with notify: the news of a sender that found the channel closed is seen by the next poll
  }
  if (!stack().has_work()) responder.close_if_open();  // WORKER-5
}

// One poll at a time: begin_poll gives the worker's state to one proxy, and to none if the worker is back.
template <class P>
void worker<P>::poll_by_proxy() {
  if (!presence.begin_poll()) return;
  poll_while_blocked();
  if (presence.end_poll()) notify();  // BLOCKING-5
}

// -- blocking ---------------------------------------------------------------------------------------------------------

// Listed while it is still a worker: the list reads its scopes.
template <class P>
blocked_scope<P>::blocked_scope(worker<P>& me) : me_(me) {
  me_.waiter.list_if_reported(listed_, wait_kind::blocking);
  ++P::template own<handshake::left_workers>().count;
  leave();
}

// The reverse order of the constructor: the wait is unlisted by a worker again.
template <class P>
blocked_scope<P>::~blocked_scope() {
  come_back();
  me_.waiter.end_listed(listed_);
  --P::template own<handshake::left_workers>().count;
}

// Everything that a thief may want stays reachable: from `presence.leave()` on, proxies answer for this worker
// (BLOCKING-2).
template <class P>
void blocked_scope<P>::leave() {
  auto& home = me_.home;
  // WORKER-8: a request left over from a wait may yet be answered with tasks. A proxy accepts them, but may not
  // allocate, so room is made now.
  if (me_.requester.has_request_out()) {
    const stay<P> here(me_, whereabouts::runtime);
    me_.stack().make_room();
  }
  // The thread is no worker from here on, in any form of fork.
  P::self() = nullptr;
  P::signal_fence();  // an interrupt finds a worker, or none
  me_.stack().leave_thread();
  me_.donor.watch_out().end();
  home.manager().add_waiting_victim();  // requests that are pooled from now on signal this worker (ACTOR-4)
  me_.presence.leave();
  // An interrupt that was sent has arrived when a system call returns. Its sender may be preempted, so the wait
  // yields.
  constexpr int relaxes_max = 64;
  for (int i = 0; me_.presence.is_interrupted(); ++i) i < relaxes_max ? P::relax() : P::yield();
  if (home.watch().on()) P::yield();
  home.proxies().call(me_);
  home.poll_for_blocked();
  home.block_begins();
}

// The worker polls last: until then only proxies answered for it, and a call may be left over (BLOCKING-3).
template <class P>
void blocked_scope<P>::come_back() {
  // A child that was forked meanwhile has no scheduler to return to. The signal makes its next pop report that, and
  // abort.
  if (me_.home.forked()) return me_.stack().tasks.signal();
  me_.home.block_ends();
  me_.presence.come_back([this](auto back) {
    // BLOCKING-5: usually the proxy finishes within a microsecond. If it is preempted, the worker waits asleep.
    constexpr std::uint64_t spin_ns = 20'000;
    me_.parker.wait(back, spin_ns);
  });
  me_.home.manager().remove_waiting_victim();
  // The worker is complete again before it polls, and is not interrupted before that.
  const stay<P> here(me_, whereabouts::runtime);
  me_.stack().return_to(P::template own<deque::fork_words<P>>());
  P::self() = &me_;
  me_.responder.reopen_if_closed();
  me_.responder.service();  // BLOCKING-3: calls that no proxy answered
}

}  // namespace leat::scheduler
