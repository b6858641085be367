// The worker as a victim: the requests that others have sent it, and what becomes of them (W2-W6, L2-L5; docs/internals/protocol.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leat/channel/mpsc.hpp"
#include "leat/protocol/random.hpp"
#include "leat/protocol/request.hpp"
#include "leat/protocol/thief.hpp"
#include "leat/scheduler/ancestry.hpp"
#include "leat/scheduler/group.hpp"
#include "leat/scheduler/messages.hpp"

namespace leat::scheduler {

template <class P>
class worker;

template <class P>
class responder {
 public:
  using request = protocol::request;
  using decision = protocol::decision;
  using slot = deque::fork_slot<P>;

  /// \param senders  workers that may have a request here at once
  responder(worker<P>& me, std::size_t senders);

  // -- any thread

  /// W5: whether the worker is no victim, as it has no tasks. A hint, unless fenced.
  bool closed() const noexcept { return requests_.closed(); }
  channel::sent try_send(const request& s) { return requests_.try_send(s); }
  channel::sent try_send_leapfrog(const request& s) { return leapfrogs_.try_send(s); }

  // -- the worker's: when it polls

  /// Answers all requests that came, then offers what is left to the idle pool (W2, W6).
  void service();

  /// The same, as far as that moves no task of the worker's but to thieves: what may be done in the middle of a push or a pop (I2).
  void service_without_accepting();

  /// What a push, a pop or a join does that finds the limit signalled: services requests, unless there is nothing new.
  void poll() {
    if (!sees_nothing_new()) service();
  }

  /// A task was pushed, and the limit was above it. A producer that gave each task away as soon as it is there would do nothing
  /// else: after some polls in a row it polls again only when it has pushed for as long as the last poll took, and has more to
  /// give (W6).
  [[gnu::noinline]] void pushed();

  // -- the worker's: when it waits

  /// Whether a request is pending. (A waiting worker does not ask the limits: a message may be there before its signal.)
  bool is_request_pending() const noexcept { return requests_.size() != 0 || has_leapfrog_requests(); }
  bool has_leapfrog_requests() const noexcept { return leapfrogs_.size() != 0; }
  bool keeps_requests() const noexcept { return !kept_.empty(); }

  /// Answers leapfrog requests while the worker executes nothing, and so has nothing for them.
  void decline_leapfrog_requests();

  /// L5: what has this join target is done. Answers those that leapfrog it with nothing.
  void end_leapfrogging_of(const void* target);

  /// W5: a worker without tasks is nobody's victim. What came before the channel closed is passed on.
  void close();
  void reopen();
  void reopen_if_closed() {
    if (closed()) reopen();
  }
  void close_if_open() {
    if (!closed()) close();
  }

  /// Does with a request what was decided, and sees to it that the worker it went to polls, even if that is absent (Y2).
  void carry_out(request s, decision d);

  /// W2: the worker holds a request that was handed to it.
  void hold(request s);

  /// How many ask, of whom `most` are counted, beyond those for whom there are forks or tasks. An estimate.
  std::size_t unserved(std::size_t most);

  /// How many of the oldest tasks, of `most`, are of group `g`.
  std::size_t oldest_of(const group<P>* g, std::size_t most) noexcept;

 private:
  // What the worker has for a leapfrog request.
  struct descendants {
    protocol::followed about;
    slot* fork = nullptr;
    std::size_t tasks = 0;
    record awaited = {};
  };

  bool sees_nothing_new() noexcept;
  void hand_on(request s, decision d);
  void serve(request s, bool update);
  void receive_all();
  bool serve_leapfrog(request s);
  void find_in_scope(const request& s, descendants& found) noexcept;
  void find_awaited(const request& s, descendants& found) noexcept;
  bool send_onward(request& s, protocol::worker_id to);
  std::size_t oldest_since(const ancestor_scope<P>& e, protocol::amount wanted) noexcept;
  bool descends(record& task, const ancestor_scope<P>& e) noexcept;
  bool take_in_handler(const void* target, record& taken) noexcept;

  worker<P>& me_;
  channel::mpsc<P, request> requests_;
  channel::mpsc<P, request> leapfrogs_;  // never closed
  std::vector<request> kept_;  // leapfrog requests, until the worker has something for them
  std::uint64_t no_poll_until_ns_ = 0;  // at pushes
  std::uint32_t polls_at_pushes_ = 0;  // since the last other one
  protocol::random search_begins_{0};  // in handlers of interrupts
};

}  // namespace leat::scheduler
