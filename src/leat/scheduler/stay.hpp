// How a worker's thread enters the runtime's own code and leaves it. Two rules hold inside, except in an
// `undisturbed` step: no interrupt polls (INTERRUPT-1, docs/internals/interrupts.md), and nothing is public (PUBLIC-1,
// PUBLIC-3, deque/public_part.hpp).
#pragma once

#include "leat/profile/activity.hpp"
#include "leat/scheduler/whereabouts.hpp"

namespace leat::inline LEAT_ABI::scheduler {

template <class P>
class worker;

/// While it lives, the thread of `me`, which is the calling thread, is at that place. O(1); no synchronisation where
/// nothing is public. It nests: the destructor restores the place of before, so code that is called from both places
/// may use it.
template <class P>
class stay {
 public:
  stay(worker<P>& me, whereabouts where) : me_(me), before_(me.monitor.where()) {
    if (where != before_) did_ = move(me, where);
  }
  stay(const stay&) = delete;
  stay& operator=(const stay&) = delete;
  ~stay() {
    if (me_.monitor.where() != before_) move(me_, before_, did_);
  }

  /// The thread of `me`, which is the calling thread, is there from now on. Tasks become public before a task begins,
  /// and private after it ends: both happen inside, where no interrupt comes between. Returns what the profile showed before.
  static profile::activity move(worker<P>& me, whereabouts to) {
    return move(me, to, to == whereabouts::task ? profile::activity::running : profile::activity::answering);
  }

 private:
  // `doing`: what the profile shows from now on.
  static profile::activity move(worker<P>& me, whereabouts to, profile::activity doing) {
    profile::activity did = doing;
    if (to == whereabouts::task && me.exposer.is_eager()) me.exposer.expose();
    if (to == whereabouts::task) did = me.shows(doing);
    P::signal_fence();  // INTERRUPT-1: nothing moves across, in either direction
    me.monitor.set_where(to);
    P::signal_fence();
    if (to != whereabouts::task) did = me.shows(doing);
    if (to == whereabouts::runtime && me.exposer.is_eager()) me.exposer.unexpose();
    return did;
  }

  worker<P>& me_;
  const whereabouts before_;
  profile::activity did_{};
};

/// While it lives, the thread of `me` is not interrupted, though it is in a task, and public tasks stay public. For
/// steps so short that closing and opening the public part would cost more than they do.
template <class P>
class undisturbed {
 public:
  explicit undisturbed(worker<P>& me) : me_(me), was_(me.monitor.where()) {
    me_.monitor.set_where(whereabouts::runtime);
    P::signal_fence();
  }
  undisturbed(const undisturbed&) = delete;
  undisturbed& operator=(const undisturbed&) = delete;
  ~undisturbed() {
    P::signal_fence();
    me_.monitor.set_where(was_);
  }

 private:
  worker<P>& me_;
  const whereabouts was_;
};

}  // namespace leat::inline LEAT_ABI::scheduler
