// The watchdog: it interrupts workers that owe a poll (thesis 3.6.4; LCWS section 4).
//
// Page with the rules INTERRUPT-1 to INTERRUPT-11: docs/internals/interrupts.md. Workers that sleep for want of work
// watch the others. While there is no run, or no worker sleeps, there is no watch, and no clock runs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "leat/events/counters.hpp"
#include "leat/platform/order.hpp"
#include "leat/protocol/request.hpp"

namespace leat::inline LEAT_ABI::handshake {

/// The longest time between two checks of the keeper, unless it is configured to wait longer.
inline constexpr std::uint64_t watch_interval_ns_max = 10'000'000;

/// `Home` is the scheduler: under_way() tells whether there is a run; worker_at(i) is a worker, of those below
/// workers_started(). Each has an id, a parker, its counts, and a
/// monitor, which tells whether it owes a poll; notify() wakes it.
template <class P, class Home>
class watch {
 public:
  /// Checks that each sleeper makes for itself: the first notes the workers that owe a poll, the second finds which of
  /// them still do.
  static constexpr unsigned own_checks = 2;

  /// \param after_ns      a worker that has owed a poll for that long is interrupted; 0: never
  /// \param on_interrupt  the handler, on the interrupted thread
  watch(Home& home, std::uint64_t after_ns, void (*on_interrupt)() noexcept)
      : home_(home), after_ns_(after_ns), on_interrupt_(on_interrupt) {
    if (on()) P::claim_interrupts(on_interrupt_);
  }
  watch(const watch&) = delete;
  watch& operator=(const watch&) = delete;
  ~watch() {
    if (on()) P::release_interrupts(on_interrupt_);
  }

  bool on() const noexcept { return after_ns_ != 0; }

  /// Waits until ready() is true, spinning for `spin_ns` first, as parker::wait does. For worker `me`, whose request
  /// is out. Meanwhile it interrupts workers that owe a poll. Returns whether it slept.
  /// \param idle_spin_ns  while no run is under way, it spins for so long at most
  template <class Worker, class Ready>
  bool sleep(Worker& me, Ready ready, std::uint64_t spin_ns, std::uint64_t idle_spin_ns = ~std::uint64_t{0}) {
    if (!on()) return rest(me, ready, spin_ns);
    bool slept = false;
    unsigned checks = 0;
    std::uint64_t interval = after_ns_;
    while (!ready()) {
      const bool keeper = keep_watch(me);
      if (!home_.under_way() || (!keeper && checks >= own_checks)) {
        slept = doze(me, ready, std::min(spin_ns, idle_spin_ns)) || slept;
        checks = 0;
        interval = after_ns_;
      } else {
        const std::uint64_t spin = std::min(spin_ns, interval);
        spin_ns -= spin;
        const auto stirs = [&] { return ready() || (idle_spin_ns < spin && !home_.under_way()); };
        if (me.parker.spin(stirs, spin)) continue;
        slept = slept || spin < interval;
        if (rest_for(me, ready, interval - spin)) break;
        check_all(me, ready);
        if (++checks >= own_checks) interval = std::min(2 * interval, std::max(watch_interval_ns_max, after_ns_));
      }
    }
    leave(me);
    return slept;
  }

  /// The first run for some time has been submitted, so a keeper must be awake.
  void begin() {
    if (!on()) return;
    P::fence();  // INTERRUPT-6; pairs with the fence of a dozing keeper in parker::wait, and with the one in leave
    const std::uint32_t keeper = keeper_.load(platform::acquire);  // acquire: pairs with keep_watch; it exists
    if (keeper == none) return call_another(0);
    auto& w = home_.worker_at(keeper - 1);
    if (w.monitor.dozes()) w.notify();  // else its clock runs
  }

  /// Interrupts workers that have owed a poll for too long. Stops when ready() is true: with thousands of workers
  /// a round takes milliseconds. For worker `me`, inside the runtime, with a run under way.
  template <class Worker, class Ready>
  void check_all(Worker& me, Ready ready) {
    const std::uint64_t now = P::now_ns();
    for (std::uint32_t i = 0; i < home_.workers_started() && !ready(); ++i) {
      auto& w = home_.worker_at(i);
      if (w.id() != me.id() && w.monitor.owes_a_poll() && w.monitor.overdue(now, after_ns_) && w.monitor.interrupt())
        me.counts.add(event::interrupts);
    }
  }

 private:
  // Of keeper_, which has the keeper's number plus one.
  static constexpr std::uint32_t none = 0;

  bool vacant() const noexcept { return keeper_.load(platform::relaxed) == none; }  // relaxed: a hint, or fenced

  // INTERRUPT-5: whether `me` is the keeper now. A worker that finds no keeper becomes it.
  template <class Worker>
  bool keep_watch(const Worker& me) {
    std::uint32_t found = keeper_.load(platform::relaxed);  // relaxed, also on failure: only compared with `me`
    // release: pairs with begin.
    if (found == none && keeper_.compare_exchange_strong(found, me.id() + 1, platform::release, platform::relaxed)) {
      return true;
    }
    return found == me.id() + 1;
  }

  // A keeper that goes to work hands its place on, else no sleeper would watch while there is a run (INTERRUPT-6).
  template <class Worker>
  void leave(const Worker& me) {
    if (keeper_.load(platform::relaxed) != me.id() + 1) return;  // relaxed: only `me` writes its own id
    keeper_.store(none, platform::relaxed);
    P::fence();  // INTERRUPT-6; pairs with the fence of a dozing worker in parker::wait, and with the one in begin
    if (home_.under_way()) call_another(me.id());
  }

  // As parker::wait, and as parker::wait_for; the profile shows the sleep.
  template <class Worker, class Ready>
  static bool rest(Worker& me, Ready ready, std::uint64_t spin_ns) {
    if (me.parker.spin(ready, spin_ns)) return false;
    const typename decltype(me.times)::asleep shown(me.times);
    return me.parker.wait(ready, 0);
  }
  template <class Worker, class Ready>
  static bool rest_for(Worker& me, Ready ready, std::uint64_t ns) {
    const typename decltype(me.times)::asleep shown(me.times);
    return me.parker.wait_for(ready, ns);
  }

  // Sleeps without a clock, until there is something to watch and no keeper.
  template <class Worker, class Ready>
  bool doze(Worker& me, Ready ready, std::uint64_t spin_ns) {
    const auto needed = [&] {
      if (ready()) return true;
      return home_.under_way() && (vacant() || keeper_.load(platform::relaxed) == me.id() + 1);  // relaxed: fenced
    };
    me.monitor.set_dozes(true);
    const bool slept = rest(me, needed, spin_ns);
    me.monitor.set_dozes(false);
    return slept;
  }

  // Wakes one dozing worker, the next after `id`. It finds no keeper and becomes it (INTERRUPT-6).
  void call_another(protocol::worker_id id) {
    const std::uint32_t workers = home_.workers_started();
    for (std::uint32_t i = 1; i <= workers; ++i) {
      const std::uint32_t next = id + i;
      auto& w = home_.worker_at(next < workers ? next : next - workers);
      if (w.monitor.dozes() && w.notify()) return;  // after the caller's fence
    }
  }

  Home& home_;
  const std::uint64_t after_ns_;
  void (*const on_interrupt_)() noexcept;
  alignas(platform::cache_line) typename P::template atomic<std::uint32_t> keeper_{none};  // its id + 1
};

}  // namespace leat::inline LEAT_ABI::handshake
