// How steal requests and their answers travel between workers, and to the manager. Rules REQUEST-1 to REQUEST-3 and
// REQUEST-6: docs/internals/protocol.md.
#pragma once

#include <cassert>
#include <cstdint>

#include "leat/channel/sent.hpp"
#include "leat/post/messages.hpp"
#include "leat/protocol/request.hpp"

namespace leat::inline LEAT_ABI::post {

/// What became of a request that was sent to a victim.
enum class delivery : std::uint8_t {
  sent,
  refused,  ///< the channel is closed or full; the sender still holds the request
  revoked,  ///< refused, and its thief has taken it back meanwhile
};

/// It has no state: the channels are the workers'. Any worker of the scheduler may use it; a request, only its holder
/// (REQUEST-2). `Home` is the scheduler: worker_at(id) is a worker: its responder
/// and its requester have the channels, and stack() is signalled; proxies() the proxies of those
/// that are blocked, manager() the manager.
template <class P, class Home>
class post {
 public:
  explicit post(Home& home) noexcept : home_(home) {}

  /// Sends a request to a victim. A closed channel is noticed before the ownership is touched: that costs less than a
  /// refusal.
  delivery send(protocol::request& s, protocol::worker_id to) {
    auto& victim = home_.worker_at(to);
    if (victim.responder.closed()) return delivery::refused;
    valid_again(s);
    return came(victim, victim.responder.try_send(s), s);
  }

  /// Sends a leapfrog request to the worker that executes the awaited work. Its channel is never closed, so it is
  /// refused only if that is full.
  delivery send_leapfrog(protocol::request& s, protocol::worker_id to) {
    auto& victim = home_.worker_at(to);
    valid_again(s);
    return came(victim, victim.responder.try_send_leapfrog(s), s);
  }

  /// It cannot be refused: the sender waits for room in the manager's mailbox. The manager is the holder when it has
  /// opened the request.
  void send_to_manager(protocol::request s) {
    valid_again(s);
    home_.manager().tell({note<P>::kind::request, 0, s});
  }

  /// Makes the caller the holder of a request that it received. False if its thief has taken it back: the message is
  /// dead, and is dropped (REQUEST-3).
  bool open(const protocol::request& s) { return ownership_of(s).open(s.serial); }

  /// Answers a request. `known` goes back to the thief as the request has it: that is what the manager knows of it by
  /// then. Returns whether the thief slept.
  bool answer_to(protocol::worker_id thief, const answer<P>& prepared, const protocol::request& s) {
    auto& w = home_.worker_at(thief);
    answer<P> a = prepared;
    a.known = s.known;
    a.serial = s.serial;
    [[maybe_unused]] const channels::sent sent = w.requester.try_answer(a);
    assert(sent == channels::sent::ok);
    return home_.proxies().reach(w);  // a blocked thief gets a late answer, by its proxy
  }

  /// For the manager: it keeps the request.
  void show_pooled(const protocol::request& s) { ownership_of(s).show_pooled(); }

 private:
  auto& ownership_of(const protocol::request& s) { return home_.worker_at(s.thief).requester.ownership(); }

  // REQUEST-3: a new serial, for the message that is about to be sent. It must come before the send: the receiver opens
  // the request by it.
  void valid_again(protocol::request& s) { ownership_of(s).post(s); }

  // A refused request was posted already, so its thief may have taken it back: the sender must open it again
  // (REQUEST-6).
  template <class Worker>
  delivery came(Worker& victim, channels::sent result, const protocol::request& s) {
    if (result != channels::sent::ok) return open(s) ? delivery::refused : delivery::revoked;
    victim.stack().signal();  // after the send (DEQUE-2)
    home_.proxies().reach(victim);  // it may sleep in a wait; the sender polls for it later
    return delivery::sent;
  }

  Home& home_;
};

}  // namespace leat::inline LEAT_ABI::post
