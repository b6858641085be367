// The scheduler of Prell and Rauber, and of Prell's thesis (chapters 3 and 4): workers that send each other steal requests and
// tasks, and steal by messages alone. docs/guide/prell.md sets these lines beside the thesis's figures.
//
// Rules, cited in the code:
//  PRELL-1  Each worker has one steal request at most. So a channel of requests holds n, and the manager's 2n: a request and an
//      update of each thief. A channel of tasks has one sender at a time, the worker that answers the request.
//  PRELL-2  A request that finds no task is forwarded. After n tries it goes back to its thief. An idle thief marks it idle and
//      sends it to the manager, worker 0. The manager registers the thief and forwards the request.
//  PRELL-3  A worker that answers a registered thief sends the manager an update first. Why: a channel of requests keeps the order
//      of messages when one was sent because of the other. So the manager hears of the thief's task before it
//      registers the sender, or the thief, again.
//  PRELL-4  The run's tasks are done when the manager is idle, has no task in its channel, and all others are registered. The
//      manager reads its channel of tasks last: a sender registers after it has sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "leat/channel/mpsc.hpp"
#include "leat/channel/spsc.hpp"
#include "leat/protocol/random.hpp"
#include "leat/protocol/strategy.hpp"
#include "leat/published/turns.hpp"
#include "leat/scheduler/scheduler.hpp"

namespace leat::published {

/// A thief's request (thesis, Listing 3.3 and Figure 4.1). It is forwarded. An update is a copy that the manager applies and drops.
struct steal_request {
  protocol::worker_id thief = 0;
  protocol::status status = protocol::status::working;
  protocol::amount amount = protocol::amount::one;
  bool update = false;
  std::uint32_t failed = 0;  ///< tries
  protocol::random victims{0};  ///< draws on the thief's behalf, wherever the request is
};

/// A task on its way to a thief, and how many come after it.
struct sent_task {
  work::record task;
  protocol::worker_id victim = 0;
  std::size_t more = 0;
};

template <class P>
class prell final : public work::processor<P> {
 public:
  using worker = scheduler::worker<P>;
  using typename work::processor<P>::slot;
  using typename work::processor<P>::forks;
  using typename work::processor<P>::wanted_task;

  prell(worker& me, turns<P>& all, protocol::worker_id id, const scheduler::settings& s);

  void attached() override {}
  void main() override;

  void pushed() override { handle_requests(); }
  void poll() override;
  work::record* next(wanted_task wanted) override;
  bool keeps(forks& of, slot* s) override;
  void joined(forks&) override {}

  void work_until(work::asked<> ready, bool runs) override;
  void barrier() override;

  void interrupted(bool) noexcept override {}
  void tasks_move() override {}
  void block_begins() override { handle_requests(); }
  void block_ends() override {}
  void comes_back() override { me_.stack().tls_forks.signal(); }
  bool has_tasks() override { return tasks_.size() != 0 || !me_.stack().tasks.empty(); }
  std::size_t unserved() override { return requests_.size(); }

 private:
  bool is_manager() const noexcept { return id_ == 0; }
  prell& at(protocol::worker_id w) noexcept { return static_cast<prell&>(*me_.home.worker_at(w).published); }

  void execute_root(work::run<P>& r);
  void work_idle();
  void rest();
  bool is_over() noexcept;

  // as a thief
  bool seek(bool idle);
  void request(bool idle);
  bool accept_tasks();
  void accept(work::record task, protocol::worker_id victim);

  // as a victim
  void handle_requests();
  void handle(steal_request s);
  void answer(const steal_request& s);
  void give(protocol::worker_id thief, const work::record& task, std::size_t more);
  void forward(steal_request s);
  void send(const steal_request& s, protocol::worker_id to);

  // as the manager
  void set_registered(protocol::worker_id w, bool registered);

  worker& me_;
  turns<P>& all_;
  const protocol::worker_id id_;
  const std::uint32_t workers_;
  const bool last_victim_first_;
  bool idle_ = false;  // it has nothing but messages to handle
  bool outstanding_ = false;  // PRELL-1
  std::uint32_t steps_ = 0;
  protocol::worker_id last_victim_;
  protocol::random random_;
  protocol::stealing strategy_;
  std::vector<bool> registered_;
  std::uint32_t registered_count_ = 0;
  channel::mpsc<P, steal_request> requests_;
  channel::spsc<P, sent_task> tasks_;
};

}  // namespace leat::published
