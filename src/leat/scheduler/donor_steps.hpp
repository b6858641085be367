// The body of the donor. Rule W6: docs/internals/protocol.md.
#pragma once

#include "leat/scheduler/scheduler.hpp"

namespace leat::scheduler {

template <class P>
bool donor<P>::may_offer() noexcept {
  const auto pool = me_.home.manager().look();
  return pool.resting && pool.epoch != offered_ && offer_.may_be_made() && me_.stack().has_work();
}

template <class P>
bool donor<P>::others_offer() const noexcept {
  return me_.home.watch().on() && !me_.presence.absent() && !me_.monitor.goes_away() &&
         me_.home.manager().has_offers_for_all();
}

// One offer for each change of the pool, and another after each request that it brought.
template <class P>
auto donor<P>::give() -> look_at_pool {
  const auto pool = me_.home.manager().look();
  if (!pool.resting || !me_.stack().has_work() || offered_ == pool.epoch) return {outcome::done, pool.resting};
  if (others_offer()) return {outcome::put_off, true};
  const bool again = make_offer(pool.epoch) || me_.responder.is_request_pending();
  return {again ? outcome::again : outcome::done, true};
}

// Returns false if an offer is not dealt with.
template <class P>
bool donor<P>::make_offer(std::uint64_t epoch) {
  if (!offer_.may_be_made()) return false;
  offered_ = epoch;
  me_.counts.add_in_poll(event::offers);
  offer_.make();
  me_.home.manager().tell({note<P>::kind::offer, me_.id(), {}, me_.runner.current_run()});
  const auto came = offer_.wait([this] { return me_.responder.is_request_pending(); });  // W6: others wait for us, too
  if (came == offer<P>::outcome::met) {
    offered_ = 0;  // there may be others
    me_.responder.hold(offer_.handed());
  }
  return came != offer<P>::outcome::given_up;
}

}  // namespace leat::scheduler
