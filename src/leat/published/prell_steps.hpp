// The body of Prell's scheduler. Rules PRELL-1 to PRELL-4: prell.hpp.
#pragma once

#include <algorithm>
#include <cassert>

#include "leat/protocol/thief.hpp"
#include "leat/published/prell.hpp"

namespace leat::published {

template <class P>
prell<P>::prell(worker& me, turns<P>& all, protocol::worker_id id, const scheduler::settings& s)
    : me_(me),
      all_(all),
      id_(id),
      workers_(s.workers),
      last_victim_first_(s.last_victim),
      last_victim_(id),
      random_(s.seed + id),
      strategy_(s.strategy),
      registered_(id == 0 ? s.workers : 0),
      requests_(id == 0 ? std::size_t{2} * s.workers : s.workers),
      tasks_(protocol::batch_max) {}

// -- the loop (thesis, Figure 3.2) ------------------------------------------------------------------------------------

// Between runs all sleep, with the requests that lie in their channels.
template <class P>
void prell<P>::main() {
  for (;;) {
    const std::uint32_t seen = all_.news();
    if (all_.stopped()) return;
    work::run<P>* const root = is_manager() ? all_.take_root() : nullptr;
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
  all_.enter(r);
  me_.runner.works_for(r);
  {
    const scheduler::stay<P> away(me_, scheduler::whereabouts::task);
    me_.runner.run_root();
    me_.runner.run_tasks();
  }
  while (!is_over()) work_idle();
  me_.runner.works_for_none();
  me_.counts.set_operations();
  all_.count_out();
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

// PRELL-4.
template <class P>
bool prell<P>::is_over() noexcept {
  return registered_count_ + 1 == workers_ && tasks_.size() == 0;
}

template <class P>
void prell<P>::barrier() {
  const scheduler::ground on = me_.runner.exchange_ground(scheduler::ground::task);
  me_.runner.run_tasks();
  work::run<P>& r = *me_.runner.current_run();
  while (!is_over()) work_idle();
  me_.runner.works_for(r);
  me_.runner.set_ground(on);
}

template <class P>
void prell<P>::work_until(work::asked<> ready, bool runs) {
  const std::uint64_t begun_ns = P::now_ns();
  while (!ready()) {
    if (work::record* const own = runs ? me_.runner.next() : nullptr) {
      me_.runner.execute(*own);
      continue;
    }
    if (runs) seek(false);
    else rest();
    if (steps_ % workers_ == 0 && P::now_ns() - begun_ns >= me_.home.config().list_waits_after_ns)
      me_.waiter.list_open_wait();
  }
}

// A worker that only polls accepts what comes for a request of a wait that is over, so that others can have it. Nothing may be executed
// for want of memory here.
template <class P>
void prell<P>::poll() {
  const scheduler::stay<P> here(me_, scheduler::whereabouts::runtime);
  if (tasks_.size() != 0 && me_.stack().tasks.empty() && me_.stack().make_room()) accept_tasks();
  handle_requests();
}

// Tasks that arrive stay in its deque, where other thieves get them.
template <class P>
void prell<P>::rest() {
  poll();
  P::relax();
  if (++steps_ % workers_ == 0) P::yield();
}

// Tasks are popped, newest first; then steal requests are handled.
template <class P>
work::record* prell<P>::next(wanted_task wanted) {
  const scheduler::stay<P> here(me_, scheduler::whereabouts::runtime);
  auto& tasks = me_.stack().tasks;
  if (tasks.empty()) accept_tasks();
  work::record* const newest = tasks.newest();
  const bool taken = newest != nullptr && wanted(*newest);
  if (taken) tasks.pop_without_poll();
  handle_requests();
  return taken ? newest : nullptr;
}

template <class P>
bool prell<P>::keeps(forks& of, slot* s) {
  const bool mine = !of.given_away(s);
  handle_requests();
  return mine;
}

// -- as a thief -------------------------------------------------------------------------------------------------------

// One step: handles messages, and sends the worker's request if it is not out. Returns whether tasks came.
template <class P>
bool prell<P>::seek(bool idle) {
  const scheduler::stay<P> here(me_, scheduler::whereabouts::runtime);
  if (accept_tasks()) return true;
  idle_ = idle;
  handle_requests();
  if (!outstanding_ && workers_ > 1) request(idle);
  idle_ = false;
  P::relax();
  if (++steps_ % workers_ == 0) P::yield();
  return false;
}

// PRELL-1. The first victim is the last one that gave something.
template <class P>
void prell<P>::request(bool idle) {
  steal_request s;
  s.thief = id_;
  s.status = idle ? protocol::status::idle : protocol::status::working;
  s.amount = strategy_.next();
  s.victims = protocol::random(random_());
  outstanding_ = true;
  me_.counts.add(event::requests_sent);
  if (last_victim_first_ && last_victim_ != id_) return send(s, last_victim_);
  forward(s);
}

// Tasks of one answer may come one by one.
template <class P>
bool prell<P>::accept_tasks() {
  bool some = false;
  while (auto sent = tasks_.try_receive()) {
    me_.runner.works_for(*all_.current());  // before the task: it may be executed at once
    if (sent->more == 0) {
      outstanding_ = false;
      me_.counts.add(event::steals);
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

// -- as a victim (thesis, Figures 3.4 and 4.4) ------------------------------------------------------------------------

template <class P>
void prell<P>::handle_requests() {
  const scheduler::stay<P> here(me_, scheduler::whereabouts::runtime);
  while (auto s = requests_.try_receive()) handle(*s);
}

template <class P>
void prell<P>::handle(steal_request s) {
  if (s.update) return set_registered(s.thief, false);
  if (me_.stack().has_work()) {
    if (s.thief != id_) return answer(s);
    // It needs its own request no more. No update is due: the manager is not idle, and another worker gets tasks only by an
    // answer, which ends its registration.
    outstanding_ = false;
    return me_.counts.add(event::requests_revoked);
  }
  if (is_manager() && s.status == protocol::status::idle && s.thief != id_) {
    s.status = protocol::status::registered_idle;
    set_registered(s.thief, true);
  }
  if (s.failed < workers_) {
    ++s.failed;
    return forward(s);
  }
  // PRELL-2: it has come back.
  assert(s.thief == id_);
  s.failed = 0;
  if (idle_ && s.status == protocol::status::working) s.status = protocol::status::idle;
  if (s.status == protocol::status::idle && !is_manager()) return send(s, 0);
  forward(s);
}

// PRELL-3: the update before the tasks. The oldest tasks; or, if there is none, the oldest fork.
template <class P>
void prell<P>::answer(const steal_request& s) {
  if (s.status == protocol::status::registered_idle) {
    if (is_manager()) {
      set_registered(s.thief, false);
    } else {
      steal_request update = s;
      update.update = true;
      me_.counts.add(event::updates);
      send(update, 0);
    }
  }
  auto& stack = me_.stack();
  me_.runner.take_over_account();  // GROUP-6
  if (stack.tasks.empty()) {
    slot* const fork = stack.oldest_fork();
    work::record task;
    work::record::write(&task, scheduler::given_fork<P>{fork, fork->call});
    stack.give_fork(fork, s.thief);
    return give(s.thief, task, 0);
  }
  // The loan ends here: tasks travel in the channel.
  const auto lent = stack.tasks.lend(protocol::batch(s.amount, stack.tasks.size()));
  for (std::size_t i = 0; i < lent.count; ++i) give(s.thief, lent.first[i], lent.count - 1 - i);
  stack.tasks.give_back();
}

template <class P>
void prell<P>::give(protocol::worker_id thief, const work::record& task, std::size_t more) {
  [[maybe_unused]] const auto sent = at(thief).tasks_.try_send(sent_task{task, id_, more});
  assert(sent == channel::sent::ok);  // PRELL-1
}

// To a worker that is neither this one nor the thief, drawn by the thief's own numbers; back to the thief after n tries, or if there is
// no other worker.
template <class P>
void prell<P>::forward(steal_request s) {
  const std::uint32_t others = workers_ - (s.thief == id_ ? 1 : 2);
  if (s.failed == workers_ || others == 0) {
    s.failed = workers_;
    return send(s, s.thief);
  }
  const protocol::worker_id low = std::min(id_, s.thief), high = std::max(id_, s.thief);
  constexpr int draws_max = 4;  // a worker that blocks answers nothing until it is back
  std::uint32_t drawn = 0;
  for (int i = 0; i < draws_max && (i == 0 || me_.home.worker_at(drawn).presence.blocked()); ++i) {
    drawn = s.victims.below(others);
    if (drawn >= low) ++drawn;
    if (low != high && drawn >= high) ++drawn;
  }
  if (s.thief != id_) me_.counts.add(event::requests_forwarded);
  send(s, drawn);
}

template <class P>
void prell<P>::send(const steal_request& s, protocol::worker_id to) {
  [[maybe_unused]] const auto sent = at(to).requests_.try_send(s);
  assert(sent == channel::sent::ok);  // PRELL-1
}

template <class P>
void prell<P>::set_registered(protocol::worker_id w, bool registered) {
  if (registered_[w] == registered) return;
  registered_[w] = registered;
  registered_count_ += registered ? 1 : ~0u;
}

}  // namespace leat::published
