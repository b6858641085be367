// The worker as a victim: how it receives requests, answers them, keeps them and passes them on. Rules WORKER-2 to
// WORKER-6, WORKER-16, WORKER-17, LEAPFROG-2 to LEAPFROG-5, LEAPFROG-8: docs/internals/protocol.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "leat/channel/mpsc.hpp"
#include "leat/deque/fork_stack.hpp"
#include "leat/post/messages.hpp"
#include "leat/protocol/random.hpp"
#include "leat/protocol/request.hpp"
#include "leat/protocol/thief.hpp"
#include "leat/scheduler/ancestry.hpp"
#include "leat/scheduler/group.hpp"
#include "leat/work/record.hpp"

namespace leat::inline LEAT_ABI::scheduler {

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

  /// WORKER-5: true while the worker has no tasks, and so is no victim; but see PRIMARY-2. A hint, unless fenced.
  bool closed() const noexcept { return requests_.closed(); }
  channels::sent try_send(const request& s) { return requests_.try_send(s); }
  channels::sent try_send_leapfrog(const request& s) { return leapfrog_requests_.try_send(s); }

  // -- the worker's: when it polls

  /// Answers all requests that came, then offers the remaining tasks to the idle pool (WORKER-2, WORKER-6).
  void service();

  /// The same, but it accepts no answer: tasks leave the deque, and none comes. So it is safe in the middle of a push
  /// or a pop (INTERRUPT-2).
  void service_without_accepting();

  /// For a push, a pop or a join that finds the limit signalled: services requests, unless there is nothing new.
  void poll() {
    const profile::worker_times::operation sampled(me_.times);
    if (!sees_nothing_new()) service();
  }

  /// A task was pushed while the limit was signalled. A producer that gave each task away at once would do nothing
  /// else. So after some polls in a row it polls again only after it has pushed for as long as the last poll took,
  /// and it has more to give (WORKER-17).
  [[gnu::noinline]] void pushed();

  // -- the worker's: when it waits

  /// Whether a request is pending. A waiting worker reads the channels and not the limits, as a message may be there
  /// before its signal.
  bool is_request_pending() const noexcept { return requests_.size() != 0 || has_leapfrog_requests(); }
  /// Whether a thief waits for this worker. A hint: it says no while any request is pooled, as the one that came may be dead
  /// then (REQUEST-3).
  bool is_thief_here() const noexcept;
  bool has_leapfrog_requests() const noexcept { return leapfrog_requests_.size() != 0; }
  bool keeps_requests() const noexcept { return !kept_.empty(); }
  /// CAP-4, BUDGET-3: whether no thief could have tasks of the worker now. A hint. `wants`: it has tasks, and requests are pooled.
  bool turns_thieves_away(bool wants) noexcept;

  /// Answers leapfrog requests while the worker is idle: it executes nothing, so nothing of its descends from what a
  /// thief awaits.
  void decline_leapfrog_requests();

  /// LEAPFROG-5: the work with this join target is done. Its leapfrog requests are answered with nothing.
  void end_leapfrogging_of(const void* target);

  /// WORKER-5: a worker without tasks stops being a victim. Requests that came before the channel closed are passed on.
  void close();
  /// It may be open already: PRIMARY-2.
  void reopen();
  /// PRIMARY-2: whether the worker has served a thief since its channel opened, and no request was pooled when a thread last came inside.
  bool has_given() const noexcept { return has_given_; }
  /// PRIMARY-2: the worker has no tasks, and stays a victim.
  void leave_open() noexcept;
  void reopen_if_closed() {
    if (closed()) reopen();
  }
  void close_if_open() {
    if (!closed()) close();
  }

  /// Carries out a decision about a request. The worker that receives it polls even if it is blocked: a proxy
  /// polls for it (BLOCKING-2).
  void carry_out(request s, decision d);

  /// WORKER-2: the worker has become the holder of `s`. It must serve the request or pass it on.
  void hold(request s);

  /// How many requests, of `most` at most, are more than the forks and tasks at hand. An estimate.
  std::size_t unserved(std::size_t most);

  /// How many of the oldest tasks, of `most` at most, are of group `g`.
  std::size_t oldest_of(const group<P>* g, std::size_t most) noexcept;

 private:
  static constexpr std::uint64_t newer_searched_max = 64;  // tasks above others, for a leapfrog request

  // The work that this worker has for a leapfrog request.
  struct descendants {
    protocol::leapfrog_holder about;
    slot* fork = nullptr;
    std::size_t tasks = 0;  // the oldest ones of the deque
    std::optional<std::uint64_t> above_others;  // else the index of one that lies above others
    work::record awaited = {};
  };

  bool sees_nothing_new() noexcept;
  bool admits_thief() noexcept;
  void hand_on(request s, decision d);
  void serve(request s, bool update);
  void give_fork(slot* s, post::answer<P>& a, protocol::worker_id thief) noexcept;
  void receive_all();
  bool serve_leapfrog(request s);
  std::optional<std::uint64_t> place_of_oldest_since(const ancestor_scope<P>& e) noexcept;
  work::record take_from_among(work::record& r) noexcept;
  void find_in_scope(const request& s, descendants& found) noexcept;
  void find_awaited(const request& s, descendants& found) noexcept;
  bool send_onward(request& s, protocol::worker_id to);
  std::size_t oldest_since(const ancestor_scope<P>& e, protocol::amount wanted) noexcept;
  bool descends(work::record& task, const ancestor_scope<P>& e) noexcept;
  bool take_in_handler(const void* target, work::record& taken) noexcept;

  worker<P>& me_;
  channels::mpsc<P, request> requests_;
  channels::mpsc<P, request> leapfrog_requests_;  // never closed
  std::vector<request> kept_;  // leapfrog requests, until the worker has something for them
  std::uint64_t no_poll_until_ns_ = 0;  // a push polls only after this time (WORKER-17)
  bool has_given_ = false;  // since the channel opened, or a thread came inside while requests were pooled (PRIMARY-2)
  std::uint32_t polls_at_pushes_ = 0;  // polls by pushes in a row
  protocol::random search_begins_{0};  // in handlers of interrupts
};

}  // namespace leat::inline LEAT_ABI::scheduler
