// How a thread waits: it leaves its worker to others where it can, and blocks it where it cannot. Rules THREAD-6,
// THREAD-7.
#pragma once

#include <memory>
#include <optional>

#include "leat/task/blocking.hpp"
#include "leat/thread/carrier.hpp"

namespace leat::inline LEAT_ABI::threads {

/// While it lives, the worker of `c`, which is the caller's, is about to block, blocks or comes back, and a
/// compensating carrier takes its place, if a worker accepts (THREAD-7).
template <class P>
class compensation {
 public:
  /// Throws std::bad_alloc; then nothing has changed. From `stop` on the bubble of the thread does not count it among
  /// those that execute, so a recall does not wait for it, though it stays on its worker (BUBBLE-5).
  explicit compensation(carrier<P>& c) : c_(c), offer_(std::make_shared<bubbles::offer<P>>(c.unit())) {
    if (c_.current() != nullptr) c_.home().places.stop(*c_.current());
    c_.set_blocks(true);
    try {
      c_.home().offers.make(offer_);
    } catch (...) {
      come_back();
      throw;
    }
    c_.home().offers.fill();
  }
  compensation(const compensation&) = delete;
  compensation& operator=(const compensation&) = delete;
  ~compensation() {
    come_back();
    c_.home().offers.withdraw(*offer_);
  }

 private:
  // A carrier that has taken this one's place is dismissed only after it, so that the unit is never without one.
  void come_back() noexcept {
    c_.set_blocks(false);
    if (c_.current() != nullptr) c_.home().places.go_on(*c_.current());
  }

  carrier<P>& c_;
  const std::shared_ptr<bubbles::offer<P>> offer_;
};

/// Waits until the waiter is told that `enlist(waiter)` has put in a line; returns at once if enlist returns false.
/// enlist looks and enlists under one lock of the thing that is waited for, so the end of the wait comes either
/// before the look, or to the waiter. THREAD-6: a green thread leaves its worker to others, if none of its frames
/// knows the worker; else the worker blocks, as in leat::blocking, and a compensating carrier takes its place
/// (THREAD-7). Any other thread of the system blocks.
///
/// A thread that leaves says that it stops before it is in the line: as soon as it is there, another thread
/// may put it on a list again and a carrier may take it, which then waits until this stack has been left
/// (THREAD-4).
template <class P, class Enlist>
[[gnu::noinline]] void block(Enlist enlist) {
  bubbles::waiter<P> w;
  carrier<P>* const c = carrier<P>::here();
  if (c != nullptr && c->may_switch()) {
    bubbles::green_thread<P>& s = *c->current();
    bubbles::thread_places<P>& places = s.home.places;
    w.thread = &s;
    w.places = &places;
    places.stop(s);
    bool listed = false;
    try {
      listed = enlist(w);
    } catch (...) {
      places.go_on(s);
      throw;
    }
    if (listed) c->leave(nullptr);  // another carrier may execute the caller from here on
    else places.go_on(s);
    return;
  }
  const auto told = [&] {
    while (w.told.load(platform::acquire) == 0) P::wait(w.told, 0);  // acquire: pairs with tell
  };
  std::optional<compensation<P>> meanwhile;
  if (c != nullptr) meanwhile.emplace(*c);  // before the waiter is in the line, as it may throw
  if (enlist(w)) task::blocking<P>(told);
}

/// block, for a floor that knows no threads (scheduler::carried_wait).
template <class P>
void wait_in_line(scheduler::carried_wait::enlist enlist, void* by) {
  block<P>([&](bubbles::waiter<P>& w) {
    return enlist(by, [](void* waiter) { bubbles::tell(*static_cast<bubbles::waiter<P>*>(waiter)); }, &w);
  });
}

}  // namespace leat::inline LEAT_ABI::threads
