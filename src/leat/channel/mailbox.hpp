// Many senders, and no receiver but them: a thread that sends into an empty mailbox receives until it is empty again.
// Rules MAILBOX-1 to MAILBOX-6: docs/internals/channels.md.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "leat/channel/cell.hpp"
#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::channels {

/// Bounded FIFO channel that feeds an actor without a thread. One read-modify-write of one shared word gives a
/// message its place and tells whether another thread receives; no sender tries twice. The price (MAILBOX-6): a
/// sender that stops inside a call hides the messages that were sent after its own until it goes on.
template <class P, class T>
class mailbox {
 public:
  /// Messages.
  static constexpr std::size_t capacity_max = std::size_t{1} << 30;

  /// `capacity`: messages, 1 to capacity_max; there is room for the next power of two, a cache line each or more.
  /// `first_ticket`: where counting starts; only tests care. Throws std::invalid_argument for any other capacity,
  /// std::bad_alloc.
  explicit mailbox(std::size_t capacity, std::uint32_t first_ticket = 0)
      : places_(std::bit_ceil(checked_capacity("mailbox", capacity, capacity_max))),
        word_(std::uint64_t{first_ticket} << ticket_shift),
        head_(first_ticket) {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const std::uint32_t ticket = first_ticket + static_cast<std::uint32_t>(i);
      ::new (static_cast<void*>(&place_of(ticket))) place;
      place_of(ticket).stamp.store(stamp_of(ticket, state::empty),
                                   platform::relaxed);  // relaxed: no other thread is here yet
    }
  }

  /// Drops the messages inside. Every other call must happen before.
  ~mailbox() {
    while (receive()) {
    }
    std::destroy_n(&places_[0], places_.size());
  }

  mailbox(const mailbox&) = delete;
  mailbox& operator=(const mailbox&) = delete;

  std::size_t capacity() const noexcept { return places_.size(); }

  /// Any thread's but the receiver's. True: the caller is the receiver now, and is to call receive() until that says
  /// that nothing is left, or to let another thread do so. Two read-modify-writes. Where there is no room it yields
  /// until the receiver has made some (MAILBOX-5).
  [[nodiscard]] bool send(T message) noexcept {
    // acquire: pairs with the release in receive; a sender that finds no message there has what the last receiver
    // left (MAILBOX-2).
    const std::uint64_t word = word_.fetch_add(one_ticket + one_message, platform::acquire);
    const auto ticket = static_cast<std::uint32_t>(word >> ticket_shift);
    place& mine = place_of(ticket);
    // acquire: pairs with the release in receive; what lay here a lap ago has been taken (MAILBOX-3).
    while (ticket_of(mine.stamp.load(platform::acquire)) != ticket) P::yield();
    mine.message.put(std::move(message));
    // release: pairs with the acquires in receive, for the message. acquire: pairs with the exchange there; a sender
    // that finds its message awaited has what that receiver left (MAILBOX-4).
    const std::uint64_t found = mine.stamp.exchange(stamp_of(ticket, state::full), platform::acq_rel);
    if (count_of(word) != 0) return found == stamp_of(ticket, state::awaited);
    known_ = 1;
    return true;
  }

  /// The receiver's. The oldest message; or nothing: then the caller is the receiver no longer. One read-modify-write for all
  /// the messages that came since the last one; one more where it leaves while a message is on its way.
  std::optional<T> receive() noexcept {
    if (received_ == known_ && !check_again()) return std::nullopt;
    place& oldest = place_of(head_);
    const std::uint64_t full = stamp_of(head_, state::full);
    // acquire: pairs with the exchange in send, for the message.
    if (oldest.stamp.load(platform::acquire) != full) {
      // release: pairs with the exchange in send, for what this receiver leaves; acquire: the message has come
      // meanwhile (MAILBOX-4).
      if (oldest.stamp.exchange(stamp_of(head_, state::awaited), platform::acq_rel) != full) return std::nullopt;
    }
    std::optional<T> message = oldest.message.take();
    const auto next_lap = static_cast<std::uint32_t>(head_ + places_.size());
    ++head_;
    ++received_;
    oldest.stamp.store(stamp_of(next_lap, state::empty), platform::release);  // pairs with the load in send (MAILBOX-3)
    return message;
  }

 private:
  enum class state : std::uint64_t {
    empty,
    awaited,  // the receiver was here, and has left its part to the sender that brings the message
    full,
  };

  // A line each, so that senders that come one after the other do not share one.
  struct alignas(platform::cache_line) alignas(cell<T>) place {
    cell<T> message;
    typename P::template atomic<std::uint64_t> stamp;  // the ticket whose turn it is, and its state
  };

  // word_: the next ticket, and how many messages the receiver has not counted off, 32 bits each. Tickets wrap around.
  static constexpr unsigned ticket_shift = 32;
  static constexpr std::uint64_t one_ticket = std::uint64_t{1} << ticket_shift;
  static constexpr std::uint64_t one_message = 1;
  static constexpr unsigned state_bits = 2;

  static std::uint32_t count_of(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word); }
  static std::uint64_t stamp_of(std::uint32_t ticket, state s) noexcept {
    return std::uint64_t{ticket} << state_bits | static_cast<std::uint64_t>(s);
  }
  static std::uint32_t ticket_of(std::uint64_t stamp) noexcept {
    return static_cast<std::uint32_t>(stamp >> state_bits);
  }
  place& place_of(std::uint32_t ticket) const noexcept { return places_[ticket & (places_.size() - 1)]; }

  // Counts off what was received. False: nothing has come since, and the next sender is the receiver.
  bool check_again() noexcept {
    const std::uint32_t gone = std::exchange(received_, 0);
    known_ = 0;
    // release: pairs with the acquire in send (MAILBOX-2). A count is all that is read here, so no acquire.
    const std::uint32_t left = count_of(word_.fetch_sub(gone, platform::release)) - gone;
    if (left == 0) return false;  // from here on nothing of the receiver's may be touched
    known_ = left;
    return true;
  }

  const room<place> places_;

  alignas(platform::cache_line) typename P::template atomic<std::uint64_t> word_;

  // The receiver's.
  alignas(platform::cache_line) std::uint32_t head_;  // the ticket of the oldest message
  std::uint32_t known_ = 0;  // messages that were there when it counted last
  std::uint32_t received_ = 0;  // of these; not counted off yet
};

}  // namespace leat::inline LEAT_ABI::channels
