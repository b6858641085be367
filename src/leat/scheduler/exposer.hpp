// What a worker has made public of its tasks and forks: others take that without being answered (LCWS section 3).
//
// Rules, cited in the code:
//  X1  A thief takes from workers of the run that the manager counts the thief under, and of no other: nobody need be told, and
//      that run cannot end meanwhile. A worker with a public slot stays in its run; the thief reads that the slot is public before
//      it looks at the victim's run, and takes the slot after that (E2). (An idle spare does not hunt: it is to ask the manager
//      whether it is needed, G8.)
//  X2  A thief requests exposure by turning `wanted_` from `nothing` to `wished` and signalling the victim. A thief that has
//      hunted for some microseconds, and finds the request still open, may turn it from there to `insisted`, and interrupt the
//      victim: most victims answer before that, at the price of no signal. The victim turns the word back when it
//      leaves the runtime the next time, and makes its oldest tasks public then, or its oldest forks in TLS form, or in context
//      form, whichever it has first. If it has none, the request is forgotten; a thief that still hunts requests again. A request
//      that the victim's way out of the runtime overtakes is noticed at the victim's next push or join.
//  X3  In the channel scheduler a worker makes nothing public while tasks are short. A thief whose request lies unopened for a
//      moment, and that knows from its last two steals, or one and a longer moment, that a task is worth it
//      (protocol::exposing), exposes eagerly from then on, and requests exposure of its victim (X2), which exposes eagerly, too,
//      when it polls. A worker that exposes eagerly makes half of its tasks public each time that it leaves the runtime: the
//      oldest, of one group if of any; and, if it has none, the next that it pushes. Before it asks it hunts for a moment, its
//      last victim first; a thief that takes the last public task requests more. A wait for a group takes by itself what the
//      worker that it leapfrogs has made public of that group (L2), which public_tag.hpp tells. A worker changes only inside the
//      runtime, where nothing of it is public (E1). Others need not know: all still answer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "leat/platform/order.hpp"
#include "leat/protocol/exposure.hpp"
#include "leat/scheduler/counters.hpp"
#include "leat/scheduler/group.hpp"
#include "leat/scheduler/public_tag.hpp"
#include "leat/scheduler/record.hpp"
#include "leat/scheduler/stay.hpp"
#include "leat/scheduler/task_stack.hpp"

namespace leat::scheduler {

template <class P>
class exposer {
 public:
  using wish = protocol::exposure_wish;
  using slot = deque::fork_slot<P>;

  exposer(worker<P>& me, protocol::exposure configured) noexcept : me_(me), policy_(configured) {}

  // -- the worker's

  /// What it makes public, and what it has learnt about that.
  protocol::exposing& policy() noexcept { return policy_; }
  bool exposes_nothing() const noexcept { return policy_.now() == protocol::exposure::none; }
  bool exposes_all() const noexcept { return policy_.now() == protocol::exposure::all; }
  bool is_eager() const noexcept { return policy_.now() == protocol::exposure::ahead; }

  /// E1: from here on the worker is in a task.
  [[gnu::noinline]] void expose() noexcept;

  /// E1: from here on the worker is inside the runtime.
  [[gnu::noinline]] void unexpose() noexcept;

  /// Where all is public: exposes what was pushed. Whether that was all that the signalled limit called for.
  bool expose_pushed();

  /// Where all is public: whether the fork in `s`, which has been given up, is the worker's for sure, and no request is pending.
  bool keeps(deque::fork_stack<P>& forks, slot* s);

  /// Where all is public: the newest task, if it is wanted, and the worker's for sure, and no request is pending. It is looked at
  /// and taken with no interrupt between, which could leave a hole there (I2).
  template <class Wanted>
  record* pop(Wanted wanted);

  // -- of a loop, about the fork in TLS form that it left in slot `s`

  /// Whether another worker has it.
  bool fork_is_gone(const slot* s) const noexcept { return me_.stack().tls_forks.was_taken(s); }
  /// Whether a request is pending, or another worker has it, where the limit is above the slot for one reason or another.
  bool is_poll_due_for(const slot* s) const noexcept {
    return !exposes_all() || me_.stack().tls_forks.asked_in_earnest() || fork_is_gone(s);
  }
  /// Whether it is the worker's for sure, without a join. It has been given up.
  bool fork_is_mine(const slot* s) const noexcept {
    P::signal_fence();  // an interrupt may just have given it away
    return !exposes_all() && !me_.stack().tls_forks.given_away(s);
  }

  /// Of which run and group its public tasks are.
  public_tag<P>& tag() noexcept { return tag_; }

  /// Idle: what was requested was of the run that has ended.
  void works_for_none() noexcept {
    tag_.works_for_none();
    forget_requests();
  }
  void forget_requests() noexcept { wanted_.store(wish::nothing, platform::relaxed); }  // relaxed: as in expose

  // -- any worker's

  const public_tag<P>& tag() const noexcept { return tag_; }

  /// How far exposure has been requested. A hint.
  // relaxed: a thief that requests exposure signals after it, and the victim acknowledges before it reads this (D2).
  wish requested() const noexcept { return wanted_.load(platform::relaxed); }

  /// X2: takes the request a step further. True for one of those that want to.
  bool advance(wish from, wish to) noexcept {
    // acq_rel: one of the thieves asks. relaxed failure: another one has.
    return wanted_.compare_exchange_strong(from, to, platform::acq_rel, platform::relaxed);
  }

 private:
  struct amounts {
    std::size_t tasks, tls_forks, context_forks;
  };
  amounts to_expose(const group<P>* g) noexcept;
  void expose(const amounts& some, const group<P>* g) noexcept;

  worker<P>& me_;
  protocol::exposing policy_;
  std::uint64_t exposed_ =
      0;  // tasks and forks that were made public when the worker was last in a task, but where all are
  alignas(platform::cache_line) typename P::template atomic<wish> wanted_{};
  public_tag<P> tag_;
};

template <class P>
template <class Wanted>
record* exposer<P>::pop(Wanted wanted) {
  if (!exposes_all() || me_.monitor.where() != whereabouts::task) return nullptr;
  const undisturbed<P> here(me_);
  record* const newest = me_.stack().tasks.newest();
  return newest != nullptr && wanted(*newest) ? me_.stack().tasks.pop_public() : nullptr;
}

}  // namespace leat::scheduler
