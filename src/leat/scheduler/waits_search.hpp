// The body of the list of long waits: the search for circles. Rules DEADLOCK-1 to DEADLOCK-6: docs/guide/deadlocks.md.
#pragma once

#include <cstdint>

#include "leat/scheduler/scheduler.hpp"

namespace leat::scheduler {

// DEADLOCK-4: a circle is complete when its last wait is listed, so only circles through `w` are searched.
template <class P>
void waits<P>::enter(long_wait<P>& w) noexcept {
  const handshake::holding<P> all(lock_);
  count_change();
  w.listed.next = newest_;
  if (newest_ != nullptr) newest_->listed.before = &w;
  newest_ = &w;
  if (w.about().target == nullptr) return;
  // DEADLOCK-4: each turn takes a wait out of the circles, so the number of waits bounds the turns.
  std::uint32_t steps = 0;
  while (!w.is_chosen() && finds_circle(w, steps) && breaks_circle(w)) {
  }
}

// Under the lock no search goes on, so no other thread holds a link to `w` afterwards, and its frame may end.
template <class P>
std::uint32_t waits<P>::leave(long_wait<P>& w) noexcept {
  const handshake::holding<P> all(lock_);
  count_change();
  if (w.listed.next != nullptr) w.listed.next->listed.before = w.listed.before;
  if (w.listed.before != nullptr) w.listed.before->listed.next = w.listed.next;
  else newest_ = w.listed.next;
  return w.circle();
}

// DEADLOCK-2, DEADLOCK-3: goes from a wait to those that must end before what it awaits is done. A wait that is to be
// left needs nothing any more.
template <class P>
bool waits<P>::finds_circle(long_wait<P>& of, std::uint32_t& steps) noexcept {
  for (long_wait<P>* w = newest_; w != nullptr; w = w->listed.next) w->listed.from = nullptr;
  of.listed.todo = nullptr;
  for (long_wait<P>* todo = &of; todo != nullptr;) {
    long_wait<P>* const w = todo;
    todo = w->listed.todo;
    for (long_wait<P>* above = newest_; above != nullptr; above = above->listed.next) {
      if (steps > steps_max) return false;
      if (above->listed.from != nullptr || above->is_chosen() || !above->lies_above(w->about().target, steps)) continue;
      above->listed.from = w;
      if (above == &of) return true;
      if (above->about().target == nullptr) continue;
      above->listed.todo = todo;
      todo = above;
    }
  }
  return false;
}

// DEADLOCK-5, DEADLOCK-6. False if no wait of the circle may be left.
template <class P>
bool waits<P>::breaks_circle(long_wait<P>& of) noexcept {
  std::uint32_t waits_in_it = 0;
  long_wait<P>* chosen = nullptr;
  long_wait<P>* w = &of;
  do {
    ++waits_in_it;
    if (chosen == nullptr && w->about().may_be_left) chosen = w;
    w = w->listed.from;
  } while (w != &of);
  if (chosen == nullptr) return false;
  if (chosen->about().withdraw != nullptr) chosen->about().withdraw(chosen->about().waiter);
  chosen->choose(waits_in_it);
  if (chosen != &of) chosen->waiter()->notify();
  return true;
}

}  // namespace leat::scheduler
