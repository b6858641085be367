// The body of the list of long waits: the search for circles. Rules CW1-CW6: docs/deadlocks.md.
#pragma once

#include <cstdint>

#include "leat/scheduler/scheduler.hpp"

namespace leat::scheduler {

template <class P>
void waits<P>::enter(long_wait<P>& w) noexcept {
  const holding<P> all(lock_);
  count_change();
  w.next_ = newest_;
  if (newest_ != nullptr) newest_->before_ = &w;
  newest_ = &w;
  if (w.about_.key == nullptr) return;
  // CW4: each turn takes a wait out of the circles, so the number of waits bounds the turns.
  std::uint32_t steps = 0;
  while (!w.is_chosen() && finds_circle(w, steps) && breaks_circle(w)) {
  }
}

template <class P>
std::uint32_t waits<P>::leave(long_wait<P>& w) noexcept {
  const holding<P> all(lock_);
  count_change();
  if (w.next_ != nullptr) w.next_->before_ = w.before_;
  if (w.before_ != nullptr) w.before_->next_ = w.next_;
  else newest_ = w.next_;
  return w.circle_.load(platform::relaxed);  // relaxed: written under the lock
}

// CW2, CW3: goes from a wait to those that must end before what it awaits is done. A wait that is to be left needs nothing any more.
template <class P>
bool waits<P>::finds_circle(long_wait<P>& of, std::uint32_t& steps) noexcept {
  for (long_wait<P>* w = newest_; w != nullptr; w = w->next_) w->from_ = nullptr;
  of.todo_ = nullptr;
  for (long_wait<P>* todo = &of; todo != nullptr;) {
    long_wait<P>* const w = todo;
    todo = w->todo_;
    for (long_wait<P>* above = newest_; above != nullptr; above = above->next_) {
      if (steps > steps_max) return false;
      if (above->from_ != nullptr || above->is_chosen() || !above->lies_above(w->about_.key, steps)) continue;
      above->from_ = w;
      if (above == &of) return true;
      if (above->about_.key == nullptr) continue;
      above->todo_ = todo;
      todo = above;
    }
  }
  return false;
}

// CW5, CW6. False if no wait of the circle may be left.
template <class P>
bool waits<P>::breaks_circle(long_wait<P>& of) noexcept {
  std::uint32_t waits_in_it = 0;
  long_wait<P>* chosen = nullptr;
  long_wait<P>* w = &of;
  do {
    ++waits_in_it;
    if (chosen == nullptr && w->about_.may_be_left) chosen = w;
    w = w->from_;
  } while (w != &of);
  if (chosen == nullptr) return false;
  if (chosen->about_.withdraw != nullptr) chosen->about_.withdraw(chosen->about_.waiter);
  chosen->circle_.store(waits_in_it, platform::relaxed);  // relaxed: leave reads it under the lock
  if (chosen != &of) chosen->me_->notify();
  return true;
}

}  // namespace leat::scheduler
