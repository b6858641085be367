// How a thread waits: it leaves its worker to others where it can, and blocks it where it cannot.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "leat/bubble/crew.hpp"
#include "leat/bubble/crew_seats.hpp"

namespace leat::bubbles {

/// Who waits, in its own frame until it has been told.
template <class P>
struct waiter {
  strand<P>* who = nullptr;  ///< which has left its worker; null: its worker blocks, or it is no worker's
  waiter* next = nullptr;
  typename P::template atomic<std::uint32_t> told{0};  ///< for who blocks
};

/// Ends a wait. Of `w` nothing is touched after that. Any thread; not under a lock that who waits may want at once.
template <class P>
void tell(waiter<P>& w) {
  if (w.who != nullptr) return w.who->home.put_back(*w.who);
  w.told.store(1, platform::release);  // pairs with block
  P::wake_one(w.told);  // by its address alone
}

/// The same for several. Those that belong on one list come there together: a list is another unit's line, and so are the words of
/// all that rest beneath it.
template <class P>
void tell_all(waiter<P>* first) {
  while (first != nullptr) {
    if (first->who != nullptr) first->who->home.put_back_first(first);
    else tell(*std::exchange(first, first->next));
  }
}

/// Waits until somebody tells the waiter that `enlist(waiter)` has put where it will be found; returns at once if enlist
/// returns false. T6: a user-level thread leaves its worker to others, if none of its frames knows the worker; else the worker
/// blocks, as in leat::blocking, and another stands in (T7). On any other thread, that blocks.
template <class P, class Enlist>
[[gnu::noinline]] void block(Enlist enlist) {
  waiter<P> w;
  carrier<P>* const c = carrier<P>::here();
  if (c != nullptr && c->may_switch()) {
    strand<P>& s = *c->current();
    w.who = &s;
    s.home.stops(s);
    bool listed = false;
    try {
      listed = enlist(w);
    } catch (...) {
      s.home.goes_on(s);
      throw;
    }
    if (listed) c->leave(nullptr);  // c is another's from here on
    else s.home.goes_on(s);
    return;
  }
  const auto told = [&] {
    while (w.told.load(platform::acquire) == 0) P::wait(w.told, 0);  // acquire: pairs with tell
  };
  std::optional<stand_in<P>> meanwhile;
  if (c != nullptr) meanwhile.emplace(*c);  // before we are in the line, as it may throw
  if (enlist(w)) task::blocking<P>(told);
}

}  // namespace leat::bubbles
