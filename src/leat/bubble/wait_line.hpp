// The line of those that wait for one thing.
#pragma once

#include <cstdint>
#include <utility>

#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::bubbles {

template <class P>
struct green_thread;
template <class P>
class thread_places;

/// One wait. It lies in the frame that waits, and is gone as soon as the wait has been ended: so `next` is read before
/// that, and for a wait that blocks the store to `told` is the last access.
template <class P>
struct waiter {
  green_thread<P>* thread = nullptr;  ///< which has left its worker; null: the wait blocks a thread of the system
  thread_places<P>* places = nullptr;  ///< that put `thread` back on a list
  waiter* next = nullptr;
  typename P::template atomic<std::uint32_t> told{0};  ///< of a wait that blocks: 1 when it is over
};

/// First come, first served. Under a lock of the thing that is waited for. It owns no waiter: the one that
/// takes a waiter out of the line ends its wait (tell), and touches it no more. A waiter is in one line once: each wait
/// makes its own, so `next` is null when it comes.
template <class P>
class wait_line {
 public:
  bool empty() const noexcept { return first_ == nullptr; }
  void push(waiter<P>& w) noexcept {
    (first_ == nullptr ? first_ : last_->next) = &w;
    last_ = &w;
  }
  void push_first(waiter<P>& w) noexcept {
    if (first_ == nullptr) last_ = &w;
    w.next = std::exchange(first_, &w);
  }
  waiter<P>* pop() noexcept {
    waiter<P>* const w = first_;
    if (w != nullptr) first_ = std::exchange(w->next, nullptr);
    return w;
  }
  /// All of another line come behind these, in their order; that line is empty then. O(1).
  void append(wait_line& other) noexcept {
    if (other.empty()) return;
    (first_ == nullptr ? first_ : last_->next) = other.first_;
    last_ = other.last_;
    other.first_ = nullptr;
  }
  // last_ is not read while the line is empty, so `take` leaves it.
  /// All of them, linked; the line is empty then.
  waiter<P>* take() noexcept { return std::exchange(first_, nullptr); }
  /// All of them are added to those linked from `into`, in any order; the line is empty then.
  void take_into(waiter<P>*& into) noexcept {
    for (waiter<P>* w = take(); w != nullptr;) w = std::exchange(w->next, std::exchange(into, w));
  }

 private:
  waiter<P>* first_ = nullptr;
  waiter<P>* last_ = nullptr;
};

}  // namespace leat::inline LEAT_ABI::bubbles
