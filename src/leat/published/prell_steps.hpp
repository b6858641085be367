// The body of Prell's scheduler, but for the end of all tasks. Rules PRELL-1 to PRELL-6: prell.hpp.
#pragma once

#include <cassert>

#include "leat/protocol/thief.hpp"
#include "leat/published/prell_end_steps.hpp"

namespace leat::inline LEAT_ABI::published {

template <class P>
prell<P>::prell(worker& me, turns<P>& all, const protocol::place_map& map, protocol::worker_id id,
                const scheduler::settings& s)
    : me_(me),
      all_(all),
      map_(map),
      id_(id),
      workers_(s.workers),
      choices_(s.prell),
      place_(map.of(id)),
      manager_(map.manager(place_)),
      last_victim_(id),
      random_(s.seed + id),
      strategy_(s.strategy, s.adaptive_interval),
      census_(manager_ == id ? map.workers(place_) : 0,
              map.workers(place_) - (manager_ == 0u || map.dedicated(place_) ? 1 : 0),
              map.head() == id ? std::optional(map.places() - 1u) : std::nullopt),
      requests_(s.workers + (manager_ == id ? map.workers(place_) + (map.places() > 1 ? map.places() + 2u : 0u) : 0u)),
      tasks_(protocol::batch_max),
      over_(1) {}

// -- the loop (thesis, Figure 3.2) ------------------------------------------------------------------------------------

// Between runs all sleep, with the requests that lie in their channels.
template <class P>
void prell<P>::main() {
  for (;;) {
    const std::uint32_t seen = all_.news();
    if (all_.stopped()) return;
    work::run<P>* const root = id_ == 0 ? all_.take_root() : nullptr;
    if (root != nullptr) {
      execute_root(*root);
    } else if (!all_.all_idle()) {
      work_idle();
    } else {
      me_.counts.set_operations();
      me_.counts.add(event::parks);
      all_.sleep(seen);
    }
  }
}

template <class P>
void prell<P>::execute_root(work::run<P>& r) {
  enter(r);
  me_.runner.works_for(r);
  {
    const scheduler::stay<P> away(me_, scheduler::whereabouts::task);
    me_.runner.run_root();
    me_.runner.run_tasks();
  }
  end_barrier();
  me_.runner.works_for_none();
  me_.counts.set_operations();
  if (manager_) all_.count_out();  // else it has done so, as an idle worker (PRELL-6)
  all_.end(r);
}

template <class P>
void prell<P>::work_idle() {
  if (!seek(true)) return;
  {
    const scheduler::stay<P> away(me_, scheduler::whereabouts::task);
    me_.runner.run_tasks();
  }
  me_.runner.works_for_none();
  me_.counts.set_operations();
}

template <class P>
void prell<P>::work_until(work::asked<> ready, work::asked<> begins_task, bool runs) {
  const std::uint64_t begun_ns = P::now_ns();
  while (!ready()) {
    if (work::record* const own = runs ? me_.runner.next() : nullptr) {
      begins_task();
      me_.runner.execute(*own);
      continue;
    }
    if (runs) seek(false);
    else poll(), breathe(false);  // tasks that arrive stay in its deque, where other thieves get them
    if (steps_ % workers_ == 0 && P::now_ns() - begun_ns >= me_.home.config().list_waits_after_ns)
      me_.waiter.list_open_wait();
  }
}

// A worker that only polls accepts what comes for a request of a wait that is over, so that others can have it. Nothing may be executed
// for want of memory here.
template <class P>
void prell<P>::poll() {
  const inside here(*this);
  if (tasks_.size() != 0 && me_.stack().tasks.empty() && me_.stack().make_room()) accept_tasks();
  handle_requests();
}

// A worker that waits inside the runtime also reads the clock now and then.
template <class P>
void prell<P>::breathe(bool idle) {
  idle ? P::idle() : P::relax();
  if (++steps_ % workers_ == 0) P::yield();
}

// Tasks are popped, newest first; then steal requests are handled. With the last task a worker that asks ahead sends its own.
template <class P>
work::record* prell<P>::next(wanted_task wanted) {
  const inside here(*this);
  auto& tasks = me_.stack().tasks;
  if (tasks.empty() && (holds_ || !accept_tasks())) tasks.rewind();  // to the first slots, which are in the cache
  work::record* const newest = tasks.newest();
  const bool taken = newest != nullptr && wanted(*newest);
  if (taken) tasks.pop_without_poll();
  handle_requests();
  if (taken && choices_.ahead && !holds_ && !outstanding_ && workers_ > 1 && !me_.stack().has_work()) {
    request(false);
    handle_requests();  // which may have come meanwhile, without an interrupt
  }
  return taken ? newest : nullptr;
}

template <class P>
bool prell<P>::keeps(forks& of, slot* s) {
  const bool mine = !of.given_away(s);
  handle_requests();
  return mine;
}

// Between any two instructions of a task: it handles requests, and accepts nothing (thesis, 3.6.3). Unless interrupts were chosen,
// no step says that it is inside the runtime.
template <class P>
void prell<P>::interrupted(bool in_task) noexcept {
  if (in_task && choices_.polling == protocol::polling::interrupts) handle_requests();
}

// -- as a thief -------------------------------------------------------------------------------------------------------

// One step: handles messages, and sends the worker's request if it is not out. Returns whether tasks came.
template <class P>
bool prell<P>::seek(bool idle) {
  const inside here(*this);
  if (accept_tasks()) return true;
  if (kept_ && !idle) {  // PRELL-5: worker 0 waits inside the root, and has no task
    unregister_root();
    steal_request s = *kept_;
    kept_.reset();
    s.stays = false;
    forward(s);
  }
  idle_ = idle;
  handle_requests();
  if (!outstanding_ && workers_ > 1 && map_.dedicated(place_) != id_) request(idle);
  idle_ = false;
  breathe(idle);
  return false;
}

// PRELL-1. The first victim is the last one that gave something, if that is chosen, and it is in this place.
template <class P>
void prell<P>::request(bool idle) {
  steal_request s;
  s.thief = id_;
  s.status = idle ? protocol::status::idle : protocol::status::working;
  if (!manager_ && !counted_) s.status = protocol::status::registered_idle;
  s.amount = strategy_.next();
  s.sums.answered = answered_;
  s.begin_round(map_, choices_, random_);
  outstanding_ = true;
  me_.counts.add_in_poll(event::requests_sent);
  if (to_root_) {
    to_root_ = false;
    s.stays = true;
    s.samples = 0;
    return send(s, 0);
  }
  if (choices_.last_victim && last_victim_ != id_ && map_.of(last_victim_) == place_ &&
      !me_.home.worker_at(last_victim_).presence.blocked())
    return send(s, last_victim_);
  forward(s);
}

// Tasks of one answer may come one by one.
template <class P>
bool prell<P>::accept_tasks() {
  bool some = false;
  while (auto sent = tasks_.try_receive()) {
    if (sent->more == 0) {
      outstanding_ = stale_ = false;
      if (sent->counted && counted_) all_.count_out();  // PRELL-6: worker 0 had come out of a barrier meanwhile
      counted_ = true;
    }
    if (sent->dummy) {
      to_root_ = true;
      continue;
    }
    me_.runner.works_for(*all_.current());  // before the task: it may be executed at once
    if (sent->more == 0) {
      me_.counts.add(event::steals);
      if (map_.of(sent->victim) != place_) me_.counts.add(event::steals_outside);
      strategy_.stole(me_.counts.of_tasks());
    }
    me_.counts.add(event::tasks_stolen);
    last_victim_ = sent->victim;
    accept(sent->task, sent->victim);
    some = true;
  }
  return some;
}

// A task that finds no memory is executed at once.
template <class P>
void prell<P>::accept(work::record task, protocol::worker_id victim) {
  auto& tasks = me_.stack().tasks;
  if (auto* const g = scheduler::group<P>::of(task)) g->moved(me_, victim, 1);
  work::record* place = tasks.room();
  if (place == nullptr && tasks.grow()) place = tasks.room();
  if (place == nullptr) return me_.runner.run_in_place(task);
  *place = task;
  tasks.push();
}

// A worker that has tasks, or is about to have the root again, needs its request no more.
template <class P>
void prell<P>::handle_own(const steal_request& s) {
  if (me_.stack().has_work() || leaves_barrier_) {
    unregister(s);
    outstanding_ = stale_ = false;
    return me_.counts.add_in_poll(event::requests_revoked);
  }
  if (s.has_failed(map_)) return came_back(s);
  forward(s);
}

// PRELL-2: its own request has been everywhere, and begins again. PRELL-7: or everywhere in this place, and goes to the manager; or, if
// victims acknowledge, in another one.
template <class P>
void prell<P>::came_back(steal_request s) {
  s.come_back(map_, choices_, random_);
  if (idle_ && !manager_ && counted_) {
    all_.count_out();
    counted_ = false;
    s.status = protocol::status::registered_idle;
  }
  if (idle_ && (stale_ || s.status == protocol::status::working)) {
    s.status = protocol::status::idle;
    stale_ = false;
  }
  s.sums.answered = answered_;
  const bool idle = s.status == protocol::status::idle;
  const bool leaves = s.has_failed_at_home(map_);
  if ((idle || leaves) && manager_ && manager_ != id_) return send(s, *manager_);
  if (idle && manager_ == id_ && id_ != 0) {
    s.status = protocol::status::registered_idle;
    conclude(census_.registers(map_.rank(id_), answered_));
  }
  if (leaves) s.leave(map_, choices_, random_);
  forward(s);
}

// -- as a victim (thesis, Figures 3.4 and 4.4) ------------------------------------------------------------------------

template <class P>
void prell<P>::handle_requests() {
  if ((!kept_ && !requests_.has_message()) || holds_) return;
  const inside here(*this);
  if (kept_ && (idle_ || me_.stack().has_work())) {
    const steal_request s = *kept_;
    kept_.reset();
    handle(s);
  }
  // Those that are there: one that comes back to its thief at once must not keep it here.
  for (std::size_t left = requests_.size(); left != 0; --left) {
    if (auto s = requests_.try_receive()) handle(*s);
  }
}

template <class P>
bool prell<P>::hold_requests(bool hold) {
  const bool held = std::exchange(holds_, hold);
  handle_requests();
  return held;
}

template <class P>
void prell<P>::handle(steal_request s) {
  if (s.is != message::request) return conclude(s.apply(census_, map_));
  if (s.thief == id_) return handle_own(s);
  const bool registers_here = manager_ == id_ && s.status == protocol::status::idle && map_.of(s.thief) == place_;
  if (!registers_here && sample(s)) return;
  if (me_.stack().has_work()) {
    if (s.stays) unregister_root();
    return answer(s);
  }
  if (s.stays && !idle_) {
    kept_ = s;
    return;
  }
  s.stays = false;
  if (registers_here) {
    s.status = protocol::status::registered_idle;
    conclude(census_.registers(map_.rank(s.thief), s.sums.answered));
  }
  if (s.has_failed(map_)) {
    s.leave(map_, choices_, random_);
  } else {
    ++s.failed;
    if (choices_.refusal == protocol::refusal::acknowledge) return send(s, s.thief);
  }
  forward(s);
}

// Returns whether it is sent on.
template <class P>
bool prell<P>::sample(steal_request& s) {
  if (s.samples == 0) return false;
  auto& stack = me_.stack();
  const auto to = s.sample(map_, id_, stack.tasks.size() + stack.pending_tls_forks() + stack.pending_context_forks());
  if (!to || (s.samples == 0 && me_.home.worker_at(*to).presence.blocked())) return false;
  if (s.samples != 0) me_.counts.add_in_poll(event::requests_forwarded);
  send(s, *to);
  return true;
}

// PRELL-3: the update before the tasks. The oldest tasks; or, if there is none, the oldest fork.
template <class P>
void prell<P>::answer(const steal_request& s) {
  const bool counted = unregister(s);
  auto& stack = me_.stack();
  me_.runner.take_over_account();  // GROUP-6
  if (stack.tasks.empty()) {
    slot* const fork = stack.oldest_fork();
    sent_task sent{{}, id_, 0, counted, false};
    work::record::write(&sent.task, scheduler::given_fork<P>{fork, fork->call});
    stack.give_fork(fork, s.thief);
    return give(s.thief, sent);
  }
  // The loan ends here: tasks travel in the channel.
  const auto lent = stack.tasks.lend(protocol::batch(s.amount, stack.tasks.size()));
  for (std::size_t i = 0; i < lent.count; ++i) give(s.thief, {lent.first[i], id_, lent.count - 1 - i, counted, false});
  stack.tasks.give_back();
}

template <class P>
void prell<P>::give(protocol::worker_id thief, const sent_task& sent) {
  [[maybe_unused]] const auto result = at(thief).tasks_.try_send(sent_task(sent));
  assert(result == channels::sent::ok);  // PRELL-1
}

// After n tries, or if there is no other worker, back to the thief. PRELL-7: but the manager of another place passes it on to the next.
template <class P>
void prell<P>::forward(steal_request s) {
  std::optional<protocol::worker_id> to;
  if (!s.has_failed(map_)) {
    constexpr int draws_max = 4;  // a worker that blocks answers nothing until it is back
    for (int i = 0; i < draws_max && (i == 0 || (to && me_.home.worker_at(*to).presence.blocked())); ++i)
      to = map_.next(s.way, s.place, id_);
  }
  if (to) {
    if (s.thief != id_) me_.counts.add_in_poll(event::requests_forwarded);
    return send(s, *to);
  }
  s.failed = map_.workers(s.place);
  if (s.place == map_.of(s.thief) || s.places_left == 0) return send(s, s.thief);
  if (map_.manager(s.place) != id_) return send(s, *map_.manager(s.place));
  s.leave(map_, choices_, random_);
  forward(s);  // there is a worker in the next place
}

template <class P>
void prell<P>::send(const steal_request& s, protocol::worker_id to) {
  [[maybe_unused]] const auto sent = at(to).requests_.try_send(s);
  assert(sent == channels::sent::ok);  // PRELL-1
  if (choices_.polling == protocol::polling::interrupts && to != id_ && me_.home.watch().on() &&
      me_.home.worker_at(to).monitor.interrupt())
    me_.counts.add_in_poll(event::interrupts);
}

}  // namespace leat::inline LEAT_ABI::published
