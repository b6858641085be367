// A worker's request while it is out: which worker may touch it, and how the thief takes it back (REQUEST-3,
// docs/internals/protocol.md).
#pragma once

#include <cstdint>
#include <optional>

#include "leat/platform/order.hpp"
#include "leat/protocol/request.hpp"

namespace leat::inline LEAT_ABI::handshake {

/// Each posting of the request has a number, its serial. The word shows the serial that is valid; or `held` while a
/// holder deals with the request, or none is out; or `pooled` while the manager keeps it, and afterwards until the next
/// posting: while a worker holds it to which it was handed in an offer, or when it has been answered.
/// The worker that turns the word from a serial to `held` is the holder. It sees all that the last holder wrote: the
/// request, and its thief's victims.
template <class P>
class ownership {
 public:
  static constexpr std::uint64_t first_serial = 2;

  // -- the holder's

  /// Makes the request valid again under a new serial, as the message that is about to be sent.
  void post(protocol::request& s) noexcept {
    s.serial += 1;
    posted_ = s;
    word_.store(s.serial, platform::release);  // pairs with open and take_back: publishes posted_ and the victims
  }

  /// For the manager: it keeps the request.
  void show_pooled() noexcept {
    word_.store(pooled, platform::relaxed);  // relaxed: the thief learns only that it may sleep
  }

  // -- the receiver's

  /// Makes the caller the holder. False if the thief has taken the request back.
  bool open(std::uint64_t serial) noexcept {
    // acquire: pairs with post. relaxed failure: nothing is read because of it.
    return word_.compare_exchange_strong(serial, held, platform::acquire, platform::relaxed);
  }

  // -- the thief's; hints, but for take_back

  // relaxed, all: nothing is read because of it.
  bool is_held() const noexcept { return word_.load(platform::relaxed) == held; }
  bool is_pooled() const noexcept { return word_.load(platform::relaxed) == pooled; }

  /// Whether the request lies unopened with a worker, or in the manager's inbox.
  bool lies_unopened() const noexcept { return word_.load(platform::relaxed) >= first_serial; }

  /// Makes the thief the holder of its request, as the last holder left it, if it lies unopened. Else returns
  /// nothing.
  std::optional<protocol::request> take_back() noexcept {
    const std::uint64_t serial = word_.load(platform::relaxed);
    if (serial < first_serial || !open(serial)) return std::nullopt;
    return posted_;
  }

  /// The request as it was last posted. The holder's, and the thief's when it has none out.
  const protocol::request& posted() const noexcept { return posted_; }

 private:
  static constexpr std::uint64_t held = 0;
  static constexpr std::uint64_t pooled = 1;

  alignas(platform::cache_line) typename P::template atomic<std::uint64_t> word_{held};
  protocol::request posted_;
};

}  // namespace leat::inline LEAT_ABI::handshake
