// The worker as a thief: its one request, its victims, and the answers that it accepts. Rules WORKER-1, WORKER-4,
// WORKER-9, WORKER-10, WORKER-13, REQUEST, LEAPFROG-1, LEAPFROG-6, LEAPFROG-9: docs/internals/protocol.md.
#pragma once

#include <cstdint>
#include <optional>

#include "leat/channel/spsc.hpp"
#include "leat/handshake/ownership.hpp"
#include "leat/handshake/relief.hpp"
#include "leat/platform/order.hpp"
#include "leat/post/messages.hpp"
#include "leat/protocol/exposure.hpp"
#include "leat/protocol/pace.hpp"
#include "leat/protocol/strategy.hpp"
#include "leat/protocol/thief.hpp"
#include "leat/protocol/victims.hpp"
#include "leat/work/run.hpp"

namespace leat::inline LEAT_ABI::scheduler {

template <class P>
class worker;

template <class P>
class requester {
 public:
  using request = protocol::request;

  requester(worker<P>& me, protocol::victims victims, protocol::stealing stealing)
      : me_(me), victims_(std::move(victims)), stealing_(stealing), answers_(1) {}

  // -- while the worker has nothing to do

  /// Waits for the answer to the worker's request, which is sent if none is out. The worker's tasks must all be done.
  /// If tasks came meanwhile, the answer is nothing_new(). Returns nothing if ready() became true first; the worker's
  /// channel is left closed.
  template <class Ready>
  std::optional<post::answer<P>> await(protocol::status status, protocol::run_id only, Ready ready);

  /// The request is answered. From here on the worker has work, and may be a victim.
  void accept(const post::answer<P>& a);
  void accept_answer() { accept(*answers_.try_receive()); }
  void take(const post::answer<P>& a);

  /// WORKER-13: a wait for any task is over. The request is taken back, or recalled from the manager. If its holder is
  /// about to answer, the worker waits for that, but not for long. A later answer stays unseen until the next poll.
  void stop_asking();

  // -- while it waits for what another worker executes

  /// LEAPFROG-1: asks worker `to` for tasks that descend from the work awaited under `target`.
  void leapfrog(const void* target, protocol::worker_id to);
  /// LEAPFROG-6: the wait is over. The request is taken back, or its answer awaited, unless that takes long.
  void end_leapfrogging();
  /// The same, but a request that its holder keeps stays out (LEAPFROG-5, LEAPFROG-6). Called so that the worker's one
  /// request is free for a wait inside, if possible.
  void end_leapfrogging_unless_held() {
    if (leapfrogs_ && !ownership_.is_held()) end_leapfrogging();
  }
  bool leapfrogs() const noexcept { return leapfrogs_; }
  /// EXPOSURE-3: a leapfrog request that has been out for some time shows that tasks are long. Each request is counted
  /// once.
  void learn_from_waiting();

  // -- the state of the request

  bool has_request_out() const noexcept { return outstanding_; }
  bool has_answer() const noexcept { return outstanding_ && answers_.size() != 0; }
  /// BUDGET-2: a thread of the program enters as the worker, and leaves again.
  void begin_visit() noexcept;
  void end_visit();
  /// CAP-2: whether the worker is admitted to that run, or need not be.
  bool may_execute(const work::run<P>& r) const noexcept { return !r.workers().is_capped() || admitted_to_ == &r; }
  /// The run that the manager counts the worker under, as far as the worker knows.
  void is_known_under(protocol::run_id id) noexcept { known_ = id; }
  std::optional<protocol::worker_id> last_victim() const noexcept { return last_victim_; }
  void was_sent_to(protocol::worker_id victim);
  /// An answer without tasks that tells nothing new.
  post::answer<P> nothing_new() const noexcept { return {.known = known_, .serial = serial_}; }

  /// EXPOSURE-3: true if a task is known to be too short to be taken by itself. To be called when the last steal is
  /// over.
  bool learns_that_tasks_are_short();
  /// EXPOSURE-3: true if the request has lain unopened for so long, and a task is worth being taken by itself.
  bool is_kept_waiting(std::uint64_t waited_ns) const noexcept {
    if (!ownership_.lies_unopened()) return false;
    // A victim of short tasks is late because many thieves ask it. One long task is weak evidence; a long wait is the
    // second sign.
    const bool again = waited_ns >= protocol::exposing::worth_ns_min;
    return (again ? pace_.last_worth_ns() : pace_.worth_ns()) >= protocol::exposing::worth_ns_min;
  }

  // -- any thread

  handshake::ownership<P>& ownership() noexcept { return ownership_; }
  const handshake::ownership<P>& ownership() const noexcept { return ownership_; }
  /// The victims that the request has not tried yet. Only its holder may draw from them (REQUEST-2).
  protocol::victims& victims() noexcept { return victims_; }
  /// Each request gets one answer, and the worker has one request: room for one is enough (REQUEST-1, REQUEST-2).
  channels::sent try_answer(const post::answer<P>& a) { return answers_.try_send(a); }
  bool is_answered() const noexcept { return answers_.size() != 0; }

  /// Tells the thief that its request was sent on, maybe after it was pooled. The thief must bring it to the pool again
  /// (REQUEST-5).
  void take_back_again();

  /// ACTOR-5: makes the worker the combiner, if it is idle and awake. The caller, which combines, has left the
  /// manager's state by then.
  bool relieve() noexcept;

 private:
  request fresh() noexcept;
  void send(protocol::status status, protocol::run_id only);
  template <class Ready>
  std::optional<post::answer<P>> seek(protocol::status status, protocol::run_id only, Ready ready);
  template <class Ready>
  void pause(Ready ready);
  template <class Answered>
  void wait_for_victim(Answered answered);
  template <class Answered>
  void wait_in_pool(protocol::status status, protocol::run_id only, Answered answered);
  template <class Answered>
  void bring_to_pool(protocol::status status, protocol::run_id only, Answered answered);
  void take_back(const request& mine) noexcept;
  void arrived(const post::answer<P>& a);
  void begin_asking(protocol::run_id only);
  void end_asking() noexcept;

  worker<P>& me_;
  handshake::ownership<P> ownership_;
  protocol::victims victims_;
  protocol::stealing stealing_;
  protocol::pace pace_;
  std::optional<protocol::worker_id> last_victim_;
  std::optional<protocol::worker_id> asked_;  // the victim of the request that is out
  std::uint64_t asked_ns_ = 0;  // of a leapfrog request
  bool outstanding_ = false;
  bool leapfrogs_ = false;  // the request that is out is a leapfrog request
  std::uint64_t leapfrogs_in_ = 0;  // the number of the wait that sent the last one
  std::uint64_t serial_ = handshake::ownership<P>::first_serial;  // of the request when it was last answered
  protocol::run_id known_ = protocol::no_run;  // when the last request was answered
  work::run<P>* admitted_to_ = nullptr;  // if it has a cap (CAP-2)
  bool is_busy_ = false;  // BUDGET-1; never where the scheduler does not share
  bool asks_its_run_ = false;  // the request that is out is for tasks of that run (CAP-4)
  handshake::relief<P> relief_;
  typename P::template atomic<std::uint32_t> sent_on_{0};  // 1: the request was sent on since the worker last checked
  channels::spsc<P, post::answer<P>> answers_;
};

}  // namespace leat::inline LEAT_ABI::scheduler
