// Whether a worker is present, and if not, which thread may touch the worker's own state. Rules BLOCKING-1, BLOCKING-2
// and BLOCKING-5 of proxies.hpp.
#pragma once

#include <cstdint>

#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::handshake {

template <class P>
class presence {
 public:
  /// Whether the worker has left and not come back. Any thread; one load.
  bool blocked() const noexcept {
    return state_.load(platform::acquire) != state::here;  // acquire: pairs with leave; the channel is read next
  }

  // -- the worker's

  /// The worker leaves. Every thread that asks it from now on finds it blocked; a request from before is seen by the
  /// next poll (BLOCKING-2).
  void leave() noexcept {
    state_.store(state::blocked, platform::release);  // pairs with begin_poll: all that is the worker's
    P::fence();  // BLOCKING-2; pairs with the fence in notify, which every sender calls, and in begin_interrupt
  }

  /// The worker comes back. If a proxy polls for it at this moment, wait(back) must return when back() is true
  /// (BLOCKING-5).
  template <class Wait>
  void come_back(Wait wait) {
    // acq_rel: pairs with begin_poll and end_poll.
    if (state_.exchange(state::returning, platform::acq_rel) == state::blocked) {
      state_.store(state::here, platform::relaxed);  // relaxed: no proxy begins while it says `returning`
    } else {
      wait([this] { return state_.load(platform::acquire) == state::here; });  // acquire: pairs with end_poll
    }
  }

  /// Whether a thread is about to interrupt the worker, which has left. The worker waits for that: the interrupt must
  /// not reach the thread inside the program's own call (BLOCKING-2).
  bool is_interrupted() const noexcept {
    return interrupters_.load(platform::acquire) != 0;
  }  // pairs with end_interrupt

  // -- of a thread that calls for it

  /// BLOCKING-3: true for the first call since the last end_call.
  // acq_rel: pairs with end_call; what was sent before the call is seen by the poll.
  bool begin_call() noexcept { return called_.exchange(1, platform::acq_rel) == 0; }

  // -- the proxy's

  void end_call() noexcept { called_.exchange(0, platform::acq_rel); }  // pairs with begin_call

  /// False if the worker is not blocked. Else all of the worker's own state is the proxy's, until end_poll.
  bool begin_poll() noexcept {
    auto found = state::blocked;
    // acquire: pairs with leave and with the last proxy. relaxed failure: nothing is read because of it.
    return state_.compare_exchange_strong(found, state::proxied, platform::acquire, platform::relaxed);
  }

  /// Returns whether the worker has come back meanwhile. Then it waits, and must be notified (BLOCKING-5).
  bool end_poll() noexcept {
    auto found = state::proxied;
    // release: pairs with the next proxy's exchange or the worker's.
    if (state_.compare_exchange_strong(found, state::blocked, platform::release, platform::relaxed)) return false;
    state_.store(state::here, platform::release);  // pairs with come_back
    return true;
  }

  // -- of a thread that interrupts the worker

  /// Whether the worker is present: then it does not leave before end_interrupt. end_interrupt must be called in any
  /// case.
  bool begin_interrupt() noexcept {
    interrupters_.fetch_add(1, platform::relaxed);  // relaxed: fenced
    P::fence();  // pairs with the fence in leave: one sees that the other is there
    return !blocked();
  }
  void end_interrupt() noexcept { interrupters_.fetch_sub(1, platform::release); }  // pairs with is_interrupted

 private:
  // Which thread may touch the worker's own state (BLOCKING-1).
  enum class state : std::uint32_t {
    here,  // the worker's
    blocked,  // none
    proxied,  // the proxy's
    returning,  // the proxy's, if there is one, until it gives it back; else the worker's
  };

  typename P::template atomic<state> state_{state::here};
  typename P::template atomic<std::uint32_t> called_{0};  // 1: the call is in the queue of proxies (BLOCKING-3)
  typename P::template atomic<std::uint32_t> interrupters_{0};  // threads about to interrupt the worker (BLOCKING-2)
};

}  // namespace leat::inline LEAT_ABI::handshake
