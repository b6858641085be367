// The watchdog: workers that were asked and do not answer are interrupted (thesis 3.6.4; LCWS section 4).
//
// Page with the rules I1-I7: docs/internals/interrupts.md. Who sleeps for want of work watches the others; nobody watches, and
// no clock runs, while there is no run or nobody sleeps.
#pragma once

#include <algorithm>
#include <cstdint>

#include "leat/platform/order.hpp"
#include "leat/protocol/request.hpp"
#include "leat/scheduler/counters.hpp"
#include "leat/scheduler/monitor.hpp"

namespace leat::scheduler {

template <class P>
class worker;

/// Between two looks of the worker that keeps watching, at most, unless it is configured to wait longer.
inline constexpr std::uint64_t watch_interval_ns_max = 10'000'000;

/// `Home` is the scheduler: under_way() tells whether there is a run; the workers below workers_started() are there.
template <class P, class Home>
class watch {
 public:
  /// Looks that each sleeper makes for itself: one sees who owes an answer, the next who still does.
  static constexpr unsigned own_looks = 2;

  /// \param after_ns  a worker that was asked is interrupted when it has not looked for that long; 0: never
  watch(Home& home, std::uint64_t after_ns) : home_(home), after_ns_(after_ns) {
    if (on()) P::claim_interrupts(monitor<P>::on_interrupt);
  }
  watch(const watch&) = delete;
  watch& operator=(const watch&) = delete;
  ~watch() {
    if (on()) P::release_interrupts(monitor<P>::on_interrupt);
  }

  bool on() const noexcept { return after_ns_ != 0; }

  /// How worker `me`, whose request is out, waits until ready() is true, spinning for `spin_ns` first: like
  /// parker::wait. Meanwhile it interrupts those who owe it an answer. Returns whether it slept.
  template <class Ready>
  bool sleep(worker<P>& me, Ready ready, std::uint64_t spin_ns) {
    if (!on()) return me.parker.wait(ready, spin_ns);
    bool slept = false;
    unsigned looks = 0;
    std::uint64_t interval = after_ns_;
    while (!ready()) {
      const bool keeper = keep_watch(me);
      if (!home_.under_way() || (!keeper && looks >= own_looks)) {
        slept = doze(me, ready, spin_ns) || slept;
        looks = 0;
        interval = after_ns_;
      } else {
        const std::uint64_t spin = std::min(spin_ns, interval);
        spin_ns -= spin;
        if (me.parker.spin(ready, spin)) break;
        slept = slept || spin < interval;
        if (me.parker.wait_for(ready, interval - spin)) break;
        look_at_all(me, ready);
        if (++looks >= own_looks) interval = std::min(2 * interval, std::max(watch_interval_ns_max, after_ns_));
      }
    }
    leave(me);
    return slept;
  }

  /// The first run for some time has been submitted: somebody is to keep watch.
  void begin() {
    if (!on()) return;
    P::fence();  // I6; pairs with the fence in parker::wait, of the dozing keeper, and the one in leave
    const std::uint32_t keeper = keeper_.load(platform::acquire);  // acquire: pairs with keep_watch; a spare is made
    if (keeper != nobody) home_.worker_at(keeper - 1).notify();
    else call_another(0);
  }

  /// Interrupts those who have owed an answer for too long, until ready() is true: where there are thousands, a look at all
  /// takes milliseconds. Worker `me`, inside the runtime, with a run under way.
  template <class Ready>
  void look_at_all(worker<P>& me, Ready ready) {
    const std::uint64_t now = P::now_ns();
    for (std::uint32_t i = 0; i < home_.workers_started() && !ready(); ++i) {
      worker<P>& w = home_.worker_at(i);
      if (w.id() != me.id() && w.monitor.owes_a_poll() && w.monitor.overdue(now, after_ns_) && w.monitor.interrupt())
        me.counts.add(event::interrupts);
    }
  }

 private:
  static constexpr std::uint32_t nobody = 0;

  bool vacant() const noexcept { return keeper_.load(platform::relaxed) == nobody; }  // relaxed: a hint, or fenced

  // I5: whether `me` is the keeper, now.
  bool keep_watch(const worker<P>& me) {
    std::uint32_t found = keeper_.load(platform::relaxed);  // relaxed, also on failure: only whether it is we
    // release: pairs with begin.
    if (found == nobody && keeper_.compare_exchange_strong(found, me.id() + 1, platform::release, platform::relaxed)) {
      return true;
    }
    return found == me.id() + 1;
  }

  void leave(const worker<P>& me) {
    if (keeper_.load(platform::relaxed) != me.id() + 1) return;  // relaxed: only we write that
    keeper_.store(nobody, platform::relaxed);
    P::fence();  // I6; pairs with the fence in parker::wait, of who dozes, and the one in begin
    if (home_.under_way()) call_another(me.id());
  }

  // Sleeps without a clock, until there is something to watch and nobody else who does.
  template <class Ready>
  bool doze(worker<P>& me, Ready ready, std::uint64_t spin_ns) {
    const auto needed = [&] {
      if (ready()) return true;
      return home_.under_way() && (vacant() || keeper_.load(platform::relaxed) == me.id() + 1);  // relaxed: fenced
    };
    me.monitor.set_dozes(true);
    const bool slept = me.parker.wait(needed, spin_ns);
    me.monitor.set_dozes(false);
    return slept;
  }

  // Wakes one who dozes, the next after `id`.
  void call_another(protocol::worker_id id) {
    const std::uint32_t workers = home_.workers_started();
    for (std::uint32_t i = 1; i <= workers; ++i) {
      worker<P>& w = home_.worker_at((id + i) % workers);
      if (w.monitor.dozes() && w.notify()) return;  // after the caller's fence
    }
  }

  Home& home_;
  const std::uint64_t after_ns_;
  alignas(platform::cache_line) typename P::template atomic<std::uint32_t> keeper_{nobody};  // its id + 1
};

}  // namespace leat::scheduler
