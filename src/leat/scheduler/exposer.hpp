// What a worker has made public of its tasks and forks: thieves take that without a request (LCWS section 3).
//
// Rules, cited in the code:
//  EXPOSURE-1  A thief takes only from workers of the run under which the manager counts the thief. A worker with a
//      public slot stays in its run. The thief reads that the slot is public before it reads the victim's run, and
//      takes the slot after that (PUBLIC-2). An idle spare does not hunt. Why: the manager need not be told, and that
//      run cannot end meanwhile. A spare must ask the manager whether it is needed (MANAGER-8).
//  EXPOSURE-2  A thief requests exposure: it turns `request_` from `nothing` to `requested` and signals the victim.
//      If it has hunted for some microseconds and the request is still open, it may turn `requested` to `urgent` and
//      interrupt the victim. When the victim next leaves the runtime it turns the word back, and exposes its oldest
//      tasks, else TLS forks, else context forks. Why: most victims answer before an interrupt, at
//      the price of no signal. If a victim has nothing, the request is forgotten, and a thief that still hunts
//      requests again. A request that comes just as the victim leaves is noticed at its next push or join.
//  EXPOSURE-3  In the channel scheduler nothing is public while tasks are short. A thief that learns that they are
//      long exposes eagerly from then on, and requests exposure of its victim (EXPOSURE-2), which does so, too, when
//      it polls. An eager worker makes half of its tasks public whenever it leaves the runtime, and hunts for a
//      moment before it asks. In detail:
//      - A thief learns it when its request lies unopened for a moment and its last two steals were worth it; or for
//        a longer moment, and its last steal was (protocol::exposing).
//      - The public tasks are the oldest, all of one group if the oldest has one. If there is none, the next one that
//        the worker pushes is public. A thief that takes the last public task requests more.
//      - A hunt begins with the last victim. A wait for a group takes public tasks of that group from the worker that
//        it leapfrogs (LEAPFROG-2); public_tag.hpp tells which they are.
//      - A worker changes its policy only inside the runtime, where nothing of it is public (PUBLIC-1). Other workers
//        need not know: all still answer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "leat/events/counters.hpp"
#include "leat/handshake/public_tag.hpp"
#include "leat/platform/order.hpp"
#include "leat/protocol/exposure.hpp"
#include "leat/scheduler/group.hpp"
#include "leat/scheduler/stay.hpp"
#include "leat/work/record.hpp"
#include "leat/work/task_stack.hpp"

namespace leat::scheduler {

template <class P>
class exposer {
 public:
  using exposure_request = protocol::exposure_request;
  using slot = deque::fork_slot<P>;

  exposer(worker<P>& me, protocol::exposure configured) noexcept : me_(me), policy_(configured) {}

  // -- the worker's

  /// Which tasks the worker makes public, and its evidence about the length of tasks.
  protocol::exposing& policy() noexcept { return policy_; }
  bool exposes_nothing() const noexcept { return policy_.now() == protocol::exposure::none; }
  bool exposes_all() const noexcept { return policy_.now() == protocol::exposure::all; }
  bool is_eager() const noexcept { return policy_.now() == protocol::exposure::eager; }

  /// PUBLIC-1: from here on the worker is in a task.
  [[gnu::noinline]] void expose() noexcept;

  /// PUBLIC-1: from here on the worker is inside the runtime.
  [[gnu::noinline]] void unexpose() noexcept;

  /// Where all is public: exposes the tasks that were pushed. True if the limit was signalled for nothing else.
  bool expose_pushed();

  /// Where all is public: true if the fork in `s`, which has been given up, is certainly the worker's, and no request
  /// is pending.
  bool keeps(deque::fork_stack<P>& forks, slot* s);

  /// Where all is public: takes the newest task if it is wanted, certainly the worker's, and no request is pending.
  /// No interrupt may come between the check and the taking: it could leave a tombstone there (INTERRUPT-8).
  template <class Wanted>
  work::record* pop(Wanted wanted);

  // -- of a loop, about the fork in TLS form that it left in slot `s`

  /// Whether another worker has it.
  bool fork_is_gone(const slot* s) const noexcept { return me_.stack().tls_forks.was_taken(s); }
  /// Whether the loop must poll: a request is pending, or another worker has the fork. Where all is public, the limit
  /// may be above the slot for other reasons.
  bool is_poll_due_for(const slot* s) const noexcept {
    return !exposes_all() || me_.stack().tls_forks.is_poll_requested() || fork_is_gone(s);
  }
  /// Whether the fork, which has been given up, is certainly the worker's, so that no join is needed.
  bool fork_is_mine(const slot* s) const noexcept {
    P::signal_fence();  // an interrupt may just have given it away
    return !exposes_all() && !me_.stack().tls_forks.given_away(s);
  }

  /// Of which run and group its public tasks are.
  handshake::public_tag<P>& tag() noexcept { return tag_; }

  /// For an idle worker: exposure was requested for the run that has ended.
  void works_for_none() noexcept {
    tag_.works_for_none();
    forget_requests();
  }
  void forget_requests() noexcept {
    request_.store(exposure_request::nothing, platform::relaxed);  // relaxed: as in expose
  }

  // -- any worker's

  const handshake::public_tag<P>& tag() const noexcept { return tag_; }

  /// How far exposure has been requested. A hint.
  // relaxed: a thief that requests exposure signals after it, and the victim acknowledges before it reads this
  // (DEQUE-2).
  exposure_request requested() const noexcept { return request_.load(platform::relaxed); }

  /// EXPOSURE-2: takes the request a step further. One thief succeeds, and signals or interrupts; the others leave that
  /// to it.
  bool advance(exposure_request from, exposure_request to) noexcept {
    // acq_rel: a single thief succeeds. relaxed failure: nothing is read because of it.
    return request_.compare_exchange_strong(from, to, platform::acq_rel, platform::relaxed);
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
  alignas(platform::cache_line) typename P::template atomic<exposure_request> request_{};
  handshake::public_tag<P> tag_;
};

template <class P>
template <class Wanted>
work::record* exposer<P>::pop(Wanted wanted) {
  if (!exposes_all() || me_.monitor.where() != whereabouts::task) return nullptr;
  const undisturbed<P> here(me_);
  work::record* const newest = me_.stack().tasks.newest();
  return newest != nullptr && wanted(*newest) ? me_.stack().tasks.pop_public() : nullptr;
}

}  // namespace leat::scheduler
