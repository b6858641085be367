// Whether a worker is present, and if not, which thread may touch the worker's own state. Rules BLOCKING-1, BLOCKING-2
// and BLOCKING-5 of attendance.hpp.
#pragma once

#include <cstdint>

#include "leat/platform/order.hpp"

namespace leat::scheduler {

template <class P>
class presence {
 public:
  /// Whether the worker has left and not come back. Any thread; one load.
  bool absent() const noexcept {
    return state_.load(platform::acquire) != state::here;  // acquire: pairs with leave; the channel is read next
  }

  // -- the worker's

  /// The worker leaves. Every thread that asks it from now on finds it absent; a request from before is seen by the
  /// next look (BLOCKING-2).
  void leave() noexcept {
    state_.store(state::away, platform::release);  // pairs with begin_look: all that is the worker's
    P::fence();  // BLOCKING-2; pairs with the fence in notify, which every sender calls, and in begin_interrupt
  }

  /// The worker comes back. If an attendant polls for it at this moment, wait(back) must return when back() is true
  /// (BLOCKING-5).
  template <class Wait>
  void come_back(Wait wait) {
    // acq_rel: pairs with begin_look and end_look.
    if (state_.exchange(state::returning, platform::acq_rel) == state::away) {
      state_.store(state::here, platform::relaxed);  // relaxed: no attendant begins while it says `returning`
    } else {
      wait([this] { return state_.load(platform::acquire) == state::here; });  // acquire: pairs with end_look
    }
  }

  /// Whether a thread is about to interrupt the worker, which has left.
  bool is_interrupted() const noexcept {
    return interrupters_.load(platform::acquire) != 0;
  }  // pairs with end_interrupt

  // -- of a thread that calls for it

  /// BLOCKING-3: true for the first call since the last end_call.
  // acq_rel: pairs with end_call; what was sent before the call is seen by the look.
  bool begin_call() noexcept { return called_.exchange(1, platform::acq_rel) == 0; }

  // -- the attendant's

  void end_call() noexcept { called_.exchange(0, platform::acq_rel); }  // pairs with begin_call

  /// False if the worker is not absent. Else all of the worker's own state is the attendant's, until end_look.
  bool begin_look() noexcept {
    auto found = state::away;
    // acquire: pairs with leave and with the last attendant. relaxed failure: nothing is looked at.
    return state_.compare_exchange_strong(found, state::attended, platform::acquire, platform::relaxed);
  }

  /// Returns whether the worker has come back meanwhile. Then it waits, and must be notified (BLOCKING-5).
  bool end_look() noexcept {
    auto found = state::attended;
    // release: pairs with the next attendant's exchange or the worker's.
    if (state_.compare_exchange_strong(found, state::away, platform::release, platform::relaxed)) return false;
    state_.store(state::here, platform::release);  // pairs with come_back
    return true;
  }

  // -- of a thread that interrupts the worker

  /// Whether the worker is present: then it does not leave before end_interrupt. end_interrupt must be called in any
  /// case.
  bool begin_interrupt() noexcept {
    interrupters_.fetch_add(1, platform::relaxed);  // relaxed: fenced
    P::fence();  // pairs with the fence in leave: one sees that the other is there
    return !absent();
  }
  void end_interrupt() noexcept { interrupters_.fetch_sub(1, platform::release); }  // pairs with is_interrupted

 private:
  // Which thread may touch the worker's own state (BLOCKING-1).
  enum class state : std::uint32_t {
    here,  // the worker's
    away,  // none
    attended,  // the attendant's
    returning,  // the attendant's, if there is one, until it gives it back; else the worker's
  };

  typename P::template atomic<state> state_{state::here};
  typename P::template atomic<std::uint32_t> called_{0};  // 1: the attendance knows of a request (BLOCKING-3)
  typename P::template atomic<std::uint32_t> interrupters_{0};  // threads about to interrupt the worker (BLOCKING-2)
};

}  // namespace leat::scheduler
