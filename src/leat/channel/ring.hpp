// One sender, one receiver, and any thread that closes: a ring whose indices change by read-modify-writes, so that a side
// that is about to sleep is seen. Rules RING-1 to RING-5: docs/internals/channels.md.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "leat/channel/cell.hpp"
#include "leat/channel/sent.hpp"
#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::channels {

/// Bounded FIFO channel of one sender and one receiver, wait-free on both sides. Where spsc makes a store, it makes a
/// read-modify-write, which costs less than the fence that its users would need before they search for sleepers. Senders may
/// change over time, and so may receivers, if each one's calls happen before the next one's.
template <class P, class T>
class ring {
 public:
  /// Messages.
  static constexpr std::size_t capacity_max = std::size_t{1} << 30;

  /// `capacity`: messages, 1 to capacity_max. `first_index`: where counting starts; only tests care.
  /// Throws std::invalid_argument for any other capacity, std::bad_alloc.
  explicit ring(std::size_t capacity, std::uint64_t first_index = 0)
      : cells_(std::bit_ceil(checked_capacity("ring", capacity, capacity_max))),
        filled_(capacity * step),
        tail_(first_index & ~closed_bit),
        head_seen_(first_index & ~closed_bit),
        head_(first_index & ~closed_bit),
        tail_seen_(first_index & ~closed_bit) {}

  /// Drops the messages inside. Every other call must happen before.
  ~ring() {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      while (try_receive()) {
      }
    }
  }

  ring(const ring&) = delete;
  ring& operator=(const ring&) = delete;

  std::size_t capacity() const noexcept { return filled_ / step; }

  /// The sender's. Moves from `message`, and back again if the channel is closed meanwhile; so the sender still has it
  /// unless the answer is ok. One CAS; none if full, or closed before the call.
  sent try_send(T&& message) noexcept {
    // acquire: pairs with the release in reopen, so that a sender let in again comes after the receiver's reopen.
    std::uint64_t tail = tail_.load(platform::acquire);
    if (tail & closed_bit) return sent::closed;
    if (tail - head_seen_ == filled_) {
      // seq_cst: pairs with the exchange in try_receive; the receiver is done with the cells before its head (RING-2). And
      // full is an answer about a moment of this call, in the one order of all threads (RING-4).
      head_seen_ = head_.load(platform::seq_cst);
      if (tail - head_seen_ == filled_) return sent::full;
    }
    cell<T>& at_tail = at(tail);
    at_tail.put(std::move(message));
    // seq_cst: releases the cell to the receiver (RING-2), and pairs with empty (RING-4). Only closing makes it fail
    // (RING-3). acquire failure: pairs with close.
    if (tail_.compare_exchange_strong(tail, tail + step, platform::seq_cst, platform::acquire)) return sent::ok;
    at_tail.give_back(message);
    return sent::closed;
  }

  /// The same for a copy of `message`.
  sent try_send(const T& message) noexcept
    requires std::is_nothrow_copy_constructible_v<T>
  {
    return try_send(T(message));
  }

  /// The receiver's. The oldest message, or nothing if none was inside at a moment of the call. One exchange; none if
  /// nothing is received.
  std::optional<T> try_receive() noexcept {
    // relaxed: only the receiver writes head_, and receivers come one after the other.
    const std::uint64_t head = head_.load(platform::relaxed);
    if (head == tail_seen_) {
      // seq_cst: pairs with the CAS in try_send; the message in the cell is whole (RING-2). And nothing is an answer about a
      // moment of this call (RING-4).
      tail_seen_ = tail_.load(platform::seq_cst) & ~closed_bit;
      if (head == tail_seen_) return std::nullopt;
    }
    std::optional<T> message = at(head).take();
    // seq_cst: releases the cell to the sender (RING-2), and pairs with full (RING-4).
    head_.exchange(head + step, platform::seq_cst);
    return message;
  }

  /// Any thread's: no message was inside at one moment of the call (RING-4).
  bool empty() const noexcept {
    // seq_cst, head before tail: the tail is not behind its head, so a tail that is equal was so when it was read.
    const std::uint64_t head = head_.load(platform::seq_cst);
    return (tail_.load(platform::seq_cst) & ~closed_bit) == head;
  }

  /// Any thread's: there was no room at one moment of the call (RING-4).
  bool full() const noexcept {
    // seq_cst, tail before head: a head that is still a ring behind was so when the tail was read.
    const std::uint64_t tail = tail_.load(platform::seq_cst) & ~closed_bit;
    return tail - head_.load(platform::seq_cst) == filled_;
  }

  /// Any thread's: messages inside, between 0 and the capacity; near the truth while the caller asked.
  std::size_t size() const noexcept {
    // acquire, head before tail: a thread that sees this head sees a tail that is not behind it.
    const std::uint64_t head = head_.load(platform::acquire);
    const std::uint64_t ahead = (tail_.load(platform::acquire) & ~closed_bit) - head;
    return static_cast<std::size_t>((ahead < filled_ ? ahead : filled_) / step);
  }

  /// Any thread's: no send succeeds after this (RING-3). One read-modify-write.
  void close() noexcept {
    // seq_cst: releases to threads that see it closed, and pairs with closed (RING-4).
    tail_.fetch_or(closed_bit, platform::seq_cst);
  }

  /// Any thread's.
  bool closed() const noexcept {
    return (tail_.load(platform::seq_cst) & closed_bit) != 0;  // seq_cst: pairs with close (RING-4)
  }

  /// Any thread's: closed, and everything sent has been received, so nothing comes out until reopen().
  bool drained() const noexcept { return closed() && empty(); }

  /// Any thread's: lets the sender send again (RING-5). One read-modify-write.
  void reopen() noexcept {
    tail_.fetch_and(~closed_bit, platform::release);  // release: pairs with the acquire in try_send
  }

 private:
  template <class U>
  using atomic = typename P::template atomic<U>;

  // An index counts in steps of 2, so that the tail has a bit that says closed, and all 64 bits wrap around (RING-1).
  static constexpr std::uint64_t closed_bit = 1;
  static constexpr std::uint64_t step = 2;

  cell<T>& at(std::uint64_t index) const noexcept { return cells_[(index / step) & (cells_.size() - 1)]; }

  // Never written.
  const room<cell<T>> cells_;
  const std::uint64_t filled_;  // how far the tail is ahead of the head when there is no room

  // The sender's line. head_seen_ is behind head_ or equal.
  alignas(platform::cache_line) atomic<std::uint64_t> tail_;
  std::uint64_t head_seen_;

  // The receiver's line. tail_seen_ is behind tail_ or equal.
  alignas(platform::cache_line) atomic<std::uint64_t> head_;
  std::uint64_t tail_seen_;
};

}  // namespace leat::inline LEAT_ABI::channels
