// Many senders, many receivers: a ring of tickets. Rules MPMC-1 to MPMC-7: docs/internals/channels.md.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "leat/channel/cell.hpp"
#include "leat/channel/sent.hpp"
#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::channels {

/// Bounded FIFO channel of many senders and many receivers. No call ever waits, but the channel is not lock-free: a
/// sender that stops between reserving a cell and filling it hides the messages behind it from receivers, and a receiver
/// that stops while emptying its cell makes the channel look full once the others have gone round (MPMC-5).
/// Paper: Prell, section 3.1 (MPMC channels; there with locks).
template <class P, class T>
class mpmc {
 public:
  /// Messages. Far above any bound that the runtime needs; keeps tickets clear of overflow.
  static constexpr std::size_t capacity_max = std::size_t{1} << 30;

  /// `capacity`: messages, 1 to capacity_max. `first_index`: where the tickets start, rounded down to the start of a
  /// lap; only tests care. Throws std::invalid_argument for any other capacity, std::bad_alloc.
  explicit mpmc(std::size_t capacity, std::uint64_t first_index = 0)
      : slots_(checked_capacity("mpmc", capacity, capacity_max)),
        lap_(std::uint64_t{2} * std::bit_ceil(capacity)),
        tail_(first_index & ~(lap_ - 1)),
        head_(first_index & ~(lap_ - 1)) {
    std::uint64_t ticket = first_index & ~(lap_ - 1);
    for (std::size_t i = 0; i < capacity; ++i, ticket += 2) ::new (static_cast<void*>(&slots_[i])) slot(ticket);
  }

  /// Drops the messages inside. Every other call must happen before.
  ~mpmc() {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      while (try_receive()) {
      }
    }
    if constexpr (!std::is_trivially_destructible_v<slot>) std::destroy_n(&slots_[0], slots_.size());
  }

  mpmc(const mpmc&) = delete;
  mpmc& operator=(const mpmc&) = delete;

  std::size_t capacity() const noexcept { return slots_.size(); }

  /// Any thread's. Moves from `message` only if the answer is ok. full means: the cell whose turn it is holds a
  /// message, or a receiver is still emptying it (MPMC-5). Repeats only when another sender has got ahead. One CAS if
  /// no other thread interferes; none if full or closed.
  sent try_send(T&& message) noexcept {
    // acquire, at every reading of tail_: pairs with the release in close and reopen.
    std::uint64_t ticket = tail_.load(platform::acquire);
    for (;;) {
      if (ticket & closed_bit) return sent::closed;
      slot& s = slots_[position(ticket)];
      // acquire: pairs with the release in try_receive; the cell's last message is out (MPMC-2).
      const std::uint64_t stamp = s.stamp.load(platform::acquire);
      if (stamp == ticket) {
        // It only deals out tickets; the stamps hand over the cells. seq_cst: pairs with empty (MPMC-7). acquire: as above.
        if (tail_.compare_exchange_weak(ticket, next(ticket), platform::seq_cst, platform::acquire)) {
          s.value.put(std::move(message));
          // release: pairs with the acquire in try_receive; the message is whole (MPMC-2).
          s.stamp.store(ticket | full_bit, platform::release);
          return sent::ok;
        }
      } else if ((stamp & ~full_bit) == ticket - lap_) {
        return sent::full;  // one lap behind: what was sent there is not out yet (MPMC-4)
      } else {
        ticket = tail_.load(platform::acquire);  // ours was old: another sender has used it (MPMC-4)
      }
    }
  }

  /// The same for a copy of `message`.
  sent try_send(const T& message) noexcept
    requires std::is_nothrow_copy_constructible_v<T>
  {
    return try_send(T(message));
  }

  /// Any thread's. The oldest message, or nothing if none is inside or the sender of the oldest has not finished
  /// (MPMC-5). Repeats only when another receiver has got ahead. One CAS if no other thread interferes; none if
  /// nothing is received.
  std::optional<T> try_receive() noexcept {
    // relaxed, at every reading of head_ here: it only deals out tickets; the stamps hand over the cells.
    std::uint64_t ticket = head_.load(platform::relaxed);
    for (;;) {
      slot& s = slots_[position(ticket)];
      // acquire: pairs with the release in try_send; the message is whole (MPMC-2).
      const std::uint64_t stamp = s.stamp.load(platform::acquire);
      if (stamp == (ticket | full_bit)) {
        // seq_cst: pairs with full (MPMC-7).
        if (head_.compare_exchange_weak(ticket, next(ticket), platform::seq_cst, platform::relaxed)) {
          std::optional<T> message = s.value.take();
          // release: pairs with the acquire in try_send; the cell is free for the next lap (MPMC-2).
          s.stamp.store(ticket + lap_, platform::release);
          return message;
        }
      } else if (stamp == ticket || (stamp & ~full_bit) == ticket - lap_) {
        return std::nullopt;  // not filled yet, or not even emptied of what was sent a lap ago (MPMC-4)
      } else {
        ticket = head_.load(platform::relaxed);  // ours was old: another receiver has used it (MPMC-4)
      }
    }
  }

  /// Any thread's: tickets that senders have drawn and receivers have not, between 0 and the capacity; near the truth
  /// while the caller asked. Messages that are still being written count.
  std::size_t size() const noexcept {
    // relaxed: two numbers that others change need no order; what cannot be is clamped.
    const std::uint64_t head = head_.load(platform::relaxed);
    const std::uint64_t tail = tail_.load(platform::relaxed) & ~closed_bit;
    const std::uint64_t ahead = tail - head;
    if (ahead == 0 || ahead >> 63 != 0) return 0;
    const std::uint64_t laps = (tail & ~(lap_ - 1)) - (head & ~(lap_ - 1));
    if (laps > lap_) return slots_.size();
    const std::size_t beyond = laps == 0 ? 0 : slots_.size();
    return std::min(position(tail) + beyond - position(head), slots_.size());
  }

  /// Any thread's: at one moment of the call every ticket of a sender had been drawn by a receiver, too (MPMC-7).
  bool empty() const noexcept {
    // seq_cst, head before tail: the tail is not behind its head, so a tail that is equal was so when it was read.
    const std::uint64_t head = head_.load(platform::seq_cst);
    return (tail_.load(platform::seq_cst) & ~closed_bit) == head;
  }

  /// Any thread's: at one moment of the call as many tickets as there are cells were ahead of the receivers' (MPMC-7).
  bool full() const noexcept {
    // seq_cst, tail before head: a head that is still a lap behind was so when the tail was read.
    const std::uint64_t tail = tail_.load(platform::seq_cst) & ~closed_bit;
    return tail - head_.load(platform::seq_cst) == lap_;
  }

  /// Any thread's: no message gets a ticket after this; those that had one are received (MPMC-6). One
  /// read-modify-write.
  void close() noexcept {
    // seq_cst: releases to threads that see it closed, and pairs with closed (MPMC-7).
    tail_.fetch_or(closed_bit, platform::seq_cst);
  }

  /// Any thread's: lets senders send again. Messages inside stay. One read-modify-write.
  void reopen() noexcept {
    tail_.fetch_and(~closed_bit, platform::release);  // release: pairs with the acquire in try_send
  }

  /// Any thread's: it was so a moment ago.
  bool closed() const noexcept {
    return (tail_.load(platform::seq_cst) & closed_bit) != 0;  // seq_cst: pairs with close (MPMC-7)
  }

  /// Any thread's: the channel is closed, and some receiver has drawn the ticket of every message, so nothing is left
  /// to receive until reopen(). Receivers that drain ask this: try_receive() alone may be empty-handed because a
  /// sender is still writing. It does not say that the other receivers' calls have returned.
  bool drained() const noexcept {
    const std::uint64_t tail = tail_.load(platform::acquire);  // acquire: pairs with the release in close
    if (!(tail & closed_bit)) return false;
    // relaxed: a closed tail stands still, and head_ reaches it once.
    return head_.load(platform::relaxed) == (tail & ~closed_bit);
  }

 private:
  template <class U>
  using atomic = typename P::template atomic<U>;

  // A ticket, from the lowest bit: one bit of flag, a position in the ring, a lap. The flag of tail_ is closed; that of
  // a stamp is full (MPMC-1, MPMC-3).
  static constexpr std::uint64_t closed_bit = 1;
  static constexpr std::uint64_t full_bit = 1;

  struct slot {
    explicit slot(std::uint64_t ticket) noexcept : stamp(ticket) {}
    atomic<std::uint64_t> stamp;
    cell<T> value;
  };

  std::size_t position(std::uint64_t ticket) const noexcept {
    return static_cast<std::size_t>((ticket & (lap_ - 1)) >> 1);
  }

  // The lap is a power of two even if the capacity is not, so that tickets run on smoothly when they wrap around
  // (MPMC-3).
  std::uint64_t next(std::uint64_t ticket) const noexcept {
    return position(ticket) + 1 < slots_.size() ? ticket + 2 : (ticket & ~(lap_ - 1)) + lap_;
  }

  const room<slot> slots_;
  const std::uint64_t lap_;

  alignas(platform::cache_line) atomic<std::uint64_t> tail_;  // the senders' line
  alignas(platform::cache_line) atomic<std::uint64_t> head_;  // the receivers' line
};

}  // namespace leat::inline LEAT_ABI::channels
