// The body of the exposer. Rules X1-X3: exposer.hpp.
#pragma once

#include <algorithm>

#include "leat/scheduler/scheduler.hpp"

namespace leat::scheduler {

template <class P>
void exposer<P>::expose() noexcept {
  auto& stack = me_.stack();
  if (exposes_all()) {
    me_.runner.take_over_account();  // N6
    stack.tasks.open(0);
    stack.tls_forks.open(0);
    stack.context_forks.open(0);
    return;
  }
  if (!is_eager() && requested() == wish::nothing) return;
  forget_requests();  // X2; what is wanted from now on is another request
  const bool groups_apart = is_eager() && !stack.tasks.empty();
  const group<P>* const g = groups_apart ? group<P>::of(stack.tasks.at(stack.tasks.oldest_index())) : nullptr;
  const amounts some = to_expose(g);
  exposed_ = some.tasks != 0 ? some.tasks : some.tls_forks != 0 ? some.tls_forks : some.context_forks;
  if (is_eager() && some.tasks == 0) stack.tasks.rearm(true);  // X3: what is pushed next
  if (exposed_ != 0) expose(some, g);
  else if (is_eager()) policy_.closed(0, me_.counts.of_tasks());
}

// The first of these that there is.
template <class P>
void exposer<P>::expose(const amounts& some, const group<P>* g) noexcept {
  auto& stack = me_.stack();
  me_.counts.add_in_poll(event::exposed, exposed_);
  if (some.tasks != 0) {
    me_.runner.take_over_account();  // N6
    tag_.open(stack.tasks, some.tasks, g == nullptr ? nullptr : g->key());
  } else if (some.tls_forks != 0) {
    stack.tls_forks.open(some.tls_forks);
  } else {
    stack.context_forks.open(some.context_forks);
  }
}

// How much of each there is to make public, when it was requested or is done eagerly: of group `g` alone, if that is one.
template <class P>
auto exposer<P>::to_expose(const group<P>* g) noexcept -> amounts {
  auto& stack = me_.stack();
  const auto some = [this](std::size_t pending) { return protocol::exposed(policy_.now(), pending); };
  const std::size_t most =
      is_eager() ? std::min(some(stack.tasks.size()), protocol::exposing::ahead_max) : some(stack.tasks.size());
  const std::size_t tasks = policy_.begins_stolen() ? 0 : g != nullptr ? me_.responder.oldest_of(g, most) : most;
  slot* const oldest = stack.context_forks.bottom();
  return {tasks, some(stack.pending_tls_forks()),
          some(static_cast<std::size_t>(stack.context_forks.top_of_marked(oldest) - oldest))};
}

template <class P>
void exposer<P>::unexpose() noexcept {
  auto& stack = me_.stack();
  const std::uint64_t taken = stack.tasks.close() + stack.tls_forks.close() + stack.context_forks.close();
  if (exposed_ == 0) return;
  me_.counts.add_in_poll(event::unstolen, exposed_ - taken);
  policy_.closed(taken, me_.counts.of_tasks());
  tag_.end();
  exposed_ = 0;
}

template <class P>
bool exposer<P>::expose_pushed() {
  if (!exposes_all() || me_.monitor.where() != whereabouts::task) return false;
  const undisturbed<P> here(me_);
  me_.runner.take_over_account();  // N6
  me_.stack().tasks.publish();
  return !me_.stack().tasks.asked_in_earnest();
}

template <class P>
bool exposer<P>::keeps(deque::fork_stack<P>& forks, slot* s) {
  if (!exposes_all() || me_.monitor.where() != whereabouts::task) return false;
  const undisturbed<P> here(me_);
  return forks.keeps(s);
}

}  // namespace leat::scheduler
