// Offers to carry: each brings one more carrier, where a worker has nothing else to do. Rules THREAD-7, THREAD-8,
// THREAD-17.
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "leat/bubble/carrier_set.hpp"
#include "leat/bubble/spin_lock.hpp"
#include "leat/task/spawn.hpp"

namespace leat::inline LEAT_ABI::bubbles {

template <class P>
class thread_scheduler;

/// A place for one carrier. Guarded by the offers' lock. Its states: under way, in a task; accepted, when `carrier` is
/// set; open, on the list of those that no worker could accept; withdrawn, from which it does not come back. Shared by
/// its maker (a wait, or run_threads), its task and that list.
template <class P>
struct offer {
  static constexpr topology::unit_id any_unit = ~topology::unit_id{0};

  explicit offer(topology::unit_id u) noexcept : unit(u) {}

  const topology::unit_id unit;  ///< that the carrier stands for; any_unit: that of the worker that accepts
  carrier_state<P>* carrier = nullptr;  ///< that has accepted it
  bool withdrawn = false;
  std::shared_ptr<offer> next;  ///< among those that are open
};

/// An offer is made as a task of the run; the worker that executes the task accepts. If that worker carries
/// already, the offer is left open: a vacant place. A carrier that takes a thread while none rests makes an
/// open offer again, for then each worker that carries has something to do, and only others take tasks (THREAD-8).
///
/// The call of run_threads ends when no offer is under way: each task of these has a reference to all this.
template <class P>
class carrier_offers {
 public:
  using shared_offer = std::shared_ptr<offer<P>>;
  /// Carries for `home` on the calling worker, as long as the offer stands.
  using accept = void (*)(thread_scheduler<P>& home, const shared_offer& o);

  carrier_offers(thread_scheduler<P>& home, carrier_set<P>& carriers, accept a) noexcept
      : home_(home), carriers_(carriers), accept_(a) {}
  ~carrier_offers() {
    drop_open([](const offer<P>&) { return true; });
  }

  /// The worker that waits until no task brings an offer any more. Before the first offer is made.
  void begin(scheduler::worker<P>& waits) noexcept { waits_ = &waits; }
  bool none_under_way() const noexcept {
    return under_way_.load(platform::acquire) == 0;
  }  // acquire: pairs with arrived

  /// Throws std::bad_alloc; then no worker comes.
  void make(const shared_offer& o) {
    // Before the task exists: a thief may execute it and count it out before spawn returns.
    under_way_.fetch_add(
        1, platform::relaxed);  // relaxed: the caller carries, and the call of run_threads waits for it, too
    try {
      task::spawn<P>([this, o] {
        const arrived at_end{*this};
        accept_(home_, o);
      });
    } catch (...) {
      under_way_.fetch_sub(1, platform::relaxed);  // relaxed: as above
      throw;
    }
  }

  /// `c` carries for the offer from now on; null: it does so no longer. Whether the offer still stands. Under the
  /// lock, so `withdraw` dismisses no carrier that has ended, and misses none that carries.
  bool take(offer<P>& o, carrier_state<P>* c) noexcept {
    const holding<P> mine(lock_);
    o.carrier = c;
    return !o.withdrawn;
  }

  /// No carrier is needed there any more: the one that has accepted is dismissed. An offer that is open, or under way,
  /// stays where it is until it is met there, and brings no carrier.
  void withdraw(offer<P>& o) noexcept {
    const holding<P> mine(lock_);
    o.withdrawn = true;
    if (o.carrier != nullptr) o.carrier->dismiss();
  }

  /// The calling worker cannot accept it. Whether the offer still stands, and so is open now.
  bool leave_open(const shared_offer& o) noexcept {
    const holding<P> mine(lock_);
    if (o->withdrawn) return false;
    drop_open([](const offer<P>& other) { return other.withdrawn; });
    o->next = std::exchange(open_, o);
    opened_.fetch_add(1, platform::relaxed);  // relaxed: a hint
    return true;
  }

  /// THREAD-8: makes an open offer again, if there is one and no carrier rests. On a worker that executes a thread.
  /// Two loads.
  void fill() noexcept {
    // relaxed: a worker that looks too early looks again.
    if (opened_.load(platform::relaxed) != 0 && !carriers_.any_rests()) [[unlikely]]
      make_open();
  }

  /// Whether one is open for a unit of the domain.
  /// Those for any unit, which run_threads makes, compensate for no blocked worker.
  bool any_open_in(const topology::domain& d) noexcept {
    const holding<P> mine(lock_);
    for (const offer<P>* o = open_.get(); o != nullptr; o = o->next.get())
      if (!o->withdrawn && o->unit != offer<P>::any_unit && d.has(o->unit)) return true;
    return false;
  }

 private:
  struct arrived {
    carrier_offers& offers;
    ~arrived() {
      scheduler::worker<P>& waits = *offers.waits_;  // the offers may be gone when it knows
      // acq_rel: all that the carriers did happens before a true answer of none_under_way.
      if (offers.under_way_.fetch_sub(1, platform::acq_rel) == 1) waits.notify();
    }
  };

  // One offer, the one opened last; withdrawn ones are dropped on the way. The lock is given back before the task is
  // made, which may run in place where memory is short.
  [[gnu::noinline, gnu::cold]] void make_open() noexcept {
    shared_offer o;
    {
      const holding<P> mine(lock_);
      do {
        o = open_;
        if (o == nullptr) return;
        open_ = std::move(o->next);
        opened_.fetch_sub(1, platform::relaxed);  // relaxed: a hint
      } while (o->withdrawn);
    }
    try {
      make(o);
    } catch (const std::bad_alloc&) {
      leave_open(o);  // the next carrier that takes a thread tries again
    }
  }

  // Under the lock. One by one: each offer keeps the next, so a chain of destructors would be as deep as the
  // list is long.
  template <class Unwanted>
  void drop_open(Unwanted unwanted) noexcept {
    for (shared_offer* at = &open_; *at != nullptr;) {
      if (!unwanted(**at)) {
        at = &(*at)->next;
        continue;
      }
      *at = shared_offer(std::move((*at)->next));
      opened_.fetch_sub(1, platform::relaxed);  // relaxed: a hint
    }
  }

  thread_scheduler<P>& home_;
  carrier_set<P>& carriers_;
  const accept accept_;
  scheduler::worker<P>* waits_ = nullptr;
  typename P::template atomic<std::uint32_t> under_way_{0};  // tasks that bring an offer, until these carry no more
  spin_lock<P> lock_;  // guards what follows, and each offer
  shared_offer open_;
  typename P::template atomic<std::uint32_t> opened_{0};  // how many are open; written under the lock
};

}  // namespace leat::inline LEAT_ABI::bubbles
