// The part of a worker that the watchdog sees: where its thread is, and whether it owes others a poll. Rules
// INTERRUPT-1 to INTERRUPT-4 and INTERRUPT-10: docs/internals/interrupts.md.
#pragma once

#include <cstdint>

#include "leat/platform/order.hpp"
#include "leat/scheduler/whereabouts.hpp"

namespace leat::inline LEAT_ABI::scheduler {

template <class P>
class worker;

template <class P>
class monitor {
 public:
  explicit monitor(worker<P>& me) noexcept : me_(me) {}

  // -- the worker's

  // relaxed, both: the handler reads the word on the same thread (INTERRUPT-1), and for other threads it is a hint.
  whereabouts where() const noexcept { return where_.load(platform::relaxed); }
  void set_where(whereabouts w) noexcept { where_.store(w, platform::relaxed); }

  /// Whether the handler of an interrupt executes.
  bool in_handler() const noexcept { return in_handler_; }

  /// Whether the worker is about to go inside another scheduler (PRIMARY-3). Then it cannot be interrupted, so it may
  /// not rely on the offers of others (WORKER-14).
  bool goes_away() const noexcept { return goes_away_; }
  void set_goes_away(bool goes) noexcept { goes_away_ = goes; }

  // relaxed, all: hints for the watchdog (INTERRUPT-4). Only the worker writes them, so a load and a store add without
  // loss.
  void polled() noexcept {
    polls_.store(polls_.load(platform::relaxed) + 1, platform::relaxed);
    in_vain_.store(0, platform::relaxed);
  }
  void leaves_no_thief_waiting() noexcept { unserved_.store(0, platform::relaxed); }
  /// \param others_wait  whether thieves still wait after the poll
  /// \param put_off      whether the worker left those to other workers, which offer to them
  void poll_ends(bool others_wait, bool put_off) noexcept {
    const std::uint32_t vain = in_handler_ && others_wait ? in_vain_.load(platform::relaxed) + (put_off ? 0 : 1) : 0;
    polled();
    unserved_.store(others_wait ? 1 : 0, platform::relaxed);
    in_vain_.store(vain, platform::relaxed);
  }
  /// As if it had polled: a poll that it owed before is void (INTERRUPT-4).
  void owes_nothing() noexcept {
    polled();
    leaves_no_thief_waiting();
  }

  /// Whether the worker sleeps without a clock, as it has nothing to watch.
  void set_dozes(bool dozes) noexcept { dozes_.store(dozes ? 1 : 0, platform::relaxed); }  // fenced (INTERRUPT-6)

  /// The handler of interrupts, on whatever thread the system runs it.
  static void on_interrupt() noexcept;

  // -- the watchdog's: any other thread

  bool dozes() const noexcept { return dozes_.load(platform::relaxed) != 0; }  // relaxed: fenced (INTERRUPT-6)
  /// A hint.
  bool is_in_task() const noexcept { return where() == whereabouts::task; }

  /// Whether no thread is the worker: a primary between two visits. A hint.
  bool is_outside() const noexcept { return where() == whereabouts::outside; }

  /// Whether a thread is the worker now. If the caller has called presence::begin_interrupt before, that thread lives until
  /// end_interrupt, and the worker's handle is that thread's.
  bool has_thread() const noexcept {
    const bool has = !is_outside();
    P::fence();  // PRIMARY-2; pairs with the one in primary::visit, which comes after the handle
    return has;
  }

  /// Whether an interrupt could be of use (INTERRUPT-4). The worker must be in a task. It was signalled, or others wait
  /// for tasks that it may have made since its last poll and that no other thread sees. A hint.
  bool owes_a_poll() const noexcept;

  /// INTERRUPT-10: whether the worker has owed that poll for so long, as far as watchdogs have seen. True for one
  /// caller only, and not again before the same time has passed.
  bool overdue(std::uint64_t now_ns, std::uint64_t after_ns) noexcept;

  /// Interrupts the worker if it is in a task and not blocked. A blocked worker is in a call of the program, which
  /// must not be disturbed. Returns whether it did.
  bool interrupt();

 private:
  void handle_interrupt() noexcept;
  std::uint64_t patience(std::uint64_t after_ns) const noexcept;

  worker<P>& me_;
  bool in_handler_ = false;
  bool goes_away_ = false;
  typename P::template atomic<whereabouts> where_{whereabouts::runtime};
  typename P::template atomic<std::uint32_t> polls_{1};
  typename P::template atomic<std::uint32_t> unserved_{0};  // 1: the last poll left others waiting
  typename P::template atomic<std::uint32_t> in_vain_{0};  // interrupts in a row that did so
  // When the worker was first seen to owe a poll: polls_ then, and the time in microseconds; 32 bits each.
  typename P::template atomic<std::uint64_t> note_{0};
  typename P::template atomic<std::uint32_t> dozes_{0};  // 1: sleeps without a clock
};

}  // namespace leat::inline LEAT_ABI::scheduler
