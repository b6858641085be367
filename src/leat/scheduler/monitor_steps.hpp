// The body of the monitor: what an interrupt does, and when one is due. Rules INTERRUPT-1 to INTERRUPT-4 and
// INTERRUPT-10: docs/internals/interrupts.md.
#pragma once

#include <algorithm>
#include <cstdint>

#include "leat/scheduler/scheduler.hpp"

namespace leat::inline LEAT_ABI::scheduler {

// The signal may hit any thread, and a worker that has just left: then there is nothing to do.
template <class P>
void monitor<P>::on_interrupt() noexcept {
  if (worker<P>* me = worker<P>::current()) me->monitor.handle_interrupt();
}

// Must be safe between any two instructions of a task: it allocates nothing, takes no lock and accepts no answer
// (INTERRUPT-2).
template <class P>
void monitor<P>::handle_interrupt() noexcept {
  // A worker inside the runtime polls by itself, or is interrupted again after it has left: its limit stays signalled
  // (INTERRUPT-1).
  if (!is_in_task()) {
    if (me_.published != nullptr) me_.published->interrupted(false);
    return;
  }
  in_handler_ = true;
  me_.counts.begin_handler();
  me_.counts.add_in_poll(event::interrupted_polls);
  const auto poll_here = [this] {
    const stay<P> here(me_, whereabouts::runtime);
    if (me_.published != nullptr) me_.published->interrupted(true);
    else me_.responder.service_without_accepting();
  };
  if constexpr (requires { P::counts(); }) {
    // The interrupted code may be in the middle of counting: it finds its counts as it left them (INTERRUPT-3).
    const auto before = P::counts();
    poll_here();
    const auto spent = P::counts() - before;
    P::counts() = before;
    me_.counts.add_in_poll(event::fences, spent.fences);
    me_.counts.add_in_poll(event::cas, spent.cas);
    me_.counts.add_in_poll(event::rmw, spent.rmw);
    me_.counts.add_in_poll(event::signals, spent.signals);
  } else {
    poll_here();
  }
  me_.counts.end_handler();
  in_handler_ = false;
}

// Between begin_interrupt and end_interrupt the worker cannot leave, so its thread is there to be interrupted
// (BLOCKING-2).
template <class P>
bool monitor<P>::interrupt() {
  const bool is_there = me_.presence.begin_interrupt() && is_in_task();  // a hint (INTERRUPT-1)
  P::fence();  // PRIMARY-2; pairs with the one in primary::visit: the thread is the one that is in the task
  if (is_there) me_.thread.interrupt();
  me_.presence.end_interrupt();
  return is_there;
}

// Where requests are pooled, every worker in a task owes a poll: its newest forks and pushes are seen by no other
// thread.
template <class P>
bool monitor<P>::owes_a_poll() const noexcept {
  // relaxed, all: hints; a worker that they misjudge is examined again.
  if (!is_in_task() || me_.responder.closed() || me_.presence.blocked()) return false;
  return me_.stack().tasks.is_signalled() || unserved_.load(platform::relaxed) != 0 ||
         me_.home.manager().read_pool().has_requests;
}

// INTERRUPT-10: how long the worker may owe that poll. The time doubles after each vain interrupt, so that a long task
// with nothing to give is left alone more and more. Any thread; a hint.
template <class P>
std::uint64_t monitor<P>::patience(std::uint64_t after_ns) const noexcept {
  if (me_.stack().tasks.is_signalled()) return after_ns;
  const std::uint64_t most = std::max(handshake::watch_interval_ns_max, after_ns);
  std::uint64_t time = after_ns;
  // relaxed: a hint.
  for (std::uint32_t vain = in_vain_.load(platform::relaxed); vain != 0 && time < most; --vain) time *= 2;
  return std::min(time, most);
}

// One word holds both the poll and the time, so a single exchange decides which watchdog interrupts.
template <class P>
bool monitor<P>::overdue(std::uint64_t now_ns, std::uint64_t after_ns) noexcept {
  constexpr unsigned polls_shift = 32;
  const std::uint64_t now_us = now_ns / 1000;
  // relaxed, all: numbers that order nothing.
  const std::uint64_t fresh =
      std::uint64_t{polls_.load(platform::relaxed)} << polls_shift | static_cast<std::uint32_t>(now_us);
  std::uint64_t note = note_.load(platform::relaxed);
  const bool same = note >> polls_shift == fresh >> polls_shift;
  const auto passed_us = static_cast<std::uint32_t>(now_us - note);
  if (same && std::uint64_t{passed_us} * 1000 < patience(after_ns)) return false;
  return note_.compare_exchange_strong(note, fresh, platform::relaxed, platform::relaxed) && same;
}

}  // namespace leat::inline LEAT_ABI::scheduler
