// The manager's hands: it carries out what the manager decides about workers. Rules ACTOR-1 to ACTOR-5:
// combining_manager.hpp; OFFER-1 to OFFER-3: offer.hpp.
#pragma once

#include <cstdint>
#include <optional>

#include "leat/post/messages.hpp"
#include "leat/protocol/manager.hpp"
#include "leat/protocol/request.hpp"
#include "leat/work/run.hpp"

namespace leat::inline LEAT_ABI::scheduler {

template <class P>
class channel_scheduler;
template <class P>
class worker;

/// Only the combiner may use it, except for poll_for_blocked and caller. It never sends the manager a message: that
/// would nest (MAILBOX-5).
template <class P>
class dispatcher {
 public:
  explicit dispatcher(channel_scheduler<P>& home) noexcept : home_(home) {}

  /// Opens a request that came to the manager. It stays in the idle pool until it is answered or handed out. False if
  /// its thief has taken it back (REQUEST-3).
  bool keep(const protocol::request& s);

  /// Carries out an action. False if it is refused, as the channel of the chosen worker is closed: the manager
  /// chooses again.
  bool deliver(const protocol::action& a, work::run<P>* of);

  /// Signals the worker to poll, as requests are pooled.
  void signal(protocol::worker_id w);

  /// BUDGET-2: whether a thief may have tasks, of which a worker has some. A hint.
  bool has_room() noexcept;

  /// ACTOR-3: whether the worker polls for pooled requests by itself, and need not be signalled.
  bool on_lookout(protocol::worker_id w) const noexcept;

  /// OFFER-3
  bool offer_stands(protocol::worker_id w);

  /// `handed`: the thief whose request was handed over to worker `w`, if any.
  void offer_dealt_with(protocol::worker_id w, std::optional<protocol::worker_id> handed);

  /// ACTOR-5: lets `idle` combine instead of the caller, unless it sleeps.
  bool relieve_by(protocol::worker_id idle) noexcept;

  /// The worker of this scheduler that calls, if one does.
  std::optional<protocol::worker_id> caller() const noexcept;

  void poll_for_blocked() noexcept;

 private:
  channel_scheduler<P>& home_;
};

}  // namespace leat::inline LEAT_ABI::scheduler
