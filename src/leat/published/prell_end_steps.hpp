// How Prell's scheduler finds the end of all tasks, and comes out of a barrier. Rules PRELL-3 to PRELL-6: prell.hpp.
#pragma once

#include <cassert>

#include "leat/published/prell.hpp"

namespace leat::inline LEAT_ABI::published {

// What the manager knows makes it send something. It tells worker 0 once: none is unregistered before worker 0 knows.
template <class P>
void prell<P>::conclude(protocol::census::step next) {
  using step = protocol::census::step;
  if (next == step::none || id_ == 0) return;
  if (next == step::over) {
    [[maybe_unused]] const auto sent = at(0).over_.try_send(true);
    assert(sent == channels::sent::ok);
    return;
  }
  steal_request said;
  said.is = next == step::ask ? message::asks : message::tells;
  said.thief = id_;
  said.sums = census_.sums();
  if (next == step::tell) return send(said, *map_.head());
  for (protocol::place_id p = 0; p < map_.places(); ++p)
    if (p != place_) send(said, *map_.manager(p));
}

// PRELL-3, PRELL-6: the thief is about to have a task, or needs its request no more. Returns whether it was counted.
template <class P>
bool prell<P>::unregister(const steal_request& s) {
  if (s.status != protocol::status::registered_idle) return false;
  if (!manager_) {
    if (s.thief != id_) all_.count_in();
    return s.thief != id_;
  }
  const protocol::place_id of = map_.of(s.thief);
  if (of != place_) ++answered_;  // PRELL-9
  steal_request update = s;
  update.is = message::update;
  update.place = place_;
  if (map_.manager(of) == id_) {
    update.apply(census_, map_);
    return false;
  }
  me_.counts.add_in_poll(event::updates);
  send(update, *map_.manager(of));
  return false;
}

// PRELL-5. The update is a request of worker 0 that only the manager sees.
template <class P>
void prell<P>::unregister_root() {
  if (!outstanding_ || stale_) return;
  steal_request mine;
  mine.thief = id_;
  mine.status = protocol::status::registered_idle;
  unregister(mine);
  stale_ = true;
}

template <class P>
void prell<P>::enter(work::run<P>& r) {
  all_.enter(r);
  counted_ = true;
}

// After the stop no other worker is there, and no task.
template <class P>
void prell<P>::leave() {
  if (!all_.stopped()) barrier();
  all_.count_out();
  counted_ = false;
}

// Without a manager worker 0 has counted itself out, and is in again from here on.
template <class P>
void prell<P>::barrier() {
  const scheduler::ground on = me_.runner.exchange_ground(scheduler::ground::task);
  me_.runner.run_tasks();
  work::run<P>& r = *me_.runner.current_run();
  end_barrier();
  if (!manager_) enter(r);
  me_.runner.works_for(r);
  me_.runner.set_ground(on);
}

// Worker 0 waits until no worker has a task. PRELL-5: then one worker is made to count as busy.
template <class P>
void prell<P>::end_barrier() {
  const auto is_over = [this] {  // PRELL-4, PRELL-6
    if (!manager_) return all_.all_idle();
    if (manager_ != 0u) return over_.try_receive().has_value();
    return census_.all_idle() && tasks_.size() == 0;
  };
  while (!is_over()) work_idle();
  if (!manager_ || manager_ == 0u) return;
  const inside here(*this);
  leaves_barrier_ = true;
  while (leaves_barrier_) {
    auto s = requests_.try_receive();
    if (!s) {
      breathe(true);
    } else if (s->thief == id_) {
      handle(*s);
      leaves_barrier_ = false;
    } else if (choices_.barrier == protocol::barrier_end::dummy) {
      unregister(*s);
      if (map_.places() > 1) unregister_root();  // PRELL-9
      me_.counts.add(event::dummies);
      give(s->thief, {{}, id_, 0, false, true});
      leaves_barrier_ = false;
    } else {
      handle(*s);
    }
  }
}

}  // namespace leat::inline LEAT_ABI::published
