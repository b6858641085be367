// The workers of a scheduler and their threads: the workers that were asked for, and *spares*, the
// compensating workers that take the place of blocked ones. Rules MANAGER-8, MANAGER-9: docs/internals/protocol.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "leat/platform/order.hpp"
#include "leat/scheduler/settings.hpp"
#include "leat/scheduler/worker.hpp"

namespace leat::inline LEAT_ABI::scheduler {

template <class P>
class roster {
 public:
  roster(channel_scheduler<P>& home, const settings& s)
      : home_(home),
        asked_for_(s.workers),
        spares_(s.spares),
        primaries_(s.primaries),
        stack_bytes_(s.threads.stack_bytes),
        workers_(std::size_t{s.workers} + s.spares) {}

  worker<P>& at(protocol::worker_id w) noexcept { return *workers_[w]; }
  const worker<P>& at(protocol::worker_id w) const noexcept { return *workers_[w]; }

  /// Where the workers lie, for debuggers: each null before it is started.
  const void* const* places() const noexcept {
    static_assert(sizeof(std::unique_ptr<worker<P>>) == sizeof(void*));
    return reinterpret_cast<const void* const*>(workers_.data());
  }

  /// PRIMARY-2: whether w is a primary that no thread is inside. Any thread. For other workers it reads no shared memory.
  bool is_outside(protocol::worker_id w) const noexcept { return w < primaries_ && at(w).monitor.is_outside(); }

  /// Workers with numbers below this exist: those that were asked for, and the spares that were needed so far. Any
  /// thread.
  std::uint32_t started() const noexcept {
    return asked_for_ + spares_started_.load(platform::acquire);  // acquire: pairs with start_spare
  }

  /// Makes the workers, and starts their threads, from worker `first` on. All are made before a thread starts, as
  /// each may ask any other.
  /// \throws std::bad_alloc; and std::system_error, naming the worker, if a thread cannot be started. The caller then
  ///         stops those that were started
  void start(protocol::worker_id first) {
    for (protocol::worker_id i = 0; i < asked_for_; ++i) workers_[i] = std::make_unique<worker<P>>(home_, i);
    for (protocol::worker_id i = first; i < asked_for_; ++i) {
      try {
        start(*workers_[i]);
      } catch (const std::system_error& e) {
        throw std::system_error(e.code(), "leat: could not start worker " + std::to_string(i - first) + " of " +
                                              std::to_string(asked_for_ - first) + size_of_stack());
      }
    }
  }

  /// To be called when all workers were told to stop.
  void join() noexcept {
    for (auto& w : workers_) {
      if (w && w->thread.joinable()) w->thread.join();
    }
  }

  /// In a forked child the threads do not exist: there is nothing to join, and nothing to free safely.
  void abandon() noexcept {
    for (auto& w : workers_) static_cast<void>(w.release());
  }

  // -- threads of workers: each stays until all leave, as late senders may still signal its fork_words

  void enter() noexcept { present_.fetch_add(1, platform::relaxed); }  // relaxed: a count; the thread starts after it
  // acq_rel, acquire: each write to a thread's own words happens before that thread ends.
  void leave() noexcept {
    if (present_.fetch_sub(1, platform::acq_rel) == 1) P::wake_all(present_);
  }
  void leave_with_all() noexcept {
    leave();
    while (const auto others = present_.load(platform::acquire)) P::wait(present_, others);
  }

  // -- workers that block

  void block_begins() noexcept {
    blocked_.fetch_add(1, platform::relaxed);
  }  // relaxed: ordered by the exchanges of starting_
  void block_ends() noexcept { blocked_.fetch_sub(1, platform::relaxed); }

  /// Starts spares until there is one for each worker that blocks, as far as the settings and the system allow. One
  /// thread at a time starts them. A thread that finds another at it may go: the other one checks again after it has
  /// released the word (as BLOCKING-6).
  void start_spares() noexcept {
    while (lacks_spares() && starting_.exchange(1, platform::acq_rel) == 0) {
      const bool done = lacks_spares() && !start_spare();
      starting_.exchange(0, platform::acq_rel);
      if (done) return;
    }
  }

 private:
  // Counted before the thread exists: a thread that ends at once must not be the last one while others begin.
  void start(worker<P>& w) {
    enter();
    try {
      w.thread = typename P::thread([&w] { w.main(); }, stack_bytes_);
    } catch (...) {
      leave();
      throw;
    }
  }

  bool lacks_spares() const noexcept {
    const std::uint32_t started = spares_started_.load(platform::relaxed);  // relaxed: starting_ orders it
    return started < spares_ && started < blocked_.load(platform::relaxed);
  }

  // False if the system has no memory or no thread for a spare. Then no worker takes the place; the next worker that
  // blocks tries again.
  bool start_spare() noexcept {
    const std::uint32_t number = started();
    try {
      workers_[number] = std::make_unique<worker<P>>(home_, number);
      start(*workers_[number]);
    } catch (...) {
      workers_[number].reset();
      return false;
    }
    spares_started_.fetch_add(1, platform::release);  // pairs with started
    return true;
  }

  // For messages: a thread may lack memory for it.
  std::string size_of_stack() const {
    return stack_bytes_ == 0 ? "" : ", with a stack of " + std::to_string(stack_bytes_) + " bytes";
  }

  // Numbers of workers never change, and no worker goes before the roster does: other threads may keep references.
  channel_scheduler<P>& home_;
  const std::uint32_t asked_for_;
  const std::uint32_t spares_;
  const std::uint32_t primaries_;
  const std::size_t stack_bytes_;
  std::vector<std::unique_ptr<worker<P>>> workers_;  // then the spares; null before they are started
  typename P::template atomic<std::uint32_t> present_{0};
  typename P::template atomic<std::uint32_t> blocked_{0};
  typename P::template atomic<std::uint32_t> spares_started_{0};
  typename P::template atomic<std::uint32_t> starting_{0};  // 1: a thread starts spares
};

}  // namespace leat::inline LEAT_ABI::scheduler
