// The body of the blocked scope. Rules BLOCKING-1 to BLOCKING-6: handshake/proxies.hpp.
#pragma once

#include <cstdint>
#include <utility>

#include "leat/entry/blocked_scope.hpp"
#include "leat/scheduler/scheduler.hpp"

namespace leat::inline LEAT_ABI::entry {

// Listed while it is still a worker: the list reads its scopes.
template <class P>
blocked_scope<P>::blocked_scope(scheduler::worker<P>& me) : me_(me) {
  me_.waiter.list_if_reported(listed_, waiting::wait_kind::blocking);
  auto& left = P::template own<handshake::left_workers>();
  ++left.count;
  outer_ = std::exchange(left.home, &me_.home);
  leave();
}

// The reverse order of the constructor: the wait is unlisted by a worker again.
template <class P>
blocked_scope<P>::~blocked_scope() {
  come_back();
  me_.waiter.end_listed(listed_);
  auto& left = P::template own<handshake::left_workers>();
  --left.count;
  left.home = outer_;
}

// Everything that a thief may want stays reachable: from `presence.leave()` on, proxies answer for this worker
// (BLOCKING-2).
template <class P>
void blocked_scope<P>::leave() {
  auto& home = me_.home;
  const bool published = me_.published != nullptr;  // then no proxy answers
  if (published) me_.published->block_begins();
  // WORKER-8: a request left over from a wait may yet be answered with tasks. A proxy accepts them, but may not
  // allocate, so room is made now.
  if (me_.requester.has_request_out()) {
    const scheduler::stay<P> here(me_, scheduler::whereabouts::runtime);
    me_.stack().make_room();
  }
  me_.shows(profile::activity::blocked);
  // The thread is no worker from here on, in any form of fork.
  P::self() = nullptr;
  P::signal_fence();  // an interrupt finds a worker, or none
  me_.stack().leave_thread();
  if (!published) {
    me_.donor.watch_out().end();
    home.manager().add_waiting_victim();  // requests that are pooled from now on signal this worker (ACTOR-4)
  }
  me_.presence.leave();
  // An interrupt that was sent has arrived when a system call returns. Its sender may be preempted, so the wait
  // yields.
  constexpr int relaxes_max = 64;
  for (int i = 0; me_.presence.is_interrupted(); ++i) i < relaxes_max ? P::relax() : P::yield();
  if (home.watch().on()) P::yield();
  if (!published) {
    home.proxies().call(me_);
    home.poll_for_blocked();
  }
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
  const bool published = me_.published != nullptr;
  if (!published) me_.home.manager().remove_waiting_victim();
  // The worker is complete again before it polls, and is not interrupted before that.
  me_.shows(profile::activity::running);
  const scheduler::stay<P> here(me_, scheduler::whereabouts::runtime);
  me_.stack().return_to(P::template own<deque::fork_words<P>>());
  P::self() = &me_;
  if (published) {
    me_.published->comes_back();
    return me_.published->block_ends();
  }
  me_.responder.reopen_if_closed();
  me_.responder.service();  // BLOCKING-3: calls that no proxy answered
}

}  // namespace leat::inline LEAT_ABI::entry
