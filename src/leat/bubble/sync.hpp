// Mutex, condition and barrier that block the user-level thread and not its worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "leat/bubble/waiting.hpp"

namespace leat::bubbles {

/// See leat::mutex. It is handed on in the order in which it was asked for.
template <class P>
class mutex {
 public:
  mutex() noexcept = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  void lock() {
    if (try_lock()) return;
    block<P>([this](waiter<P>& w) {
      const holding<P> one(gate_);
      if (!std::exchange(held_, true)) return false;
      waiting_.push(w);
      return true;
    });
  }
  bool try_lock() noexcept {
    const holding<P> one(gate_);
    return !std::exchange(held_, true);
  }
  void unlock() {
    waiter<P>* next = nullptr;
    {
      const holding<P> one(gate_);
      next = waiting_.pop();
      if (next == nullptr) held_ = false;
    }
    if (next != nullptr) tell(*next);  // it is theirs
  }

 private:
  spin_lock<P> gate_;
  bool held_ = false;
  line<P> waiting_;
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
