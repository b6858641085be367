// Where a worker's thread is: in a task, or in the runtime's own code, where no interrupt may look (rule I1 of
// docs/interrupts.md) and nothing is public, but in an `undisturbed` step (rules E1, E3 of deque/public_part.hpp).
#pragma once

#include <cstdint>

#include "leat/platform/order.hpp"

namespace leat::scheduler {

template <class P>
class worker;
template <class P>
class footing;

enum class whereabouts : std::uint32_t { task, runtime };

/// What a worker executes on top: a task, or a wait; the root of its run; a user-level thread's own code, no construct of
/// which knows the worker (footing.hpp).
enum class ground : std::uint8_t { task, root, thread };

/// What keeps the user-level thread on top on its worker: groups that it has made there, which are the worker's. That worker's alone.
class pins {
 public:
  bool any() const noexcept { return count_ != 0; }

  /// One more. Returns the number of the thread, which is not 0.
  std::uint64_t add() noexcept { return ++count_, thread_; }
  /// One of that thread less, unless it has ended.
  void drop(std::uint64_t thread) noexcept {
    if (thread == thread_ && count_ != 0) --count_;
  }
  /// The thread has ended. What it has left behind keeps no other one.
  void end_thread() noexcept { ++thread_, count_ = 0; }

 private:
  std::uint64_t thread_ = 1;  // one more than threads that have ended on the worker
  std::uint32_t count_ = 0;
};

/// While it lives, the thread of `me`, which is the caller's, is there. O(1); no synchronisation where nothing is public.
template <class P>
class stay {
 public:
  stay(worker<P>& me, whereabouts where) : me_(me), before_(me.where_.load(platform::relaxed)) {
    if (where != before_) move(where);
  }
  stay(const stay&) = delete;
  stay& operator=(const stay&) = delete;
  ~stay() {
    if (me_.where_.load(platform::relaxed) != before_) move(before_);
  }

 private:
  void move(whereabouts to) {
    if (to == whereabouts::task && me_.shares()) me_.publish();
    P::signal_fence();  // I1: nothing moves across, in either direction
    me_.where_.store(to, platform::relaxed);  // relaxed: the thread's own; for others a hint
    P::signal_fence();
    if (to == whereabouts::runtime && me_.shares()) me_.withdraw();
  }

  worker<P>& me_;
  const whereabouts before_;
};

/// While it lives, the thread of `me` is not interrupted, though it is in a task, and what is public stays so.
template <class P>
class undisturbed {
 public:
  explicit undisturbed(worker<P>& me) : me_(me), was_(me.where_.load(platform::relaxed)) {  // relaxed, all: as in stay
    me_.where_.store(whereabouts::runtime, platform::relaxed);
    P::signal_fence();
  }
  undisturbed(const undisturbed&) = delete;
  undisturbed& operator=(const undisturbed&) = delete;
  ~undisturbed() {
    P::signal_fence();
    me_.where_.store(was_, platform::relaxed);
  }

 private:
  worker<P>& me_;
  const whereabouts was_;
};

}  // namespace leat::scheduler
