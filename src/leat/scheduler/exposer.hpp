// What a worker has made public of its tasks and forks while tasks are long: thieves take that without a request.
//
// Rules, cited in the code:
//  EXPOSURE-1  A thief takes only from workers of the run under which the manager counts the thief. A worker with a
//      public slot stays in its run. The thief reads that the slot is public before it reads the victim's run, and
//      takes the slot after that (PUBLIC-2). An idle spare does not hunt. Why: the manager need not be told, and that
//      run cannot end meanwhile. A spare must ask the manager whether it is needed (MANAGER-8).
//  EXPOSURE-2  A thief requests exposure: it turns `request_` from `nothing` to `requested` and signals the victim.
//      When the victim next leaves the runtime it turns the word back, and exposes its oldest tasks, else TLS forks, else
//      context forks. Why: if a victim has nothing, the request is forgotten, and a thief that still hunts requests
//      again. A request that comes just as the victim leaves is noticed at its next push or join.
//  EXPOSURE-3  Nothing is public while tasks are short. A thief that learns that they are
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

namespace leat::inline LEAT_ABI::scheduler {

template <class P>
class exposer {
 public:
  using exposure_request = protocol::exposure_request;
  using slot = deque::fork_slot<P>;

  exposer(worker<P>& me, protocol::exposure least) noexcept : me_(me), policy_(least) {}

  // -- the worker's

  /// Which tasks the worker makes public, and its evidence about the length of tasks.
  protocol::exposing& policy() noexcept { return policy_; }
  bool is_eager() const noexcept { return policy_.now() == protocol::exposure::eager; }

  /// PUBLIC-1: from here on the worker is in a task.
  [[gnu::noinline]] void expose() noexcept;

  /// PUBLIC-1: from here on the worker is inside the runtime.
  [[gnu::noinline]] void unexpose() noexcept;

  // -- of a loop, about the fork in TLS form that it left in slot `s`

  /// Whether another worker has it.
  bool fork_is_gone(const slot* s) const noexcept { return me_.stack().tls_forks.was_taken(s); }
  /// Whether the loop must poll: a request is pending, or another worker has the fork. Where each poll comes to a processor, the limit
  /// is above the slot in any case.
  bool is_poll_due_for(const slot* s) const {
    return !me_.stack().all_public() || fork_is_gone(s) || me_.published->unserved() != 0;
  }
  /// Whether the fork, which has been given up, is certainly the worker's, so that no join is needed.
  bool fork_is_mine(const slot* s) const noexcept {
    P::signal_fence();  // an interrupt may just have given it away
    return !me_.stack().all_public() && !me_.stack().tls_forks.given_away(s);
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

  /// Whether exposure is requested. A hint.
  // relaxed: a thief that requests exposure signals after it, and the victim acknowledges before it reads this
  // (DEQUE-2).
  exposure_request requested() const noexcept { return request_.load(platform::relaxed); }

  /// EXPOSURE-2: requests exposure, if no thief has. One thief succeeds, and signals; the others leave that to it.
  bool request() noexcept {
    if (requested() != exposure_request::nothing) return false;
    auto from = exposure_request::nothing;
    // acq_rel: a single thief succeeds. relaxed failure: nothing is read because of it.
    return request_.compare_exchange_strong(from, exposure_request::requested, platform::acq_rel, platform::relaxed);
  }

 private:
  struct amounts {
    std::size_t tasks, tls_forks, context_forks;
  };
  amounts to_expose(const group<P>* g) noexcept;
  void expose(const amounts& some, const group<P>* g) noexcept;

  worker<P>& me_;
  protocol::exposing policy_;
  std::uint64_t exposed_ = 0;  // tasks and forks that were made public when the worker was last in a task
  alignas(platform::cache_line) typename P::template atomic<exposure_request> request_{};
  handshake::public_tag<P> tag_;
};

}  // namespace leat::inline LEAT_ABI::scheduler
