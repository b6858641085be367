// Mutex, condition and barrier that block the user-level thread and not its worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "leat/bubble/waiting.hpp"

namespace leat::bubbles {

/// See leat::mutex. Rule T9.
template <class P>
class mutex {
 public:
  mutex() noexcept = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  void lock() {
    bool ours = try_lock();
    for (bool again = false; !ours; again = true) {
      block<P>([&](waiter<P>& w) {
        const holding<P> one(gate_);
        ours = !held_ || w.who == nullptr;  // when it is told, in the second case
        if (!std::exchange(held_, true)) return false;
        if (w.who == nullptr) blocking_.push(w);
        else if (again) leaving_.push_first(w);
        else leaving_.push(w);
        return true;
      });
    }
  }
  bool try_lock() noexcept {
    const holding<P> one(gate_);
    return !std::exchange(held_, true);
  }
  void unlock() {
    waiter<P>* next = nullptr;
    {
      const holding<P> one(gate_);
      next = blocking_.pop();  // it is theirs
      if (next == nullptr) {
        held_ = false;
        next = leaving_.pop();
      }
    }
    if (next != nullptr) tell(*next);
  }

 private:
  spin_lock<P> gate_;
  bool held_ = false;
  line<P> blocking_;  // they keep their workers
  line<P> leaving_;
};

/// See leat::condition.
template <class P>
class condition {
 public:
  condition() noexcept = default;
  condition(const condition&) = delete;
  condition& operator=(const condition&) = delete;

  void wait(mutex<P>& held) {
    block<P>([&](waiter<P>& w) {
      {
        const holding<P> one(gate_);
        waiting_.push(w);
      }
      held.unlock();
      return true;
    });
    held.lock();
  }
  template <class Ready>
  void wait(mutex<P>& held, Ready ready) {
    while (!ready()) wait(held);
  }
  void notify_one() {
    waiter<P>* w = nullptr;
    {
      const holding<P> one(gate_);
      w = waiting_.pop();
    }
    if (w != nullptr) tell(*w);
  }
  void notify_all() {
    waiter<P>* all = nullptr;
    {
      const holding<P> one(gate_);
      all = waiting_.take();
    }
    tell_all(all);
  }

 private:
  spin_lock<P> gate_;
  line<P> waiting_;
};

/// See leat::thread_barrier.
template <class P>
class barrier {
 public:
  explicit barrier(std::size_t threads) : threads_(threads), missing_(threads) {
    if (threads == 0) throw std::invalid_argument("leat::thread_barrier: of 0 threads; it takes at least 1");
  }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  /// Whether the caller was the last to come.
  bool arrive_and_wait() {
    waiter<P>* all = nullptr;
    bool last = false;
    block<P>([&](waiter<P>& w) {
      const holding<P> one(gate_);
      last = --missing_ == 0;
      if (last) missing_ = threads_, all = waiting_.take();
      else waiting_.push(w);
      return !last;
    });
    tell_all(all);
    return last;
  }

 private:
  const std::size_t threads_;
  spin_lock<P> gate_;
  std::size_t missing_;
  line<P> waiting_;
};

}  // namespace leat::bubbles
