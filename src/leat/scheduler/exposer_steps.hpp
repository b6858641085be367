// The body of the exposer. Rules EXPOSURE-1 to EXPOSURE-3: exposer.hpp.
#pragma once

#include <algorithm>

#include "leat/scheduler/scheduler.hpp"

namespace leat::scheduler {

// PUBLIC-1: runs as the last thing inside the runtime. Before tasks become public their counts must be taken over, as a
// thief may end them at once (GROUP-6).
template <class P>
void exposer<P>::expose() noexcept {
  auto& stack = me_.stack();
  if (exposes_all()) {
    me_.runner.take_over_account();  // GROUP-6
    stack.tasks.open(0);
    stack.tls_forks.open(0);
    stack.context_forks.open(0);
    return;
  }
  if (!is_eager() && requested() == exposure_request::nothing) return;
  forget_requests();  // EXPOSURE-2: a thief that wants more from here on requests it anew
  const bool groups_apart = is_eager() && !stack.tasks.empty();
  const group<P>* const g = groups_apart ? group<P>::of(stack.tasks.at(stack.tasks.oldest_index())) : nullptr;
  const amounts some = to_expose(g);
  exposed_ = some.tasks != 0 ? some.tasks : some.tls_forks != 0 ? some.tls_forks : some.context_forks;
  if (is_eager() && some.tasks == 0) stack.tasks.rearm(true);  // EXPOSURE-3: the next push exposes its task
  // With nothing to expose the policy still counts an opening: after enough vain ones, eager exposure ends.
  if (exposed_ != 0) expose(some, g);
  else if (is_eager()) policy_.closed(0, me_.counts.of_tasks());
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
  const std::size_t most =
      is_eager() ? std::min(some(stack.tasks.size()), protocol::exposing::eager_max) : some(stack.tasks.size());
  // A single stolen task that has not begun stays private, lest it go from thief to thief.
  const std::size_t tasks = policy_.begins_stolen() ? 0 : g != nullptr ? me_.responder.oldest_of(g, most) : most;
  slot* const oldest = stack.context_forks.bottom();
  return {tasks, some(stack.pending_tls_forks()),
          some(static_cast<std::size_t>(stack.context_forks.top_of_marked(oldest) - oldest))};
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

// Only in a task: inside the runtime nothing may become public (PUBLIC-1).
template <class P>
bool exposer<P>::expose_pushed() {
  if (!exposes_all() || me_.monitor.where() != whereabouts::task) return false;
  const undisturbed<P> here(me_);
  me_.runner.take_over_account();  // GROUP-6
  me_.stack().tasks.publish();
  return !me_.stack().tasks.is_poll_requested();
}

// Undisturbed: an interrupt in the midst of the check could give the fork away.
template <class P>
bool exposer<P>::keeps(deque::fork_stack<P>& forks, slot* s) {
  if (!exposes_all() || me_.monitor.where() != whereabouts::task) return false;
  const undisturbed<P> here(me_);
  return forks.keeps(s);
}

}  // namespace leat::scheduler
