// The waits of a runtime that last long, and which of them wait for each other in a circle.
//
// Page with the rules DEADLOCK-1 to DEADLOCK-6: docs/internals/deadlocks.md. A wait is listed when it has lasted for
// settings::list_waits_after_ns and found nothing to execute, so a wait that ends before costs nothing here.
#pragma once

#include <cstdint>

#include "leat/handshake/spin_lock.hpp"
#include "leat/platform/order.hpp"
#include "leat/waiting/broken_circle.hpp"
#include "leat/waiting/wait.hpp"

namespace leat::inline LEAT_ABI::waiting {

/// The list. Thread-safe: one lock for all of it, taken only by waits that are about to sleep or to end. Cost of a
/// listing: a search of the waits that lie above it, steps_max at most.
template <class P>
class wait_list {
 public:
  /// A search visits so many executions and waits at most. Larger circles are left to the report of hangs.
  static constexpr std::uint32_t steps_max = 1u << 16;

  /// Lists `w`, and searches for circles that it is in. In each circle one wait is left: `w` itself, if it may be
  /// (DEADLOCK-4, DEADLOCK-5). The calling thread is the one that waits. The first circle that is broken is noted in
  /// `broken`, unless that is null.
  void enter(long_wait<P>& w, broken_circle* broken = nullptr) noexcept;

  /// The wait is over. Returns 0; or, if it was chosen to break a circle, how many waits that has. The calling thread
  /// is the one that waits.
  std::uint32_t leave(long_wait<P>& w) noexcept;

  /// Calls f(wait) for each listed wait, newest first. f must not wait for anything.
  template <class F>
  void each(F f) noexcept {
    const handshake::holding<P> all(lock_);
    for (const long_wait<P>* w = newest_; w != nullptr; w = w->listed.next) f(*w);
  }

  /// How often a wait was listed, or ended. A hint.
  std::uint64_t changes() const noexcept { return changes_.load(platform::relaxed); }  // relaxed: a number

 private:
  bool finds_circle(long_wait<P>& of, std::uint32_t& steps) noexcept;
  static bool breaks_circle(long_wait<P>& of, broken_circle* broken) noexcept;
  void count_change() noexcept {
    changes_.store(changes_.load(platform::relaxed) + 1, platform::relaxed);  // relaxed: written under the lock
  }

  handshake::spin_lock<P> lock_;
  long_wait<P>* newest_ = nullptr;
  typename P::template atomic<std::uint64_t> changes_{0};
};

// DEADLOCK-4: a circle is complete when its last wait is listed, so only circles through `w` are searched.
template <class P>
void wait_list<P>::enter(long_wait<P>& w, broken_circle* broken) noexcept {
  const handshake::holding<P> all(lock_);
  count_change();
  w.listed.next = newest_;
  if (newest_ != nullptr) newest_->listed.before = &w;
  newest_ = &w;
  if (w.about().target == nullptr) return;
  // DEADLOCK-4: each turn takes a wait out of the circles, so the number of waits bounds the turns.
  std::uint32_t steps = 0;
  while (!w.is_chosen() && finds_circle(w, steps) && breaks_circle(w, broken)) {
  }
}

// Under the lock no search goes on, so no other thread holds a link to `w` afterwards, and its frame may end.
template <class P>
std::uint32_t wait_list<P>::leave(long_wait<P>& w) noexcept {
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
bool wait_list<P>::finds_circle(long_wait<P>& of, std::uint32_t& steps) noexcept {
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
bool wait_list<P>::breaks_circle(long_wait<P>& of, broken_circle* broken) noexcept {
  std::uint32_t waits_in_it = 0;
  long_wait<P>* chosen = nullptr;
  long_wait<P>* w = &of;
  do {
    ++waits_in_it;
    if (chosen == nullptr && w->about().may_be_left) chosen = w;
    w = w->listed.from;
  } while (w != &of);
  if (chosen == nullptr) return false;
  if (broken != nullptr && broken->size == 0) {
    do {
      broken->add(w->worker(), w->about().kind, w->since_ns(), w->calls(), w == chosen);
      w = w->listed.from;
    } while (w != &of);
  }
  if (chosen->about().withdraw != nullptr) chosen->about().withdraw(chosen->about().waiter);
  chosen->choose(waits_in_it);
  if (chosen != &of) chosen->notify();
  return true;
}

}  // namespace leat::inline LEAT_ABI::waiting
