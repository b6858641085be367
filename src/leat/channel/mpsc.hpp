// Many senders, one receiver: no sender ever waits for another, nor the receiver for them. Rules MPSC-1 to MPSC-8:
// docs/internals/channels.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "leat/channel/cell.hpp"
#include "leat/channel/sent.hpp"
#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::channels {

/// Bounded FIFO channel of many senders and one receiver, lock-free on both sides: a thread that stops anywhere
/// inside a call delays no other one. Receivers may change over time if each one's calls happen before the next one's
/// (MPSC-1). Closing is exact: after close() returns, no try_send succeeds (MPSC-6).
/// Paper: Prell, section 3.1 (MPSC channels; there with a lock on the sending side).
template <class P, class T>
class mpsc {
 public:
  /// Messages. A cell's number has 16 bits, of which one pattern means "none" (MPSC-2).
  static constexpr std::size_t capacity_max = 0xffff;

  /// `capacity`: messages, 1 to capacity_max. `first_tag`: where the 48-bit count of returned cells starts; only tests
  /// care. The memory of a cell is not touched before it is needed: a channel costs the cells it ever used at a time.
  /// Throws std::invalid_argument for any other capacity, std::bad_alloc.
  explicit mpsc(std::size_t capacity, std::uint64_t first_tag = 0)
      : nodes_(checked_capacity("mpsc", capacity, capacity_max)),
        free_(none | first_tag << tag_shift),
        fresh_(0),
        inbox_(none),
        first_(none),
        waiting_(0) {}

  /// Drops the messages inside. Every other call must happen before.
  ~mpsc() {
    if constexpr (!std::is_trivially_destructible_v<T>) {
      while (try_receive()) {
      }
    }
    if constexpr (!std::is_trivially_destructible_v<node>) {
      // relaxed: no other thread is here any more
      for (std::size_t i = 0, used = fresh_.load(platform::relaxed); i < used; ++i) nodes_[i].~node();
    }
  }

  mpsc(const mpsc&) = delete;
  mpsc& operator=(const mpsc&) = delete;

  std::size_t capacity() const noexcept { return nodes_.size(); }

  /// Any thread's. Moves from `message` only if the answer is ok (`message` may travel into a cell and back when the
  /// channel is closed meanwhile). Lock-free. full means: every cell holds a message or is in the hands of a call
  /// that has not returned (MPSC-5). Two CAS if no other thread interferes; none if full, or closed beforehand.
  sent try_send(T&& message) noexcept {
    // acquire, here and when the CAS fails: pairs with the release in close and reopen.
    std::uint64_t word = inbox_.load(platform::acquire);
    if (word & closed_bit) return sent::closed;
    const std::uint32_t mine = take_cell();
    if (mine == none) return sent::full;
    node& n = nodes_[mine];
    n.value.put(std::move(message));
    do {
      if (word & closed_bit) {
        n.value.give_back(message);
        give_back_cell(mine);
        return sent::closed;
      }
      // relaxed: published by the CAS.
      n.next.store(index_of(word), platform::relaxed);
      // release: pairs with the acquire in collect; every later push and the exchange itself are read-modify-writes, so
      // they carry it on. acquire: see above; what fails may not be ordered more than what succeeds (gcc 12).
      // No tag: whatever lies under the top is the business of the top's own link (MPSC-4).
    } while (!inbox_.compare_exchange_weak(word, pack(mine, count_of(word) + 1), platform::acq_rel, platform::acquire));
    return sent::ok;
  }

  /// The same for a copy of `message`.
  sent try_send(const T& message) noexcept
    requires std::is_nothrow_copy_constructible_v<T>
  {
    return try_send(T(message));
  }

  /// The receiver's. The oldest message, in the order in which the senders' last CAS succeeded, or nothing if none is
  /// inside. Lock-free: it repeats a CAS only if a sender has just taken or returned a cell. One CAS, and one exchange
  /// for all the messages that came since the last; none if nothing is inside.
  std::optional<T> try_receive() noexcept {
    if (first_ == none && !collect()) return std::nullopt;
    const std::uint32_t oldest = first_;
    node& n = nodes_[oldest];
    // relaxed: collect() wrote it, which is ordered before us (MPSC-1).
    first_ = n.next.load(platform::relaxed);
    set_waiting(waiting_.load(platform::relaxed) - 1);
    std::optional<T> message = n.value.take();
    give_back_cell(oldest);
    return message;
  }

  /// Any thread's: messages inside. Never too many when the receiver asks. Others get a number between 0 and the
  /// capacity, which may miss messages while the receiver moves them from the inbox to its own list.
  std::size_t size() const noexcept {
    // relaxed, acquire: two numbers that do not belong together need no order; acquire as in empty().
    const std::size_t sum = waiting_.load(platform::relaxed) + count_of(inbox_.load(platform::acquire));
    return std::min(sum, nodes_.size());
  }

  /// The receiver's: nothing is inside. With a fence on both sides it decides whether to park (the sender sends, fences,
  /// looks for a parked receiver; the receiver says that it parks, fences, looks here). A hint for other threads.
  bool empty() const noexcept { return size() == 0; }

  /// The receiver's, exactly: a message is inside. One load, where size() takes two.
  bool has_message() const noexcept {
    // relaxed: only whether something is there, as in collect().
    return first_ != none || index_of(inbox_.load(platform::relaxed)) != none;
  }

  /// The receiver's: no try_send succeeds after this returns; each one that succeeded before will be received (MPSC-6).
  /// One read-modify-write.
  void close() noexcept {
    // release: pairs with the acquires of threads that see the channel closed.
    inbox_.fetch_or(closed_bit, platform::release);
  }

  /// The receiver's: lets senders send again. Messages inside stay. One read-modify-write.
  void reopen() noexcept {
    // release: pairs with the acquire in try_send.
    inbox_.fetch_and(~closed_bit, platform::release);
  }

  /// Any thread's. Exact for the receiver; for others it was so a moment ago.
  bool closed() const noexcept {
    return (inbox_.load(platform::acquire) & closed_bit) != 0;  // acquire: pairs with the release in close
  }

 private:
  template <class U>
  using atomic = typename P::template atomic<U>;

  struct node {
    cell<T> value;
    // The cell beneath in the inbox, after in the receiver's list, or beneath on the free stack; none at the end.
    // Atomic because a sender that is too late to take a free cell may still read its link (MPSC-4).
    atomic<std::uint32_t> next;
  };

  // free_: 16 bits of cell number, 48 bits of tag. inbox_: cell number, 16 bits of count, the closed bit (MPSC-2).
  static constexpr std::uint32_t none = 0xffff;
  static constexpr unsigned tag_shift = 16;
  static constexpr unsigned count_shift = 16;
  static constexpr std::uint64_t closed_bit = std::uint64_t{1} << 32;

  static std::uint32_t index_of(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word & none); }
  static std::size_t count_of(std::uint64_t inbox) noexcept { return (inbox >> count_shift) & 0xffff; }
  static std::uint64_t pack(std::uint32_t index, std::size_t count) noexcept {
    return index | std::uint64_t{count} << count_shift;
  }

  // A cell of the caller's own, or none if all are in use (MPSC-5).
  std::uint32_t take_cell() noexcept {
    const std::uint32_t all = static_cast<std::uint32_t>(nodes_.size());
    bool all_touched = false;
    for (;;) {
      // acquire, here and when the CAS fails: pairs with the release in give_back_cell. It brings the link of this cell
      // and the end of the last use of each cell on the stack: all changes of free_ are read-modify-writes.
      std::uint64_t word = free_.load(platform::acquire);
      while (index_of(word) != none) {
        // relaxed: the right link was ordered before by the load of free_; a later one means that the CAS will fail.
        const std::uint32_t next = nodes_[index_of(word)].next.load(platform::relaxed);
        // The tag stays: it counts returns, and a cell cannot be on top twice without one (MPSC-4).
        const std::uint64_t rest = (word & ~std::uint64_t{none}) | next;
        if (free_.compare_exchange_weak(word, rest, platform::acquire, platform::acquire)) return index_of(word);
      }
      // The stack has been empty after the last untouched cell was gone: full (MPSC-5).
      if (all_touched) return none;
      // acquire and acq_rel: pair with each other, so that the second look at the stack sees what the taker of the last
      // untouched cell had seen.
      std::uint32_t fresh = fresh_.load(platform::acquire);
      while (fresh < all) {
        if (fresh_.compare_exchange_weak(fresh, fresh + 1, platform::acq_rel, platform::acquire)) {
          ::new (static_cast<void*>(&nodes_[fresh])) node;
          return fresh;
        }
      }
      all_touched = true;
    }
  }

  void give_back_cell(std::uint32_t index) noexcept {
    atomic<std::uint32_t>& next = nodes_[index].next;
    // relaxed, here and when the CAS fails: nothing is read through the word; the link is published by the CAS.
    std::uint64_t word = free_.load(platform::relaxed);
    std::uint64_t returned;
    do {
      next.store(index_of(word), platform::relaxed);
      // The tag overflows off the top of the word, which is the wrap-around we want.
      returned = ((word >> tag_shift) + 1) << tag_shift | index;
      // release: pairs with the acquire in take_cell; our use of the cell is over before the next one begins (MPSC-3).
    } while (!free_.compare_exchange_weak(word, returned, platform::release, platform::relaxed));
  }

  // Takes the whole inbox, which has the newest message on top, and turns it round. False if it was empty.
  bool collect() noexcept {
    // relaxed: only whether something is there, and the closed bit, which no thread but the receiver changes.
    std::uint64_t word = inbox_.load(platform::relaxed);
    if (index_of(word) == none) return false;
    // acquire: pairs with the release in try_send, for every message of the batch.
    word = inbox_.exchange(none | (word & closed_bit), platform::acquire);
    set_waiting(count_of(word));
    // relaxed links: the exchange has ordered them, and from here on only the receiver walks them.
    for (std::uint32_t i = index_of(word); i != none;) {
      const std::uint32_t beneath = nodes_[i].next.load(platform::relaxed);
      nodes_[i].next.store(first_, platform::relaxed);
      first_ = i;
      i = beneath;
    }
    return true;
  }

  // relaxed: written by the receiver alone, and a hint for all others.
  void set_waiting(std::size_t messages) noexcept {
    waiting_.store(static_cast<std::uint32_t>(messages), platform::relaxed);
  }

  const room<node> nodes_;

  // One line for all that senders write: a send changes both heads, so two lines would be two misses.
  alignas(platform::cache_line) atomic<std::uint64_t> free_;
  atomic<std::uint32_t> fresh_;  // cells from here on were never used; never goes back
  atomic<std::uint64_t> inbox_;

  // The receiver's line: its list of collected messages, oldest first, and their number.
  alignas(platform::cache_line) std::uint32_t first_;
  atomic<std::uint32_t> waiting_;
};

}  // namespace leat::inline LEAT_ABI::channels
