// The body of the donor. Rules WORKER-6, WORKER-14, WORKER-15: docs/internals/protocol.md.
#pragma once

#include "leat/scheduler/scheduler.hpp"

namespace leat::inline LEAT_ABI::scheduler {

// The epoch of the pool changes whenever a request is pooled, so an offer for this epoch need not be repeated.
template <class P>
bool donor<P>::may_offer() noexcept {
  const auto pool = me_.home.manager().read_pool();
  return pool.has_requests && pool.epoch != offered_ && offer_.may_be_made() && me_.stack().has_work() &&
         !me_.responder.turns_thieves_away(true);
}

// WORKER-14: only a worker that can be interrupted may rely on others: else a failed offer would leave its tasks unseen
// (INTERRUPT-4).
template <class P>
bool donor<P>::others_offer() const noexcept {
  return me_.home.watch().on() && !me_.presence.blocked() && !me_.monitor.goes_away() &&
         me_.home.manager().has_offers_for_all();
}

// WORKER-6: one offer for each epoch of the pool, and another one after each request that came or was handed over.
template <class P>
auto donor<P>::give() -> pool_poll {
  const auto pool = me_.home.manager().read_pool();
  if (pool.has_requests && me_.responder.turns_thieves_away(me_.stack().has_work())) return {outcome::closed, true};
  if (!pool.has_requests || !me_.stack().has_work() || offered_ == pool.epoch)
    return {outcome::done, pool.has_requests};
  if (others_offer()) return {outcome::put_off, true};
  const bool again = make_offer(pool.epoch) || me_.responder.is_request_pending();
  return {again ? outcome::again : outcome::done, true};
}

// The word of the offer is set before the manager hears of it (OFFER-1). False if the offer is not dealt with.
template <class P>
bool donor<P>::make_offer(std::uint64_t epoch) {
  if (!offer_.may_be_made()) return false;
  offered_ = epoch;
  me_.counts.add_in_poll(event::offers);
  offer_.make();
  me_.home.manager().tell({post::note<P>::kind::offer, me_.id(), {}, me_.runner.current_run()});
  // WORKER-15: thieves that ask wait, too
  const auto came = offer_.wait([this] { return me_.responder.is_request_pending(); });
  if (came == handshake::offer<P>::outcome::met) {
    offered_ = 0;  // more requests may be pooled
    me_.responder.hold(offer_.handed());
  }
  return came != handshake::offer<P>::outcome::given_up;
}

}  // namespace leat::inline LEAT_ABI::scheduler
