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
    if (lock_at_once()) return;
    bool ours = false;
    bool again = false;
    while (!ours) {
      block<P>([&](waiter<P>& w) {
        const holding<P> one(gate_);
        if (again) coming_ = false;
        const bool leaves = w.who != nullptr;
        if (!held_ && (!leaves || again || may_pass())) {
          if (again) passed_ = 0;
          ours = held_ = true;
          return false;
        }
        ours = !leaves;  // when it is told
        if (!leaves) blocking_.push(w);
        else if (again) leaving_.push_first(w);
        else leaving_.push(w);
        return true;
      });
      again = true;
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
        if (!coming_) next = leaving_.pop();
        if (next != nullptr) coming_ = true;
      }
    }
    if (next != nullptr) tell(*next);
  }

 private:
  // How often the mutex goes to others before who was woken for it: who executes need not wait for a switch each time.
  static constexpr std::uint32_t passes_max = 16;

  bool lock_at_once() noexcept {
    const holding<P> one(gate_);
    return !held_ && may_pass() && (held_ = true);
  }

  // Under gate_: whether who comes now may have the mutex, which is free.
  bool may_pass() noexcept {
    if (!coming_) return true;
    if (passed_ == passes_max) return false;
    ++passed_;
    return true;
  }

  spin_lock<P> gate_;
  bool held_ = false;
  bool coming_ = false;  // who was woken because it was free; nobody else is woken meanwhile
  std::uint32_t passed_ = 0;  // times that others had it, since one who came had it last
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
    [&]() noexcept { held.lock(); }();  // the caller would unlock what it does not hold
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
