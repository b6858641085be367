// One sender, one receiver: a ring in which neither ever waits for the other. Rules SPSC-1 to SPSC-6:
// docs/internals/channels.md.
#pragma once

#include <algorithm>
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

/// Bounded FIFO channel of one sender and one receiver, wait-free on both sides, without any read-modify-write.
/// Senders may change over time, and so may receivers, if each one's calls happen before the next one's (SPSC-1).
/// Paper: Prell, section 3.1.3 (listing 3.1, with fences narrowed to release and acquire, and cached indices).
template <class P, class T>
class spsc {
 public:
  /// Messages. Far above any bound that the runtime needs; keeps sizes and indices clear of overflow.
  static constexpr std::size_t capacity_max = std::size_t{1} << 30;

  /// `capacity`: messages, 1 to capacity_max. `first_index`: where counting starts; only tests care.
  /// Throws std::invalid_argument for any other capacity, std::bad_alloc.
  explicit spsc(std::size_t capacity, std::uint64_t first_index = 0)
      : cells_(std::bit_ceil(checked_capacity("spsc", capacity, capacity_max))),
        capacity_(capacity),
        closed_(0),
        tail_(first_index),
        head_seen_(first_index),
        head_(first_index),
        tail_seen_(first_index) {}

  /// Drops the messages inside. Every call of every side must happen before.
  ~spsc() {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      const std::uint64_t tail = tail_.load(platform::relaxed);  // relaxed: no other thread is here any more
      for (std::uint64_t i = head_.load(platform::relaxed); i != tail; ++i) at(i).drop();
    }
  }

  spsc(const spsc&) = delete;
  spsc& operator=(const spsc&) = delete;

  std::size_t capacity() const noexcept { return capacity_; }

  /// The sender's. Moves from `message` only if the answer is ok. Wait-free; two loads and a store of atomics, and one
  /// more load when the ring looks full.
  sent try_send(T&& message) noexcept {
    // acquire: pairs with the release in reopen, so that a sender let in again is ordered after the receiver's reopen.
    if (closed_.load(platform::acquire) != 0) return sent::closed;
    // relaxed: only the sender writes tail_, and senders are ordered (SPSC-1).
    const std::uint64_t tail = tail_.load(platform::relaxed);
    if (tail - head_seen_ == capacity_) {
      // acquire: pairs with the release in try_receive; the receiver is done with the cells before its head (SPSC-3).
      head_seen_ = head_.load(platform::acquire);
      if (tail - head_seen_ == capacity_) return sent::full;
    }
    at(tail).put(std::move(message));
    // release: pairs with the acquires in try_receive, drained and size; the cell is the receiver's from here on
    // (SPSC-3).
    tail_.store(tail + 1, platform::release);
    return sent::ok;
  }

  /// The same for a copy of `message`.
  sent try_send(const T& message) noexcept
    requires std::is_nothrow_copy_constructible_v<T>
  {
    return try_send(T(message));
  }

  /// The receiver's. The oldest message, or nothing if none is inside. Wait-free; a load and a store of atomics, and one
  /// more load when the ring looks empty.
  std::optional<T> try_receive() noexcept {
    // relaxed: only the receiver writes head_, and receivers are ordered (SPSC-1).
    const std::uint64_t head = head_.load(platform::relaxed);
    if (head == tail_seen_) {
      // acquire: pairs with the release in try_send; the message in the cell is whole (SPSC-3).
      tail_seen_ = tail_.load(platform::acquire);
      if (head == tail_seen_) return std::nullopt;
    }
    std::optional<T> message = at(head).take();
    // release: pairs with the acquire in try_send; the cell is the sender's from here on (SPSC-3).
    head_.store(head + 1, platform::release);
    return message;
  }

  /// Any thread's: messages inside. Never too few when the sender asks, never too many when the receiver asks, and
  /// for others a number between 0 and the capacity that was near the truth while they asked.
  std::size_t size() const noexcept {
    // acquire, head before tail: a thread that sees this head sees a tail that is not behind it, since the receiver
    // had seen one.
    const std::uint64_t head = head_.load(platform::acquire);
    const std::uint64_t tail = tail_.load(platform::acquire);
    return static_cast<std::size_t>(std::min<std::uint64_t>(tail - head, capacity_));
  }

  /// The sender's: no more messages from here on. What is inside will still be received. Must not race with reopen():
  /// a sender does not close again what it has not yet seen reopened (SPSC-5).
  void close() noexcept {
    // release: pairs with the acquire in drained; a receiver that sees closed sees every message sent before
    // (SPSC-5).
    closed_.store(1, platform::release);
  }

  /// Any thread's.
  bool closed() const noexcept { return closed_.load(platform::acquire) != 0; }  // acquire: pairs with close

  /// The receiver's: the channel is closed and everything sent has been received; nothing more comes until reopen().
  bool drained() const noexcept {
    // The order decides: a tail read before closed_ could miss a message sent in between (SPSC-5).
    if (closed_.load(platform::acquire) == 0) return false;  // acquire: pairs with the release in close
    // relaxed: close() came after the last store of tail_ and we have seen close(); head_ is the caller's own.
    return tail_.load(platform::relaxed) == head_.load(platform::relaxed);
  }

  /// The receiver's, and only when drained(): lets the sender send again (SPSC-6). A try_send that does not happen
  /// after it may still be answered with closed.
  void reopen() noexcept {
    closed_.store(0, platform::release);  // release: pairs with the acquire in try_send
  }

 private:
  template <class U>
  using atomic = typename P::template atomic<U>;

  // The room is a power of two so that positions run on smoothly when the index wraps around (SPSC-4).
  cell<T>& at(std::uint64_t index) const noexcept { return cells_[index & (cells_.size() - 1)]; }

  // Written never or seldom.
  const room<cell<T>> cells_;
  const std::size_t capacity_;
  atomic<std::uint32_t> closed_;

  // The sender's line. head_seen_ is behind head_ or equal (SPSC-2).
  alignas(platform::cache_line) atomic<std::uint64_t> tail_;
  std::uint64_t head_seen_;

  // The receiver's line. tail_seen_ is behind tail_ or equal (SPSC-2).
  alignas(platform::cache_line) atomic<std::uint64_t> head_;
  std::uint64_t tail_seen_;
};

}  // namespace leat::inline LEAT_ABI::channels
