// The body of the hunting processor.
#pragma once

#include "leat/published/hunting.hpp"

namespace leat::inline LEAT_ABI::published {

using scheduler::stay;
using scheduler::whereabouts;

// TURNS-3: the news are read before all that is checked.
template <class P>
void hunting<P>::main() {
  for (;;) {
    const std::uint32_t seen = all_.news();
    if (all_.stopped()) return;
    work::run<P>* const root = id_ == 0 ? all_.take_root() : nullptr;
    if (root != nullptr) {
      execute_root(*root);
    } else if (rests()) {
      me_.counts.add(event::parks);
      all_.sleep(seen);
    } else {
      work::record stolen;
      const auto over = [&] { return rests() || all_.news() != seen; };
      if (hunt(as::idle, stolen, over)) work_off(stolen);
    }
  }
}

// A compensating worker rests unless one that was asked for blocks.
template <class P>
bool hunting<P>::rests() const noexcept {
  const std::uint32_t workers = me_.workers();
  return all_.all_idle() || (id_ >= workers && id_ - workers >= all_.blocked());
}

// TURNS-2: the attempt has counted this processor in.
template <class P>
void hunting<P>::work_off(work::record& stolen) {
  me_.runner.works_for(*all_.current());
  {
    const stay<P> away(me_, whereabouts::task);
    me_.runner.execute(stolen);
    me_.runner.run_tasks();
  }
  me_.runner.works_for_none();
  me_.counts.set_operations();
  all_.count_out();
}

template <class P>
void hunting<P>::execute_root(work::run<P>& r) {
  all_.enter(r);
  me_.runner.works_for(r);
  {
    const stay<P> away(me_, whereabouts::task);
    me_.runner.run_root();
    me_.runner.run_tasks();
  }
  all_.count_out();
  hunt_until_all_idle();
  me_.runner.works_for_none();
  me_.counts.set_operations();
  all_.end(r);
}

template <class P>
void hunting<P>::hunt_until_all_idle() {
  const auto over = [&] { return all_.all_idle(); };
  work::record stolen;
  while (!over()) {
    if (hunt(as::idle, stolen, over)) work_off(stolen);
  }
}

// The root counts itself out: at zero all other tasks are done, and only it can make more.
template <class P>
void hunting<P>::barrier() {
  const scheduler::ground on = me_.runner.exchange_ground(scheduler::ground::task);
  me_.runner.run_tasks();
  const stay<P> here(me_, whereabouts::runtime);
  const profile::worker_times::during shown(me_.times, profile::activity::waiting);
  work::run<P>& r = *me_.runner.current_run();
  all_.count_out();
  hunt_until_all_idle();
  me_.runner.works_for(r);
  me_.runner.set_ground(on);
  all_.enter(r);
}

template <class P>
void hunting<P>::work_until(work::asked<> ready, work::asked<> begins_task, bool runs) {
  const stay<P> here(me_, whereabouts::runtime);
  const profile::worker_times::during shown(me_.times, profile::activity::waiting);
  if (!runs) return rest_until(ready);
  work::record stolen;
  while (!ready()) {
    work::record* task = me_.runner.next();
    if (task == nullptr) {
      open_forks();
      if (hunt(as::active, stolen, ready)) task = &stolen;
    }
    if (task == nullptr) continue;
    begins_task();
    me_.runner.execute(*task);
  }
}

template <class P>
void hunting<P>::rest_until(work::asked<> ready) {
  const std::uint64_t begun_ns = P::now_ns();
  open_all();
  while (!ready()) {
    P::relax();
    P::yield();
    if (P::now_ns() - begun_ns >= me_.home.config().list_waits_after_ns) me_.waiter.list_open_wait();
  }
}

// Without end, as the papers' thieves. But where there are more workers than CPUs, one that hunts must not keep a CPU from one
// that works, so it yields after as many tries as there are victims.
template <class P>
template <class Over>
bool hunting<P>::hunt(as how, work::record& stolen, Over over) {
  const std::uint64_t begun_ns = P::now_ns();
  for (std::uint32_t tried = 1; !over(); ++tried) {
    const std::uint32_t others = me_.home.workers_started() - 1;
    if (others != 0) {
      const std::uint32_t drawn = random_.below(others);
      if (attempt(how, of(me_.home.worker_at(drawn < id_ ? drawn : drawn + 1)), stolen)) return true;
    }
    P::relax();
    if (tried < others) continue;
    tried = 0;
    P::yield();
    if (how == as::active && P::now_ns() - begun_ns >= me_.home.config().list_waits_after_ns)
      me_.waiter.list_open_wait();
  }
  return false;
}

// TURNS-2: an idle processor counts itself before it takes anything.
template <class P>
bool hunting<P>::attempt(as how, hunting& victim, work::record& stolen) {
  me_.counts.add(event::attempts);
  auto& stack = victim.me_.stack();
  // acquire: pairs with attached; the victim's thread has its forks.
  if (victim.attached_.load(platform::acquire) == 0) return false;
  // TURNS-2: only a thief that sees something counts itself, else idle ones would keep the count from zero.
  bool plain = false;
  stack.with_words([&] { plain = stack.tls_forks.may_have_public_plain(stack.top_of_thread()); });
  if (stack.tasks.seen_public() != 0 || plain || stack.context_forks.may_have_public_marked()) {
    if (how == as::idle) all_.count_in();
    if (take_from(victim, stolen)) {
      victim.taken_from();
      return true;
    }
    if (how == as::idle) all_.count_out();
  }
  if (victim.found_private(++tries_ % tries_until_urgent == 0)) me_.counts.add(event::interrupts);
  return false;
}

// Its oldest public task, or else its oldest public fork.
template <class P>
bool hunting<P>::take_from(hunting& victim, work::record& stolen) {
  constexpr auto any = [] { return true; };
  auto& stack = victim.me_.stack();
  typename slot::call_type call = nullptr;
  if (const auto lent = stack.tasks.steal(any); lent.count != 0) {
    stolen = *lent.first;
    stack.tasks.give_back();
    if (auto* const g = scheduler::group<P>::of(stolen)) g->moved(me_, victim.id_, 1);
    if (takes_half_) take_more(victim);
  } else {
    slot* s = nullptr;
    stack.with_words([&] { s = stack.tls_forks.take_plain(stack.top_of_thread(), any); });
    if (s != nullptr) call = s->call;  // FORK-3: it is pending, so its owner leaves the word as it is
    else if (s = stack.context_forks.take_marked(call, any); s == nullptr) return false;
    s->thief.store(me_.id(), platform::relaxed);  // relaxed: a hint
    work::record::write(&stolen, scheduler::given_fork<P>{s, call});
  }
  me_.counts.add(event::taken);
  me_.counts.add(event::steals);
  me_.counts.add(event::tasks_stolen);
  return true;
}

// Each of them by a compare-and-swap of its own. They are the thief's newest then, and public like all of its tasks. A full deque takes
// no more: it may not be moved while its public part is open.
template <class P>
void hunting<P>::take_more(hunting& victim) {
  constexpr auto any = [] { return true; };
  auto& from = victim.me_.stack().tasks;
  auto& mine = me_.stack().tasks;
  for (std::size_t left = from.seen_public() / 2; left != 0; --left) {
    work::record* const place = mine.free_slot();
    const auto lent = mine.full() ? typename work::task_deque<P>::run{} : from.steal(any);
    if (lent.count == 0) return;
    *place = *lent.first;
    from.give_back();
    if (auto* const g = scheduler::group<P>::of(*place)) g->moved(me_, victim.id_, 1);
    me_.counts.add(event::tasks_stolen);
    mine.push();
    this->pushed();
  }
}

}  // namespace leat::inline LEAT_ABI::published
