// The body of the dispatcher. It runs on the combiner's thread, and reaches workers only by their channels, the
// ownership of their requests, and their offers.
#pragma once

#include <optional>

#include "leat/scheduler/scheduler.hpp"

namespace leat::inline LEAT_ABI::scheduler {

// The ownership shows `pooled` only after the manager has opened the request: from then on the thief may sleep
// (REQUEST-4).
template <class P>
bool dispatcher<P>::keep(const protocol::request& s) {
  if (!home_.post().open(s)) return false;
  home_.post().show_pooled(s);
  return true;
}

// A refused request stays with the manager, so its ownership must show `pooled` again. A thief that took it back needs
// no answer.
template <class P>
bool dispatcher<P>::deliver(const protocol::action& a, work::run<P>* of) {
  using kind = protocol::action::kind;
  const auto tell_thief = [&](typename post::answer<P>::kind what, work::run<P>* about) {
    home_.post().answer_to(a.about.thief, {what, 0, {}, nullptr, about}, a.about);
  };
  switch (a.what) {
    case kind::hand: {
      if (home_.worker_at(a.to).donor.offered().meet(a.about)) break;  // OFFER-2
      protocol::request s = a.about;
      if (home_.post().send(s, a.to) != post::delivery::refused) break;
      home_.post().show_pooled(s);
      return false;
    }
    case kind::root: tell_thief(post::answer<P>::kind::root, of); break;
    case kind::dummy: tell_thief(post::answer<P>::kind::dummy, of); break;
    case kind::stop: tell_thief(post::answer<P>::kind::stop, nullptr); break;
    case kind::finished: of->finish(); break;
  }
  return true;
}

// Only a hint for the worker: the pool was published before (ACTOR-3).
template <class P>
void dispatcher<P>::signal(protocol::worker_id w) {
  home_.worker_at(w).stack().signal();
  // A worker whose channel is closed has nothing to offer, and reads the pool when it opens it. To wake it would take
  // as long as ten messages, and in recursions that wait for futures most of many workers sleep so.
  home_.proxies().reach_if_open(home_.worker_at(w));  // it may sleep in a wait
}

// A hint: the fences of ACTOR-3 see to it that a worker either is signalled or polls by itself.
template <class P>
bool dispatcher<P>::on_lookout(protocol::worker_id w) const noexcept {
  return home_.lookouts()(w);
}

template <class P>
bool dispatcher<P>::has_room() noexcept {
  return home_.cpus().has_room_or_starves();
}

// OFFER-3: no request is wasted on a worker that has nothing to give.
template <class P>
bool dispatcher<P>::offer_stands(protocol::worker_id w) {
  worker<P>& giver = home_.worker_at(w);
  return !giver.donor.offered().given_up() || !(giver.responder.closed() || home_.all().is_outside(w));
}

// OFFER-2: an offer that was given up is met too late. The thief whose request went to that worker must take it back
// (REQUEST-5).
template <class P>
void dispatcher<P>::offer_dealt_with(protocol::worker_id w, std::optional<protocol::worker_id> handed) {
  worker<P>& giver = home_.worker_at(w);
  if (giver.donor.offered().end() != handshake::offer<P>::outcome::given_up) return;
  if (handed) home_.worker_at(*handed).requester.take_back_again();
  home_.proxies().reach_if_open(giver);  // OFFER-3: it may sleep in a wait, and have more to offer
}

// False if that worker sleeps or has something to do; the caller then combines on, or tries another.
template <class P>
bool dispatcher<P>::relieve_by(protocol::worker_id idle) noexcept {
  return home_.worker_at(idle).requester.relieve();
}

// A worker of another scheduler has a number of its own there, which means nothing here.
template <class P>
std::optional<protocol::worker_id> dispatcher<P>::caller() const noexcept {
  const worker<P>* const me = worker<P>::current();
  return me != nullptr && &me->home == &home_ ? std::optional(me->id()) : std::nullopt;
}

// BLOCKING-4: only after the manager has been left; inside, blocked workers are only called.
template <class P>
void dispatcher<P>::poll_for_blocked() noexcept {
  home_.poll_for_blocked();
}

}  // namespace leat::inline LEAT_ABI::scheduler
