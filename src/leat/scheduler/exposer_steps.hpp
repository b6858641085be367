// The body of the exposer. Rules EXPOSURE-1 to EXPOSURE-3: exposer.hpp.
#pragma once

#include <algorithm>

#include "leat/scheduler/scheduler.hpp"

namespace leat::inline LEAT_ABI::scheduler {

// PUBLIC-1: runs as the last thing inside the runtime. Before tasks become public their counts must be taken over, as a
// thief may end them at once (GROUP-6).
template <class P>
void exposer<P>::expose() noexcept {
  auto& stack = me_.stack();
  forget_requests();  // EXPOSURE-2: a thief that wants more from here on requests it anew
  const group<P>* const g = stack.tasks.empty() ? nullptr : group<P>::of(stack.tasks.at(stack.tasks.oldest_index()));
  const amounts some = to_expose(g);
  exposed_ = some.tasks != 0 ? some.tasks : some.tls_forks != 0 ? some.tls_forks : some.context_forks;
  if (some.tasks == 0) stack.tasks.rearm(true);  // EXPOSURE-3: the next push exposes its task
  // With nothing to expose the policy still counts an opening: after enough vain ones, eager exposure ends.
  if (exposed_ != 0) expose(some, g);
  else policy_.closed(0, me_.counts.of_tasks());
}

// Exposes one kind only, the first that there is: tasks, else TLS forks, else context forks (EXPOSURE-2).
template <class P>
void exposer<P>::expose(const amounts& some, const group<P>* g) noexcept {
  auto& stack = me_.stack();
  me_.counts.add_in_poll(event::exposed, exposed_);
  if (some.tasks != 0) {
    me_.runner.take_over_account();  // GROUP-6
    tag_.open(stack.tasks, some.tasks, g == nullptr ? nullptr : g->target());
  } else if (some.tls_forks != 0) {
    stack.tls_forks.open(some.tls_forks);
  } else {
    stack.context_forks.open(some.context_forks);
  }
}

// How much of each kind to make public. With a group `g`, only its tasks: a waiter takes them as one (LEAPFROG-2).
template <class P>
auto exposer<P>::to_expose(const group<P>* g) noexcept -> amounts {
  auto& stack = me_.stack();
  const auto some = [this](std::size_t pending) { return protocol::exposed(policy_.now(), pending); };
  const std::size_t most = std::min(some(stack.tasks.size()), protocol::exposing::eager_max);
  // A single stolen task that has not begun stays private, lest it go from thief to thief.
  const std::size_t tasks = policy_.begins_stolen() ? 0 : g != nullptr ? me_.responder.oldest_of(g, most) : most;
  return {tasks, some(stack.pending_tls_forks()), some(stack.pending_context_forks())};
}

// PUBLIC-1: runs first inside the runtime. The numbers tell the policy whether exposing paid.
template <class P>
void exposer<P>::unexpose() noexcept {
  auto& stack = me_.stack();
  // All kinds are closed: the exposure to end may have been of any.
  const std::uint64_t taken = stack.tasks.close() + stack.tls_forks.close() + stack.context_forks.close();
  if (exposed_ == 0) return;
  me_.counts.add_in_poll(event::unstolen, exposed_ - taken);
  policy_.closed(taken, me_.counts.of_tasks());
  tag_.end();
  exposed_ = 0;
}

}  // namespace leat::inline LEAT_ABI::scheduler
