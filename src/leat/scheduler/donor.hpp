// How a busy worker gives to the idle pool: it offers tasks to pooled requests. Rules WORKER-6, WORKER-14, WORKER-15:
// docs/internals/protocol.md.
#pragma once

#include <cstdint>

#include "leat/handshake/lookout.hpp"
#include "leat/handshake/marks.hpp"
#include "leat/handshake/offer.hpp"
#include "leat/protocol/request.hpp"

namespace leat::inline LEAT_ABI::scheduler {

template <class P>
class worker;

template <class P>
class donor {
 public:
  donor(worker<P>& me, handshake::marks<P>& lookouts, protocol::worker_id id) noexcept
      : me_(me), lookout_(lookouts, id) {}

  // -- the worker's

  /// Whether it has something for pooled requests that it has not offered since the last of them came.
  bool may_offer() noexcept;

  /// WORKER-14: whether others offer enough, so that this worker need not yet. With hundreds of workers, offers would
  /// else take all of the manager's time. If their offers fail while it is in a long task, it is interrupted
  /// (INTERRUPT-4). A worker that is blocked or goes away (PRIMARY-3) cannot be, so it always offers.
  bool others_offer() const noexcept;

  /// Whether the worker must offer now. It makes no second offer while one is out (OFFER-1), and is woken when that was
  /// dealt with.
  bool is_needed() noexcept { return may_offer() && !others_offer(); }

  /// The result of a poll of the idle pool, and whether there were requests in it: `done`, there is nothing to offer,
  /// or it has been offered; `again`, another poll may find more to give; `put_off`, others offer enough (WORKER-14);
  /// `closed`, no thief may have tasks of the run (CAP-4).
  enum class outcome : std::uint8_t { done, again, put_off, closed };
  struct pool_poll {
    outcome what;
    bool pool_has_requests;
  };

  /// Offers tasks to the manager if the pool needs them. It waits until the manager has handed a request over or
  /// found none, since the worker may not poll again for long. If that takes long, or another worker asks, it gives up;
  /// then the combiner has the thief whose request comes too late take it back (WORKER-15).
  pool_poll give();

  /// Forgets offers made before: there may be other requests to offer to.
  void offer_anew() noexcept { offered_ = 0; }

  /// ACTOR-3: for how long the worker polls by itself.
  handshake::lookout<P>& watch_out() noexcept { return lookout_; }

  // -- the combiner's

  handshake::offer<P>& offered() noexcept { return offer_; }

 private:
  bool make_offer(std::uint64_t epoch);

  worker<P>& me_;
  handshake::lookout<P> lookout_;
  handshake::offer<P> offer_;
  std::uint64_t offered_ = 0;  // the pool's epoch of the last offer; 0: offer again
};

}  // namespace leat::inline LEAT_ABI::scheduler
