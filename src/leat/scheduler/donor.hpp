// How a busy worker gives to the idle pool: it offers tasks to the requests at rest with the manager (W6, docs/internals/protocol.md).
#pragma once

#include <cstdint>

#include "leat/protocol/request.hpp"
#include "leat/scheduler/lookout.hpp"
#include "leat/scheduler/marks.hpp"
#include "leat/scheduler/offer.hpp"

namespace leat::scheduler {

template <class P>
class worker;

template <class P>
class donor {
 public:
  donor(worker<P>& me, marks<P>& lookouts, protocol::worker_id id) noexcept : me_(me), lookout_(lookouts, id) {}

  // -- the worker's

  /// Whether it has something for requests at rest that it has not offered since the last of them came.
  bool may_offer() noexcept;

  /// Whether others offer as much as is wanted, so that it need not yet: with hundreds of workers offers would take all of the
  /// manager's time. If theirs come to nothing while it is in a long task it is interrupted (I4), unless it is absent or
  /// about to be somewhere else (V3).
  bool others_offer() const noexcept;

  /// Whether it is to offer now. While an offer is out it makes no other; when that has been dealt with it is told.
  bool is_needed() noexcept { return may_offer() && !others_offer(); }

  /// What came of a look at the idle pool, and whether requests were in it.
  enum class outcome : std::uint8_t { done, again, put_off };
  struct look_at_pool {
    outcome what;
    bool thieves_rest;
  };

  /// Offers tasks to the manager, unless that is not needed for the pool as it is, and waits until the manager has handed a request
  /// over or found none: the worker may not poll again for long. If another thread attends and is preempted, not for ever: then
  /// the manager wakes the thief whose request comes too late, to take it back.
  look_at_pool give();

  /// Offers made before are of no more interest: there may be others to offer to.
  void offer_anew() noexcept { offered_ = 0; }

  /// A3: for how long the worker polls by itself.
  lookout<P>& watch_out() noexcept { return lookout_; }

  // -- the attendant's

  offer<P>& offered() noexcept { return offer_; }

 private:
  bool make_offer(std::uint64_t epoch);

  worker<P>& me_;
  lookout<P> lookout_;
  offer<P> offer_;
  std::uint64_t offered_ = 0;  // the pool's epoch of the last offer; 0: offer again
};

}  // namespace leat::scheduler
