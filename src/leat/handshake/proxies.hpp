// How the tasks of a blocked worker, whose thread is in a system call, stay stealable: *proxies*, which are threads
// that want something of it, poll for it.
//
// Rules, cited in the code:
//  BLOCKING-1  A worker's presence (presence.hpp) says which thread may touch the worker's own state: with `here` its
//      own thread, with `proxied` the proxy, with `blocked` none before it has turned the word to something else.
//      Each change hands over all that the last one did.
//  BLOCKING-2  A worker leaves by `blocked`, a fence, and a call for itself. A sender sends, signals, fences, and then
//      reads the worker's presence. So either the sender finds the worker blocked and calls, or the worker's own call
//      comes later and its poll finds the message.
//  BLOCKING-3  A call turns the worker's `called_` from 0 to 1 and queues the worker. The proxy takes it from the
//      queue, turns the word back, and only then polls for it. So each call is followed by a poll, and no worker is
//      queued twice. A worker that is back polls by itself.
//  BLOCKING-4  One thread is proxy at a time: the one whose exchange turned `serving_` from 0 to 1. A combiner of the
//      manager never becomes a proxy before it has left the manager: it only calls. A poll may tell the manager, whose
//      actions may call other workers: all of them are in the queue, and nothing nests.
//  BLOCKING-5  A worker that comes back waits for one poll at most.
//  BLOCKING-6  A caller queues first and tries to serve then; the proxy leaves first and reads the queue then.
//      Both use an exchange on the same word, so the later one sees what the earlier did: no call is left alone.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "leat/channel/mpsc.hpp"
#include "leat/platform/order.hpp"
#include "leat/platform/shared.hpp"

namespace leat::inline LEAT_ABI::handshake {

/// Of one thread: how many workers it was that are blocked now, each left inside the one before. Proxies of these
/// use the limit in the thread's fork_words.
struct LEAT_SHARED left_workers {
  std::uint32_t count;
  const void* home;  // the scheduler of the innermost
};

/// `Worker` has its `presence`, and poll_by_proxy(), which polls for it if it is blocked. To be reached it also has
/// notify() and a `responder`, whose channel is closed if the worker has nothing to offer.
template <class P, class Worker>
class proxies {
 public:
  /// The queue has room for each worker once, and never needs more (BLOCKING-3).
  explicit proxies(std::size_t workers) : calls_(workers) {}

  /// Queues `w`, which then is polled for at the next serve() of any thread. Any thread.
  void call(Worker& w) noexcept {
    if (!w.presence.begin_call()) return;
    [[maybe_unused]] const channels::sent sent = calls_.try_send(&w);
    assert(sent == channels::sent::ok);
  }

  /// There is something new for `w`, which may sleep or be blocked. Returns whether it slept. Any thread.
  bool reach(Worker& w) noexcept {
    const bool woken = w.notify();
    if (w.presence.blocked()) call(w);  // BLOCKING-2: notify has fenced
    return woken;
  }

  /// The same, if the channel of `w` is open, so that it may have something to offer. A worker that opens its channel
  /// polls for news after its next fence.
  void reach_if_open(Worker& w) noexcept {
    // WORKER-5, OFFER-3; pairs with the fence of a worker that opens it and leaves or sleeps: one of the two sees the
    // other.
    P::fence();
    if (!w.responder.closed()) reach(w);
  }

  /// Polls for all workers that were called, unless another thread does so already. Any thread that is not the
  /// manager's combiner.
  void serve() noexcept {
    if (calls_.size() == 0) return;  // a call of this thread is in the queue, or another thread has it
    while (serving_.exchange(1, platform::acq_rel) == 0) {  // BLOCKING-4; pairs with the exchange below
      while (auto w = calls_.try_receive()) {
        (*w)->presence.end_call();  // BLOCKING-3
        (*w)->poll_by_proxy();
      }
      serving_.exchange(0, platform::acq_rel);  // BLOCKING-6; pairs with the exchange above
      if (calls_.size() == 0) return;
    }
  }

 private:
  channels::mpsc<P, Worker*> calls_;
  alignas(platform::cache_line) typename P::template atomic<std::uint32_t> serving_{0};
};

}  // namespace leat::inline LEAT_ABI::handshake
