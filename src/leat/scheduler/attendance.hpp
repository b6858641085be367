// How the tasks of a worker that is absent, because its thread blocks in a system call, stay stealable: whoever asks it
// looks in its stead.
//
// Rules, cited in the code:
//  Y1  A worker's presence (presence.hpp) says who may touch what is the worker's own: `here` its thread, `attended` the attendant, and
//      `away` nobody before he has turned it to something else. Each change hands over all that the last one did.
//  Y2  A worker leaves by `away`, a fence, and a call for itself; who asks a worker sends, raises, fences and looks at its
//      place then. So either the one sees that the worker is absent, and calls, or the other's look sees what was sent.
//  Y3  To call is to turn the worker's `called_` from 0 to 1 and to queue the worker. The attendant takes it from the queue, turns
//      the word back, and then looks in its stead: no call is without a later look, and none is queued twice. If the
//      worker is back, it looks for itself.
//  Y4  One thread attends at a time, the one whose exchange turned `attended_` from 0 to 1, and never inside its attendance
//      of the manager, where it only calls. A look may tell the manager, and the manager's deeds may call others: all of them
//      are in the queue, and nothing nests.
//  Y5  A worker that comes back waits for one look at most.
//  Y6  Who calls queues first and tries to attend then; the attendant leaves first and looks at the queue then. Both use
//      an exchange on the same word, so the later one sees what the earlier did: no call is left alone.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "leat/channel/mpsc.hpp"
#include "leat/platform/order.hpp"
#include "leat/platform/shared.hpp"

namespace leat::scheduler {

/// A thread's own: the workers that it was and that are absent, each left inside the one before. What looks in their stead
/// uses the limit in the thread's fork_words.
struct LEAT_SHARED left_workers {
  std::uint32_t count;
};

/// `Worker` has its `presence`, and attend(), which looks in its stead if it is absent. To be reached it also has notify(), and
/// `responder`, whose channel is closed if it has nothing to offer.
template <class P, class Worker>
class attendance {
 public:
  /// The queue has room for each worker, which is all it ever holds (Y3).
  explicit attendance(std::size_t workers) : calls_(workers) {}

  /// Has somebody look in the stead of `w`: at the next attend(), of whatever thread. Any thread.
  void call(Worker& w) noexcept {
    if (!w.presence.begin_call()) return;
    [[maybe_unused]] const channel::sent sent = calls_.try_send(&w);
    assert(sent == channel::sent::ok);
  }

  /// There is something new for `w`, which may sleep, or be absent. Returns whether it slept. Any thread.
  bool reach(Worker& w) noexcept {
    const bool woken = w.notify();
    if (w.presence.absent()) call(w);  // Y2: notify has fenced
    return woken;
  }

  /// The same, if `w` has something to offer: its channel is open. One that opens it looks for what is new after its next fence.
  void reach_if_open(Worker& w) noexcept {
    P::fence();  // W5, T3; pairs with the fence of a worker that opens it and leaves, or sleeps: one of the two sees the other
    if (!w.responder.closed()) reach(w);
  }

  /// Looks in the stead of all that were called, if nobody does so already. Any thread that has no other attendance.
  void attend() noexcept {
    if (calls_.size() == 0) return;  // what we sent ourselves is there, or another has it in hand
    while (attended_.exchange(1, platform::acq_rel) == 0) {  // Y4; pairs with the exchange below
      while (auto w = calls_.try_receive()) {
        (*w)->presence.end_call();  // Y3
        (*w)->attend();
      }
      attended_.exchange(0, platform::acq_rel);  // Y6; pairs with the exchange above
      if (calls_.size() == 0) return;
    }
  }

 private:
  channel::mpsc<P, Worker*> calls_;
  alignas(platform::cache_line) typename P::template atomic<std::uint32_t> attended_{0};
};

}  // namespace leat::scheduler
