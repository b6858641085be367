// The body of the worker: its life, and the polls that a proxy makes on its behalf.
#pragma once

#include <cstdint>
#include <functional>

#include "leat/handshake/proxies.hpp"
#include "leat/platform/thread_view.hpp"
#include "leat/profile/runtime_log.hpp"
#include "leat/scheduler/call_hook.hpp"
#include "leat/scheduler/scheduler.hpp"

namespace leat::inline LEAT_ABI::scheduler {

// Each part gets the worker here, and may not use another part before all are made.
template <class P>
worker<P>::worker(channel_scheduler<P>& of, protocol::worker_id id)
    : home(of),
      runner(*this, of.config().deque_capacity, protocol::comes_each_time(of.config().published),
             id < of.config().primaries),
      waiter(*this),
      exposer(*this, of.config().exposure),
      monitor(*this),
      requester(*this, of.make_victims(id), protocol::stealing(of.config().strategy, of.config().adaptive_interval)),
      hunter(*this, of.config().seed + id),
      donor(*this, of.lookouts(), id),
      responder(*this, std::size_t{of.config().workers} + of.config().spares),
      blocks(&of),
      published(of.make_processor(*this, id)),
      id_(id),
      workers_(of.config().at_once()),
      home_number_(of.config().number) {}

// The thread is a worker only between the two stores to self(). It leaves with all others, since a late signal may
// still write its fork words.
template <class P>
void worker<P>::main() {
  thread_begins();
  shows_thread();
  shows(profile::activity::searching);
  P::self() = this;
  auto& words = P::template own<deque::fork_words<P>>();
  P::put(words.top, stack().tls_forks.base());
  stack().attach(words);
  if (home.watch().on()) P::allow_interrupts();
  if (published != nullptr) published->attached(), published->main();
  while (published == nullptr) {
    runner.works_for_none();
    exposer.works_for_none();
    const auto a = requester.await(protocol::status::idle, protocol::no_run, [] { return false; });
    if (a->what == post::answer<P>::kind::stop) break;
    requester.accept(*a);
    const stay<P> away(*this, whereabouts::task);
    if (a->what == post::answer<P>::kind::root) runner.run_root();
    runner.run_tasks();
  }
  P::self() = nullptr;
  P::put(words.top, nullptr);
  call_hook<P>(home.config().threads.end, home.config().worker_number(id_));
  home.all().leave_with_all();
}

// The thread gets its name and its CPU before the program's hook, which may change both.
template <class P>
void worker<P>::thread_begins() const noexcept {
  const settings& s = home.config();
  P::name_thread(s.name_of_thread(id_).c_str());
  if (!s.bind_to.empty()) P::bind(s.bind_to[s.worker_number(id_) % s.bind_to.size()]);
  call_hook<P>(s.threads.begin, s.worker_number(id_));
}

// A published scheduler has operations of its own, which are not sampled.
template <class P>
void worker<P>::shows_thread() noexcept {
  const settings& s = home.config();
  if (s.profile == nullptr) return;
  times.thread_begins(*s.profile, s.worker_number(id_), platform::thread_number(),
                      {this, [](const void* w) { return static_cast<const worker*>(w)->counts.read(); },
                       [](void* w) {
                         auto& me = *static_cast<worker*>(w);
                         if (me.published == nullptr) me.stack().signal();
                       }});
}

// The slow path of poll(): the limit is signalled, by a request or, in a forked child, for check_process.
template <class P>
void worker<P>::poll_signalled() {
  check_process(*this);
  const profile::worker_times::operation sampled(times);
  responder.service();
}

// The child has no other worker, and its thread must not go on as one. It is signalled, so that its next poll aborts
// (check_process).
template <class P>
void worker<P>::forget_in_children() {
  P::on_fork([] {
    if (worker* const me = current()) {
      me->stack().tasks.signal();  // it polls: check_process
      me->times.forget();
    }
    P::self() = nullptr;
    P::template own<deque::fork_words<P>>().top = nullptr;
  });
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

}  // namespace leat::inline LEAT_ABI::scheduler
