// The public part of a worker's deque: slots that others may take, oldest first, each by one compare-and-swap.
//
// What a deque is with it depends on what its owner makes public, and when: half of its slots while tasks are long (leat's own
// scheduler), some of its oldest slots when a thief asks (the split deque of LCWS, section 3), or every slot at once (the deque
// of Chase and Lev).
//
// Rules, cited in the code:
//  PUBLIC-1  Only the owner opens and closes the part. Leat's own scheduler has it open, if at all, while the owner's thread
//      is in a task, and closed while that is inside the runtime, its handler of interrupts included: what is done there
//      knows no thieves. A published scheduler leaves it open.
//  PUBLIC-2  A position is a number that a slot has while it is public. `head_` is the position of the oldest one, or
//      `closed`. Positions only grow, and each opening begins at one that was never in head_ before. A thief takes a
//      slot by a compare-and-swap of the head that it read. Why: then it took from the opening in which it read the
//      rest, and from a slot that was pending ever since: neither a thief nor the owner takes the oldest slot without
//      a change of head_. 2^63 positions do not wrap within a program's life.
//  PUBLIC-3  An owner that leaves the part open takes its newest slot back without closing: it lowers its end, fences, and
//      reads head_. A thief reads head_, fences, and reads that end. Why: if the head is beneath the
//      slot, a thief that comes to the slot later has seen the lower end. If not, owner and thief want the same slot, and
//      closing decides.
//  PUBLIC-4  The thief that took a slot reads it afterwards. Its memory stays: until the thief gives it back (DEQUE-3),
//      or says that the fork is done (FORK-4).
#pragma once

#include <cassert>
#include <cstdint>

#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::deque {

template <class P, class T>
class public_part {
 public:
  // -- the owner's

  bool is_open() const noexcept { return open_; }

  /// Makes slots public from `first` on; up to where, thieves learn elsewhere. What they are to know has been written.
  void open(T* first) noexcept {
    assert(!open_);  // PUBLIC-1
    ++position_;  // PUBLIC-2
    opened_at_ = position_;
    base_ = word(first) - position_ * sizeof(T);
    origin_.store(base_, platform::relaxed);  // relaxed: the next line publishes it
    head_.store(position_ << 1, platform::release);  // pairs with take
    open_ = true;
  }

  /// The oldest slot that no thief has taken. From here on no thief takes any.
  T* close() noexcept {
    position_ = head_.exchange(closed, platform::acq_rel) >> 1;  // pairs with take: one of the two comes first
    open_ = false;
    return slot(base_, position_);
  }

  /// The same while `last`, the owner's newest, is the only slot that may be public. While no thief has it, that is one
  /// compare-and-swap, as in the papers (LCWS, Listing 2, line 27).
  T* close_at(const T* last) noexcept {
    std::uint64_t head = head_.load(platform::relaxed);  // relaxed: the exchange decides
    if (slot(base_, head >> 1) != last) return close();
    // acq_rel: as in close. relaxed failure: a thief has the slot.
    if (!head_.compare_exchange_strong(head, closed, platform::acq_rel, platform::relaxed)) return close();
    position_ = head >> 1;
    open_ = false;
    return slot(base_, position_);
  }

  /// How many slots were taken between the last opening and closing.
  std::uint64_t taken() const noexcept { return position_ - opened_at_; }

  /// While it is open: whether the oldest slot lies beneath `s`. After a fence, if that is to last (PUBLIC-3).
  bool begins_beneath(const T* s) const noexcept {
    return slot(base_, head_.load(platform::relaxed) >> 1) < s;  // relaxed: fenced, or a hint
  }

  // -- any other worker's

  /// The oldest public slot, if it is one: ends are told elsewhere. Null if the part is closed. A hint.
  T* seen_oldest() const noexcept {
    const std::uint64_t head = head_.load(platform::relaxed);  // relaxed, both: a hint
    return head == closed ? nullptr : slot(origin_.load(platform::relaxed), head >> 1);
  }

  /// Takes the oldest slot, or none: null. pending(slot) tells whether a slot is public, by a load that acquires what its
  /// owner has written there; it may be called for any address.
  template <class Pending>
  T* take(Pending pending) noexcept {
    std::uint64_t head = head_.load(platform::acquire);  // pairs with open
    if (head == closed) return nullptr;
    P::fence();  // PUBLIC-3
    // relaxed: if it belongs to a later opening, the exchange fails (PUBLIC-2).
    T* const oldest = slot(origin_.load(platform::relaxed), head >> 1);
    if (!pending(oldest)) return nullptr;
    // acq_rel: pairs with close. relaxed failure: nothing was taken.
    return head_.compare_exchange_strong(head, head + 2, platform::acq_rel, platform::relaxed) ? oldest : nullptr;
  }

 private:
  static constexpr std::uint64_t closed = 1;

  static std::uintptr_t word(const T* s) noexcept { return reinterpret_cast<std::uintptr_t>(s); }
  static T* slot(std::uintptr_t origin, std::uint64_t position) noexcept {
    return reinterpret_cast<T*>(origin + position * sizeof(T));
  }

  // The owner's words.
  std::uint64_t position_ = 0;  // of the last opening, or closing
  std::uint64_t opened_at_ = 0;
  std::uintptr_t base_ = 0;
  bool open_ = false;

  // What thieves read, and write.
  alignas(platform::cache_line) typename P::template atomic<std::uint64_t> head_{closed};
  typename P::template atomic<std::uintptr_t> origin_{0};  // the address of position 0
};

}  // namespace leat::inline LEAT_ABI::deque
