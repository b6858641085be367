// Whether an idle worker that is awake is called to combine for another thread. Rule ACTOR-5 of
// combining_manager.hpp.
#pragma once

#include <cstdint>

#include "leat/handshake/parker.hpp"
#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::handshake {

template <class P>
class relief {
 public:
  // -- the worker's

  /// The worker may be called from now on, until end(). It must be inside the runtime, and send no message itself.
  void stand_by() noexcept {
    word_.store(state::stands_by, platform::relaxed);  // relaxed: nothing is read because of it
  }

  /// A hint.
  bool is_called() const noexcept { return word_.load(platform::relaxed) == state::called; }  // relaxed: a hint

  /// Returns whether the worker was called: it is the combiner from here on.
  bool end() noexcept { return word_.exchange(state::busy, platform::acquire) == state::called; }  // pairs with call

  // -- the combiner's

  /// Makes the worker the combiner, which waits by this parker. False if it sleeps, or does not stand by.
  bool call(parker<P>& by) noexcept {
    auto found = state::stands_by;
    // acq_rel: pairs with end; hands over the combiner's state. relaxed failure: nothing is handed over.
    if (by.sleeps() || !word_.compare_exchange_strong(found, state::called, platform::acq_rel, platform::relaxed))
      return false;
    by.notify();
    return true;
  }

 private:
  enum class state : std::uint32_t { busy, stands_by, called };

  typename P::template atomic<state> word_{state::busy};
};

}  // namespace leat::inline LEAT_ABI::handshake
