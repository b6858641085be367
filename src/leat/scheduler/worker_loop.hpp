// The body of the worker: how it runs tasks, serves thieves, and steals.
#pragma once

#include <new>

#include "leat/scheduler/channel.hpp"

namespace leat::scheduler {

template <class P>
worker<P>::worker(channel_scheduler<P>& home, protocol::worker_id id)
    : tasks_(home.config().deque_capacity),
      home_(home),
      id_(id),
      victims_(protocol::victims::flat(id, home.config().workers, protocol::random(home.config().seed + id)(),
                                       home.config().attempts)),
      stealing_(home.config().strategy),
      requests_(home.config().workers),
      answers_(1) {
  requests_.close();  // W5: it has no tasks yet
}

template <class P>
void worker<P>::main() {
  P::self() = this;
  const auto& cpus = home_.config().pin_to;
  if (!cpus.empty()) P::pin(cpus[id_ % cpus.size()]);
  for (;;) {
    run_ = nullptr;
    const auto a = await(protocol::status::idle, protocol::no_run, [] { return false; });
    if (a->what == answer<P>::kind::stop) break;
    accept(*a);
    if (a->what == answer<P>::kind::root) run_root();
    run_tasks();
  }
  P::self() = nullptr;
}

// -- the tasks at hand ------------------------------------------------------------------------------------------------

// Our newest task, or null when there is none left, here or in an answer that came while we were busy.
template <class P>
record* worker<P>::next() {
  record* task = tasks_.pop();
  if (task != nullptr) [[likely]]
    return task;
  task = tasks_.pop_unasked();
  if (task == nullptr && outstanding_ && answers_.size() != 0) {
    accept(*answers_.try_receive());
    task = tasks_.pop_unasked();
  }
  // Our own task is taken first; thieves are served from what is left (thesis, Figure 3.2).
  look();
  return task;
}

template <class P>
void worker<P>::run_tasks() {
  for (;;) {
    try {
      while (record* task = next()) {
        counts_.add(event::tasks);
        task->invoke(*task);
      }
      return;
    } catch (...) {
      run_->fail(std::current_exception());
    }
  }
}

template <class P>
void worker<P>::run_root() {
  at_root_ = true;
  run_->call_root();
  at_root_ = false;
}

template <class P>
void worker<P>::spawn_on_full(record& task) {
  if (!tasks_.grow()) {
    if (in_place_ == in_place_max) throw std::bad_alloc();
    return run_in_place(task);
  }
  *tasks_.room() = task;
  tasks_.push();
  poll();
}

template <class P>
void worker<P>::run_in_place(record& task) {
  const bool at_root = std::exchange(at_root_, false);
  ++in_place_;
  poll();
  counts_.add(event::tasks);
  counts_.add(event::inlined);
  try {
    task.invoke(task);
  } catch (...) {
    run_->fail(std::current_exception());
  }
  --in_place_;
  at_root_ = at_root;
}

// -- as a victim ------------------------------------------------------------------------------------------------------

// Deals with every request that came, then offers what is left to requests at rest with the manager (W2, W6).
template <class P>
void worker<P>::look() {
  // An answer that came too late for the wait that asked for it: its tasks are ours to share.
  if (outstanding_ && tasks_.empty() && answers_.size() != 0) accept(*answers_.try_receive());
  tasks_.lower();
  bool thieves_rest = false;
  for (;;) {
    while (auto s = requests_.try_receive()) handle(*s);
    const auto pool = home_.manager_.look();
    thieves_rest = pool.resting != 0;
    // One offer for each change of the pool, and another after each request that it brought.
    if (!thieves_rest || tasks_.empty() || offered_ == pool.epoch || !offer(pool.epoch)) break;
  }
  tasks_.settle(thieves_rest);
}

// Offers tasks to the manager, and waits until it has handed a request over or found none: we may not look again for
// long. If another thread attends and is preempted, not for ever: then the manager wakes the thief whose request comes
// too late, to take it back. Returns false if an offer is not dealt with.
template <class P>
bool worker<P>::offer(std::uint64_t epoch) {
  constexpr int yields_max = 256;
  if (offer_.load(platform::relaxed) != offer_state::none) return false;  // relaxed: the last one is still out
  offered_ = epoch;
  counts_.add(event::offers);
  offer_.store(offer_state::out, platform::relaxed);  // relaxed: travels with the message
  home_.manager_.tell({note<P>::kind::offer, {}, id_, run_});
  for (int i = 0; i < yields_max; ++i) {
    if (offer_.load(platform::acquire) == offer_state::none) return true;  // acquire: pairs with offer_dealt_with
    P::yield();
  }
  auto state = offer_state::out;
  // acq_rel: pairs with the exchange in offer_dealt_with; one of the two sees the other.
  return !offer_.compare_exchange_strong(state, offer_state::given_up, platform::acq_rel, platform::acquire);
}

template <class P>
void worker<P>::handle(request s) {
  offered_ = 0;  // whatever becomes of this one, there may be others to offer to
  if (!home_.open(s)) return;
  const protocol::holder me{id_, run_ == nullptr ? protocol::no_run : run_->id(), tasks_.size()};
  carry_out(s, protocol::on_request(me, s, home_.victims_of(s)));
}

template <class P>
void worker<P>::carry_out(request s, decision d) {
  while (d.what == decision::kind::forward) {
    const auto result = home_.send(s, d.to);
    if (result == channel_scheduler<P>::delivery::revoked) return;
    if (result == channel_scheduler<P>::delivery::sent) {
      if (s.thief == id_) return counts_.add(event::requests_sent);
      home_.workers_[s.thief]->take_back_again();
      return counts_.add(event::requests_forwarded);
    }
    d = protocol::pass_on(s, home_.victims_of(s), id_);  // closed: skipped (W3)
  }
  if (d.what == decision::kind::serve) return serve(s, d.update);
  if (s.thief == id_) counts_.add(event::requests_sent);
  counts_.add(event::requests_rested);
  home_.send_to_manager(s);
}

template <class P>
void worker<P>::serve(request s, bool update) {
  if (update) {
    // Before the answer, so before anything that the thief or we may tell the manager later (W2, G2).
    counts_.add(event::updates);
    home_.manager_.tell({note<P>::kind::update, {}, s.thief, run_});
  }
  answer<P> a{answer<P>::kind::tasks, id_, tasks_.lend(protocol::batch(s.amount, tasks_.size())), &tasks_, run_};
  if (home_.answer_to(s.thief, a, s)) counts_.add(event::wakes);
}

// -- as a thief -------------------------------------------------------------------------------------------------------

// W5: a worker without tasks is nobody's victim. What came before the channel closed is passed on.
template <class P>
void worker<P>::close() {
  requests_.close();
  while (auto s = requests_.try_receive()) {
    if (home_.open(*s)) carry_out(*s, protocol::pass_on(*s, home_.victims_of(*s), id_));
  }
}

template <class P>
void worker<P>::reopen() {
  offered_ = 0;
  requests_.reopen();
  // Whoever asked while we were idle was refused, but requests may rest: the first push is to offer (W6).
  tasks_.settle(home_.manager_.look().resting != 0);
}

// W1: sends our request.
template <class P>
void worker<P>::ask(protocol::status status, protocol::run_id only) {
  request s;
  s.serial = serial_;
  s.thief = id_;
  s.status = status;
  s.amount = stealing_.next();
  s.known = known_;
  s.only = only;
  outstanding_ = true;
  carry_out(s, protocol::begin(s, victims_, last_victim_, home_.manager_.roots_wait()));
}

// Waits, with our tasks all done, for the answer to our request, which is sent if none is out. Returns nothing if
// ready() became true first; the channel is left closed.
template <class P>
template <class Ready>
std::optional<answer<P>> worker<P>::await(protocol::status status, protocol::run_id only, Ready ready) {
  close();
  flush_operation_counts();
  if (!outstanding_) ask(status, only);
  const auto answered = [&] { return answers_.size() != 0 || ready(); };
  parker_.spin(answered, home_.config().patience_ns);
  while (!answered()) {
    // acquire, and an exchange: the ticket is read after it (pairs with take_back_again).
    forwarded_.exchange(0, platform::acq_rel);
    bring_to_rest(answered);
    // relaxed: only whether to look again.
    const auto disturbed = [&] { return answered() || forwarded_.load(platform::relaxed) != 0; };
    if (parker_.wait(disturbed, home_.config().spin_ns)) counts_.add(event::parks);
  }
  return answers_.try_receive();
}

// R3: a request that lies unopened with a busy worker is of no use to us or to anybody; that worker has been asked to look
// anyway. We take it back and send it to the manager, from where whoever has work can fetch it, before we sleep.
template <class P>
template <class Ready>
void worker<P>::bring_to_rest(Ready ready) {
  // Whoever holds the request is about to answer it, to bring it to rest or to send it on: we look again, but not for
  // ever, as that thread may be preempted. If it sends the request on after that, it wakes us.
  constexpr int looks_max = 64;
  for (int look = 0; look < looks_max && !ready(); ++look) {
    std::uint64_t valid = ticket_.load(platform::relaxed);  // relaxed: nothing is read because of it
    if (valid == ticket_resting) return;
    // acquire: pairs with post; the request as its last holder left it.
    if (valid != ticket_held &&
        ticket_.compare_exchange_strong(valid, ticket_held, platform::acquire, platform::relaxed)) {
      counts_.add(event::requests_revoked);
      counts_.add(event::requests_rested);
      return home_.send_to_manager(posted_);
    }
    P::yield();
  }
}

// The request is answered: from here on we have work, and may be a victim.
template <class P>
void worker<P>::accept(const answer<P>& a) {
  outstanding_ = false;
  known_ = a.known;
  serial_ = a.serial;
  if (a.of != nullptr) run_ = a.of;
  if (a.what == answer<P>::kind::dummy) counts_.add(event::dummies);
  // First of all: taking may run tasks, which offer to thieves, who are handed over to an open channel only.
  if (requests_.closed()) reopen();
  if (a.what == answer<P>::kind::tasks) take(a);
}

template <class P>
void worker<P>::take(const answer<P>& a) {
  counts_.add(event::steals);
  counts_.add(event::tasks_stolen, a.lent.count);
  stealing_.stole(counts_[event::tasks]);
  if (home_.config().last_victim) last_victim_ = a.victim;
  tasks_.rewind();
  while (a.lent.count > tasks_.free_slots() && tasks_.grow()) {
  }
  std::size_t taken = tasks_.take(a.lent);
  // What does not fit, because memory is short, is run from where it lies, oldest first.
  for (; taken < a.lent.count; ++taken) {
    record task = a.lent.first[taken];
    run_in_place(task);
  }
  a.lender->give_back();
}

// -- waits ------------------------------------------------------------------------------------------------------------

template <class P>
void worker<P>::barrier() {
  if (!at_root_) throw misplaced_barrier("leat::barrier: only the root of a run may wait for all its tasks");
  at_root_ = false;
  for (;;) {
    run_tasks();
    const auto a = await(protocol::status::idle, run_->id(), [] { return false; });
    accept(*a);
    if (a->what == answer<P>::kind::dummy && a->of != nullptr) break;  // W7
  }
  at_root_ = true;
  if (auto failure = run_->take_failure()) std::rethrow_exception(failure);
}

template <class P>
template <class Ready>
void worker<P>::wait_until(Ready ready) {
  const auto asked = [this] {
    if (requests_.size() != 0) return true;
    const auto pool = home_.manager_.look();
    return pool.resting != 0 && pool.epoch != offered_ && !tasks_.empty();
  };
  home_.manager_.add_waiting_victim();  // before the first look: what comes to rest from now on wakes us
  for (look(); !ready(); look()) {
    if (tasks_.empty() && !requests_.closed()) close();
    if (parker_.wait([&] { return ready() || asked(); }, home_.config().spin_ns)) counts_.add(event::parks);
  }
  home_.manager_.remove_waiting_victim();
  if (requests_.closed()) reopen();
}

template <class P>
template <class Ready>
void worker<P>::work_until(Ready ready) {
  const bool at_root = std::exchange(at_root_, false);
  while (!ready()) {
    if (record* task = next()) {
      counts_.add(event::tasks);
      try {
        task->invoke(*task);
      } catch (...) {
        run_->fail(std::current_exception());
      }
      continue;
    }
    const auto a = await(protocol::status::working, run_->id(), ready);
    if (a) accept(*a);
    else break;
  }
  if (outstanding_) home_.manager_.tell({note<P>::kind::recall, {}, id_});  // W4
  if (requests_.closed()) reopen();
  at_root_ = at_root;
}

// On the counted platform: what this thread asked of the memory system so far.
template <class P>
void worker<P>::flush_operation_counts() {
  if constexpr (requires { P::counts(); }) {
    const auto& c = P::counts();
    counts_.set(event::fences, c.fences);
    counts_.set(event::cas, c.cas);
    counts_.set(event::rmw, c.rmw);
    counts_.set(event::signals, c.signals);
  }
}

}  // namespace leat::scheduler
