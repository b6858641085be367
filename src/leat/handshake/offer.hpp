// A worker's offer to the manager: one word between the worker, which waits, and the combiner.
//
// Rules, cited in the code:
//  OFFER-1  A worker makes one offer at a time. It makes the next one when the combiner has dealt with the last.
//  OFFER-2  While the worker waits, a request is handed to it in the offer itself: the worker is the holder as soon as
//      the word says so. If the worker has given up, the request goes to its channel. One exchange on the word decides.
//  OFFER-3  A worker that has given up, and closed its channel since or is outside (PRIMARY-2), has nothing to give: its
//      offer is void, and it is not woken. When it opens its channel, or a thread comes inside, it may offer anew. If it
//      may not yet (OFFER-1) and sleeps, the combiner that ends its offer sees the channel open: both sides fence between
//      their write and their read.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "leat/platform/order.hpp"
#include "leat/protocol/request.hpp"

namespace leat::inline LEAT_ABI::handshake {

template <class P>
class offer {
 public:
  /// Checks of a worker on its offer before it gives up: the combiner may be preempted.
  static constexpr int checks_max = 256;

  enum class outcome : std::uint8_t {
    met,  ///< the worker holds the request that is in handed()
    nothing,  ///< no pooled request wants its tasks
    given_up,  ///< the combiner has not dealt with it yet
  };

  // -- the worker's

  /// Whether no offer is out (OFFER-1).
  bool may_be_made() const noexcept { return word_.load(platform::relaxed) == state::none; }  // relaxed: as in wait

  /// To be called before the manager is told.
  void make() noexcept { word_.store(state::out, platform::relaxed); }  // relaxed: travels with the message

  /// To be called after that. Gives up as soon as request_pending() is true: a worker that waits here answers no thief.
  template <class Pending>
  outcome wait(Pending request_pending) noexcept {
    state found = state::out;
    for (int i = 0; i < checks_max && !request_pending(); ++i) {
      found = word_.load(platform::acquire);  // acquire: pairs with meet and end
      if (found != state::out) return answered(found);
      P::yield();
    }
    // acq_rel, acquire: pairs with meet and end. One of the two exchanges comes later and sees the other.
    if (word_.compare_exchange_strong(found, state::given_up, platform::acq_rel, platform::acquire))
      return outcome::given_up;
    return answered(found);
  }

  const protocol::request& handed() const noexcept { return handed_; }

  // -- the combiner's

  /// Whether the worker has given up. A hint as long as it is false.
  bool given_up() const noexcept {
    return word_.load(platform::acquire) == state::given_up;
  }  // acquire: pairs with wait

  /// Hands the request over. False if the worker has given up (OFFER-2).
  bool meet(const protocol::request& s) noexcept {
    // Written before the exchange: the worker reads it as soon as the word says `met`. Of a worker that has given up
    // no thread reads it.
    handed_ = s;
    state found = state::out;
    // acq_rel: pairs with wait, and publishes handed_.
    met_ = word_.compare_exchange_strong(found, state::met, platform::acq_rel, platform::relaxed);
    return met_;
  }

  /// The offer has been dealt with. Returns its outcome as the worker sees it.
  outcome end() noexcept {
    // Not read from the word: after `met` the worker may have made the next offer already.
    if (std::exchange(met_, false)) return outcome::met;  // the word is the worker's again
    const state found = word_.exchange(state::none, platform::acq_rel);  // pairs with wait
    return found == state::given_up ? outcome::given_up : outcome::nothing;
  }

 private:
  enum class state : std::uint32_t { none, out, met, given_up };

  outcome answered(state found) noexcept {
    if (found != state::met) return outcome::nothing;
    word_.store(state::none, platform::relaxed);  // relaxed: the combiner reads it after the next message
    return outcome::met;
  }

  alignas(platform::cache_line) typename P::template atomic<state> word_{state::none};
  bool met_ = false;  // the combiner's
  protocol::request handed_;
};

}  // namespace leat::inline LEAT_ABI::handshake
