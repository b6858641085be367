// The body of the worker: its life, and what others do in its stead.
#pragma once

#include "leat/scheduler/absence.hpp"
#include "leat/scheduler/scheduler.hpp"

namespace leat::scheduler {

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

template <class P>
void worker<P>::poll_asked() {
  check_process(*this);
  // What is public, only servicing the requests takes into account.
  if (!exposer.expose_pushed()) responder.service();
}

template <class P>
void worker<P>::forget_in_children() {
  // Once; if it fails, the next runtime tries again.
  static const bool asked = (P::on_fork([] {
                               if (worker* const me = current()) me->stack().tasks.signal();  // it polls: check_process
                               P::self() = nullptr;
                               P::template own<deque::fork_words<P>>().top = nullptr;
                             }),
                             true);
  static_cast<void>(asked);
}

template <class P>
void worker<P>::poll_in_its_stead() {
  const stay<P> here(*this, whereabouts::runtime);
  auto& tasks = stack().tasks;
  for (;;) {
    responder.service();
    // An answer that came late (W8). If memory was short when the worker left, the answer waits for its return.
    if (!requester.has_answer() || !tasks.empty() || tasks.free_slots() < protocol::batch_max) break;
    requester.accept_answer();
    P::fence();  // pairs with the fence in notify: a sender that found the channel closed has published what the next poll sees
  }
  if (!stack().has_work()) responder.close_if_open();  // W5
}

template <class P>
void worker<P>::attend() {
  if (!presence.begin_look()) return;
  poll_in_its_stead();
  if (presence.end_look()) notify();  // Y5
}

// -- absence ----------------------------------------------------------------------------------------------------------

template <class P>
absence<P>::absence(worker<P>& me) : me_(me) {
  me_.waiter.list_if_reported(listed_, wait_kind::blocking);
  ++P::template own<left_workers>().count;
  leave();
}

template <class P>
absence<P>::~absence() {
  come_back();
  me_.waiter.end_listed(listed_);
  --P::template own<left_workers>().count;
}

template <class P>
void absence<P>::leave() {
  auto& home = me_.home;
  // W8: a request left over from a wait may yet be answered with tasks. An attendant takes them, but may not allocate.
  if (me_.requester.has_request_out()) {
    const stay<P> here(me_, whereabouts::runtime);
    me_.stack().make_room();
  }
  // The thread is no worker from here on, in any form of fork.
  P::self() = nullptr;
  P::signal_fence();  // an interrupt finds a worker, or none
  me_.stack().leave_thread();
  me_.donor.watch_out().end();
  home.manager().add_waiting_victim();  // what comes to rest from now on asks us (A4)
  me_.presence.leave();
  // An interrupt that was sent has come when a system call returns. Its sender may be preempted.
  constexpr int relaxes_max = 64;
  for (int i = 0; me_.presence.is_interrupted(); ++i) i < relaxes_max ? P::relax() : P::yield();
  if (home.watch().on()) P::yield();
  home.attendance().call(me_);
  home.attend_absent();
  home.block_begins();
}

template <class P>
void absence<P>::come_back() {
  // A child that was forked meanwhile has no scheduler to come back to. Its next pop says so.
  if (me_.home.forked()) return me_.stack().tasks.signal();
  me_.home.block_ends();
  me_.presence.come_back([this](auto back) {
    // Y5: an attendant that a preemption keeps is waited for asleep; mostly it is done in a microsecond.
    constexpr std::uint64_t spin_ns = 20'000;
    me_.parker.wait(back, spin_ns);
  });
  me_.home.manager().remove_waiting_victim();
  // A worker again, entirely, before it polls; and not interrupted before that.
  const stay<P> here(me_, whereabouts::runtime);
  me_.stack().return_to(P::template own<deque::fork_words<P>>());
  P::self() = &me_;
  me_.responder.reopen_if_closed();
  me_.responder.service();  // Y3: calls that nobody answered
}

}  // namespace leat::scheduler
