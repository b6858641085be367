// The line of waits at one end of a channel. Rules CHANNEL-1 to CHANNEL-6: docs/internals/user_channels.md.
#pragma once

#include <cstdint>

#include "leat/entry/told_wait.hpp"
#include "leat/handshake/spin_lock.hpp"
#include "leat/platform/order.hpp"
#include "leat/scheduler/footing.hpp"
#include "leat/scheduler/worker.hpp"

namespace leat::inline LEAT_ABI::task {

/// One wait for a channel, in the frame that waits.
template <class P>
struct channel_wait {
  channel_wait* next = nullptr;
  scheduler::carried_wait::tell tells = nullptr;
  void* waiter = nullptr;  ///< which `tells` is called with
  entry::told_word<P> told{0};  ///< 1 when the wait is over, unless a green thread waits
  scheduler::worker<P>* who = nullptr;  ///< the worker that waits, if one does
  bool stays = false;  ///< the frame stays until `done`
  typename P::template atomic<std::uint32_t> done{0};  ///< 1 when the telling thread needs nothing of the wait any more

  /// After it was told (CHANNEL-3). Another thread is between two of its steps meanwhile.
  void await_done() noexcept {
    for (unsigned spins = 0; done.load(platform::acquire) == 0;) {  // acquire: pairs with the release in channel_line
      if (++spins % spins_max == 0) P::yield();
      else P::relax();
    }
  }

 private:
  static constexpr unsigned spins_max = 64;  // then the telling thread is likely to be preempted
};

/// First come, first told. Any thread may call any member.
template <class P>
class channel_line {
 public:
  /// Puts the wait in the line, and returns true, if blocked() is true after the line was announced; else returns false
  /// (CHANNEL-1). blocked() reads words that the other end changes before it asks this line.
  template <class Blocked>
  bool enlist(channel_wait<P>& w, Blocked blocked) noexcept {
    const handshake::holding<P> one(gate_);
    const std::uint32_t before = waiting_.load(platform::relaxed);  // relaxed: written under the gate
    // seq_cst: pairs with the load in tell_one and tell_all.
    waiting_.store(before + 1, platform::seq_cst);
    if (!blocked()) {
      waiting_.store(before, platform::relaxed);  // relaxed: one that sees the old number finds no wait here; harmless
      return false;
    }
    (first_ == nullptr ? first_ : last_->next) = &w;
    last_ = &w;
    return true;
  }

  /// Ends the oldest wait, if there is one. After the caller has changed what `blocked` reads, by an operation that is seq_cst.
  void tell_one() {
    // seq_cst: pairs with the store in enlist (CHANNEL-1).
    if (waiting_.load(platform::seq_cst) != 0) [[unlikely]]
      tell(1);
  }

  /// The same for all waits.
  void tell_all() {
    if (waiting_.load(platform::seq_cst) != 0) tell(UINT32_MAX);  // seq_cst: as in tell_one
  }

  /// Takes the wait out of the line. False if it is not there: then it is told, or is about to be.
  bool leave(channel_wait<P>& w) noexcept {
    const handshake::holding<P> one(gate_);
    channel_wait<P>* before = nullptr;
    for (channel_wait<P>* i = first_; i != nullptr; before = i, i = i->next) {
      if (i != &w) continue;
      (before == nullptr ? first_ : before->next) = w.next;
      if (last_ == &w) last_ = before;
      waiting_.store(waiting_.load(platform::relaxed) - 1, platform::relaxed);  // relaxed, both: as in pop
      return true;
    }
    return false;
  }

 private:
  // The gate is free while a wait is told: the woken thread may come back to the line before the call of the system returns.
  [[gnu::noinline]] void tell(std::uint32_t waits_max) {
    for (; waits_max != 0; --waits_max) {
      channel_wait<P>* const w = pop();
      if (w == nullptr) return;
      const bool stays = w->stays;  // before it is told: its frame may be gone then
      w->tells(w->waiter);
      if (stays) w->done.store(1, platform::release);  // pairs with await_done
    }
  }

  channel_wait<P>* pop() noexcept {
    const handshake::holding<P> one(gate_);
    channel_wait<P>* const w = first_;
    if (w == nullptr) return nullptr;
    first_ = w->next;
    // relaxed, both: written under the gate; a thread that reads the old number finds no wait in the line, which is harmless
    waiting_.store(waiting_.load(platform::relaxed) - 1, platform::relaxed);
    return w;
  }

  alignas(platform::cache_line) typename P::template atomic<std::uint32_t> waiting_{0};  // waits in the line
  handshake::spin_lock<P> gate_;
  channel_wait<P>* first_ = nullptr;
  channel_wait<P>* last_ = nullptr;
};

}  // namespace leat::inline LEAT_ABI::task
