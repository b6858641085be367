// Mutex, condition and barrier that block the green thread and not its worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "leat/bubble/wait_line.hpp"
#include "leat/handshake/spin_lock.hpp"
#include "leat/thread/waiting.hpp"

namespace leat::inline LEAT_ABI::threads {

/// See leat::mutex. Rule THREAD-9. A wait that blocks its worker is given the mutex, for its thread executes as
/// soon as it is told. A thread that has left its worker is only woken, and asks again: given the mutex it
/// would hold it while it waits on a list, and if all carriers came to block for the mutex meanwhile, none
/// would be left to take that thread.
///
/// States: free; held; free and `coming_`, when a thread was woken for it and has not asked again. One thread at a
/// time is coming: of two, one would be woken in vain. Each call takes the gate, a lock for a few instructions.
template <class P>
class mutex {
 public:
  void lock() {
    if (lock_at_once()) return;
    // Once around for a wait that blocks its worker. A thread that leaves it goes around until it finds the mutex
    // free; from the second time on it is the one that is coming.
    bool ours = false;
    bool again = false;
    while (!ours) {
      block<P>([&](bubbles::waiter<P>& w) {
        const handshake::holding<P> one(gate_);
        if (again) coming_ = false;
        const bool leaves = w.thread != nullptr;
        // may_pass counts, so it comes last. It does not hold back a wait that blocks a worker, nor the thread that
        // is coming.
        if (!held_ && (!leaves || again || may_pass())) {
          if (again) passed_ = 0;
          ours = held_ = true;
          return false;
        }
        ours = !leaves;  // from the moment when it is told
        if (!leaves) blocking_.push(w);
        else if (again) leaving_.push_first(w);
        else leaving_.push(w);
        return true;
      });
      again = true;
    }
  }
  /// Also takes a mutex for which a thread is coming, without counting it as passed.
  bool try_lock() noexcept {
    const handshake::holding<P> one(gate_);
    return !std::exchange(held_, true);
  }
  void unlock() {
    if (bubbles::waiter<P>* const next = bubbles::under(gate_, [this] { return hand_over(); })) bubbles::tell(*next);
  }

 private:
  // How often the mutex goes to others before the thread that was woken for it, which needs a switch each
  // time. Threads that execute need none, so the mutex changes hands faster.
  static constexpr std::uint32_t passes_max = 16;

  // For any thread. In this order: may_pass counts, and is asked only of a mutex that is free.
  bool lock_at_once() noexcept {
    const handshake::holding<P> one(gate_);
    return !held_ && may_pass() && (held_ = true);
  }

  // Under gate_: the wait that ends now; or null. One that blocks its worker has the mutex then; one that has
  // left its worker asks again.
  bubbles::waiter<P>* hand_over() noexcept {
    if (bubbles::waiter<P>* const next = blocking_.pop()) return next;
    held_ = false;
    if (coming_) return nullptr;
    bubbles::waiter<P>* const next = leaving_.pop();
    coming_ = next != nullptr;
    return next;
  }

  // Under gate_: whether a caller that comes now may have the mutex, which is free.
  bool may_pass() noexcept {
    if (!coming_) return true;
    if (passed_ == passes_max) return false;
    ++passed_;
    return true;
  }

  handshake::spin_lock<P> gate_;
  bool held_ = false;
  bool coming_ = false;  // a thread was woken because it was free; no other is woken meanwhile
  std::uint32_t passed_ = 0;  // times that others had it, since such a thread had it last
  bubbles::wait_line<P> blocking_;  // waits that keep their workers
  bubbles::wait_line<P> leaving_;  // of threads that have left their workers
};

/// See leat::condition. A thread is in the line before it lets go of the mutex, so a notification that is
/// made under the mutex finds it. A notification hands on no mutex: each thread asks for it by itself (THREAD-9).
template <class P>
class condition {
 public:
  void wait(mutex<P>& held) {
    block<P>([&](bubbles::waiter<P>& w) {
      bubbles::under(gate_, [&] { waiting_.push(w); });
      // Outside the line's gate: unlock may put a thread on a list, which takes other locks.
      held.unlock();
      return true;
    });
    [&]() noexcept { held.lock(); }();  // after an exception the caller would unlock a mutex that it does not hold
  }
  template <class Ready>
  void wait(mutex<P>& held, Ready ready) {
    while (!ready()) wait(held);
  }
  void notify_one() {
    if (bubbles::waiter<P>* const w = bubbles::under(gate_, [this] { return waiting_.pop(); })) bubbles::tell(*w);
  }
  /// The whole line at once: a thread that waits again meanwhile is in the next one.
  void notify_all() {
    bubbles::tell_all(bubbles::under(gate_, [this] { return waiting_.take(); }));
  }

 private:
  handshake::spin_lock<P> gate_;
  bubbles::wait_line<P> waiting_;
};

/// See leat::thread_barrier. The last thread to come takes the whole line, so threads that come back early
/// wait in the next line, and those of one list are woken together (THREAD-16).
template <class P>
class barrier {
 public:
  explicit barrier(std::size_t threads) : threads_(threads), missing_(threads) {
    if (threads == 0) throw std::invalid_argument("leat::thread_barrier: of 0 threads; it takes at least 1");
  }

  /// Whether the caller was the last to come.
  bool arrive_and_wait() {
    bubbles::waiter<P>* all = nullptr;
    bool last = false;
    block<P>([&](bubbles::waiter<P>& w) {
      const handshake::holding<P> one(gate_);
      last = --missing_ == 0;
      // Set anew before one of them is told: the first to go on may be back here before the last is.
      if (last) missing_ = threads_, all = waiting_.take();
      else waiting_.push(w);
      return !last;
    });
    bubbles::tell_all(all);
    return last;
  }

 private:
  const std::size_t threads_;
  handshake::spin_lock<P> gate_;
  std::size_t missing_;
  bubbles::wait_line<P> waiting_;
};

}  // namespace leat::inline LEAT_ABI::threads
