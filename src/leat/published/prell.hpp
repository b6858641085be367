// The scheduler of Prell and Rauber, and of Prell's thesis (chapters 3 and 4): workers that send each other steal requests and
// tasks, and steal by messages alone. docs/guide/prell.md sets these lines beside the thesis's figures. protocol/prell.hpp has the
// choices that the thesis compares.
//
// Rules, cited in the code:
//  PRELL-1  Each worker has one steal request at most. So a channel of requests holds n, and the manager's 2n: its own request, a
//      request and an update of each other thief, and a second update of worker 0 (PRELL-5). PRELL-8 has those of several places. A channel of tasks has one sender at a time, the worker that answers the request.
//  PRELL-2  A request that finds no task is forwarded. After n tries it goes back to its thief. An idle thief marks it idle and
//      sends it to the manager. The manager registers the thief and forwards the request.
//  PRELL-3  A worker that answers a registered thief sends the manager an update first. Why: a channel of requests keeps the order
//      of messages when one was sent because of the other. So the manager hears of the thief's task before it
//      registers the sender, or the thief, again.
//  PRELL-4  The run's tasks are done when the manager has all workers registered, itself too if it works. Worker 0 as the manager
//      does not register itself: it must be idle, and reads its channel of tasks last. Why: a sender registers after it has sent.
//  PRELL-5  Worker 0 leaves a barrier as a busy worker, so one worker must not be registered. Worker 0 revokes its own request, with
//      an update; or it answers any request with a dummy, with an update if that thief is registered. The dummy's thief sends its
//      next request to worker 0, which keeps that until it has tasks, waits or is idle. Before it answers that one, or lets it go on in a wait, it unregisters itself,
//      with an update, and marks its own request as stale: an idle worker 0 registers anew when that comes back. Why: while
//      worker 0 is busy, it is not registered, or the thief of the kept request is not.
//  PRELL-6  Without a manager `active_` of TURNS-2 counts the workers that are not idle. An idle worker counts itself out when its
//      request has come back. A request says whether its thief is counted. A worker that answers an uncounted thief counts it
//      first. Why: while there is a task, its owner or its sender is counted.
//  PRELL-7  A request is tried in its thief's place first, as often as that has workers. Then it goes back to the thief, and by the
//      place's manager, which registers an idle thief (PRELL-2), on to the next place. There, too, the manager passes it on. After the last
//      place it goes back to its thief.
//  PRELL-8  An update goes to the manager of the thief's place. So a manager's channel holds all requests, an update of each worker of
//      its place, three of worker 0 (PRELL-5, PRELL-9), and what managers ask and tell, once each.
//  PRELL-9  With several places the run's tasks are done when two waves of the head have found as many registered thieves answered
//      across places as updates received (protocol/census.hpp). A worker says how many it has answered when it is registered. So worker 0 leaves each barrier
//      unregistered. Why: an update sent before a wave is received before the wave's question, or before the head begins it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "leat/channel/mpsc.hpp"
#include "leat/channel/spsc.hpp"
#include "leat/protocol/census.hpp"
#include "leat/protocol/places.hpp"
#include "leat/protocol/prell.hpp"
#include "leat/protocol/random.hpp"
#include "leat/protocol/strategy.hpp"
#include "leat/published/steal_request.hpp"
#include "leat/published/turns.hpp"
#include "leat/scheduler/scheduler.hpp"
#include "leat/scheduler/stay.hpp"

namespace leat::inline LEAT_ABI::published {

template <class P>
class prell final : public work::processor<P> {
 public:
  using worker = scheduler::worker<P>;
  using typename work::processor<P>::slot;
  using typename work::processor<P>::forks;
  using typename work::processor<P>::wanted_task;

  prell(worker& me, turns<P>& all, const protocol::place_map& map, protocol::worker_id id,
        const scheduler::settings& s);

  void main() override;

  void pushed() override { handle_requests(); }
  void poll() override;
  work::record* next(wanted_task wanted) override;
  bool keeps(forks& of, slot* s) override;

  void work_until(work::asked<> ready, work::asked<> begins_task, bool runs) override;
  void barrier() override;

  void interrupted(bool in_task) noexcept override;
  void block_begins() override { handle_requests(); }
  void comes_back() override { me_.stack().tls_forks.signal(); }
  bool has_tasks() override { return tasks_.size() != 0 || !me_.stack().tasks.empty(); }
  std::size_t unserved() override { return requests_.size() + (kept_ ? 1 : 0); }
  // By interrupts requests are handled in the midst of iterations: parts must lie ready.
  bool checks_each_iteration() const override { return choices_.polling == protocol::polling::operations; }
  bool hold_requests(bool hold) override;

  /// For worker 0, from a thread that becomes it for the time of run `r` (entry/primary.hpp).
  void enter(work::run<P>& r);
  void leave();

 private:
  // While it lives, no interrupt handles requests. O(1); nothing unless interrupts were chosen.
  class inside {
   public:
    explicit inside(prell& p) {
      if (p.choices_.polling == protocol::polling::interrupts) [[unlikely]]
        here_.emplace(p.me_, scheduler::whereabouts::runtime);
    }

   private:
    std::optional<scheduler::stay<P>> here_;
  };

  prell& at(protocol::worker_id w) noexcept { return static_cast<prell&>(*me_.home.worker_at(w).published); }

  void execute_root(work::run<P>& r);
  void work_idle();
  void breathe(bool idle);

  // as a thief
  bool seek(bool idle);
  void request(bool idle);
  bool accept_tasks();
  void accept(work::record task, protocol::worker_id victim);
  void handle_own(const steal_request& s);
  void came_back(steal_request s);

  // as a victim
  void handle_requests();
  void handle(steal_request s);
  bool sample(steal_request& s);
  void answer(const steal_request& s);
  void give(protocol::worker_id thief, const sent_task& sent);
  void forward(steal_request s);
  void send(const steal_request& s, protocol::worker_id to);

  // the end of all tasks (prell_end_steps.hpp)
  void conclude(protocol::census::step next);
  bool unregister(const steal_request& s);
  void unregister_root();
  void end_barrier();

  worker& me_;
  turns<P>& all_;
  const protocol::place_map& map_;
  const protocol::worker_id id_;
  const std::uint32_t workers_;
  const protocol::prell_choices choices_;
  const protocol::place_id place_;
  const std::optional<protocol::worker_id> manager_;  // of this place
  bool idle_ = false;  // it has nothing but messages to handle
  bool outstanding_ = false;  // PRELL-1
  bool counted_ = false;  // PRELL-6
  bool holds_ = false;  // a loop is cut for all requests that are there
  bool leaves_barrier_ = false;
  bool stale_ = false;  // its request says that it is registered, and it is not (PRELL-5)
  bool to_root_ = false;  // the next request goes to worker 0 (PRELL-5)
  std::uint32_t answered_ = 0;  // registered thieves of other places (PRELL-9)
  std::uint32_t steps_ = 0;
  protocol::worker_id last_victim_;
  protocol::random random_;
  protocol::stealing strategy_;
  std::optional<steal_request> kept_;  // PRELL-5
  protocol::census census_;
  channels::mpsc<P, steal_request> requests_;
  channels::spsc<P, sent_task> tasks_;
  channels::spsc<P, bool> over_;  // worker 0's: the manager has found the end
};

}  // namespace leat::inline LEAT_ABI::published
