// What the processors of one published scheduler share: the run under way, how many processors are active, and where idle
// ones sleep.
//
// Rules, cited in the code:
//  TURNS-1  One run at a time is under way: the thread that turns `taken_` from 0 to 1 has its turn. Worker 0 executes the root.
//  TURNS-2  `active_` counts the processors that may have tasks: those in a root or in a task, and thieves for the time of an
//      attempt. A thief counts itself before it touches a victim's public part; a processor that has run out counts itself out.
//      Why: while there is a task, the processor that has it is counted. So at zero no task is left, and none can come (Herlihy
//      and Shavit's termination barrier; thesis, 4.1). In prell with a manager only worker 0 counts itself, while a run is under way; without one see PRELL-6.
//  TURNS-3  `news_` changes after whatever a sleeper waits for: a run, an active processor, the end. A sleeper reads it, checks,
//      and sleeps only while it is unchanged. Why: news that come between the check and the sleep change the word.
#pragma once

#include <cassert>
#include <cstdint>

#include "leat/platform/order.hpp"
#include "leat/work/run.hpp"

namespace leat::inline LEAT_ABI::published {

template <class P>
class turns {
 public:
  // -- any thread

  /// TURNS-1: false if another run is under way.
  bool begin(work::run<P>& r) {
    if (taken_.exchange(1, platform::acq_rel) != 0) return false;  // pairs with end
    root_.store(&r, platform::release);  // pairs with take_root
    tell();
    return true;
  }
  void wait_for_turn() noexcept {
    // relaxed: begin decides.
    while (taken_.load(platform::relaxed) != 0) P::wait(taken_, 1);
  }
  void stop() noexcept {
    stopped_.store(1, platform::release);  // pairs with stopped
    tell();
  }

  // -- processors

  bool stopped() const noexcept { return stopped_.load(platform::acquire) != 0; }  // pairs with stop

  /// The root to execute, or null. Worker 0 alone.
  work::run<P>* take_root() noexcept {
    work::run<P>* const r = root_.load(platform::acquire);  // pairs with begin
    if (r != nullptr) root_.store(nullptr, platform::relaxed);  // relaxed: the next begin comes after end
    return r;
  }
  /// The run of the root that was taken is over.
  void end(work::run<P>& r) noexcept {
    taken_.store(0, platform::release);  // pairs with begin
    P::wake_all(taken_);
    r.finish();
  }

  /// The run whose tasks there are. Only a processor that has one of them may use it.
  work::run<P>* current() const noexcept { return current_.load(platform::acquire); }  // pairs with enter

  /// A processor works for run `r` from now on, and others may.
  void enter(work::run<P>& r) noexcept {
    current_.store(&r, platform::release);  // pairs with current
    count_in();
    tell();
  }

  /// TURNS-2. acq_rel, and acquire: what a processor did happens before the end that another sees.
  void count_in() noexcept { active_.fetch_add(1, platform::acq_rel); }
  void count_out() noexcept {
    assert(active_.load(platform::relaxed) != 0);
    active_.fetch_sub(1, platform::acq_rel);
  }
  bool all_idle() const noexcept { return active_.load(platform::acquire) == 0; }
  std::uint32_t active() const noexcept { return active_.load(platform::relaxed); }  // relaxed: an estimate

  // -- processors whose threads block

  std::uint32_t blocked() const noexcept {
    return blocked_.load(platform::relaxed);
  }  // relaxed: a hint, or see TURNS-3
  void block_begins() noexcept {
    blocked_.fetch_add(1, platform::relaxed);  // relaxed: tell comes after it (TURNS-3)
    tell();
  }
  void block_ends() noexcept { blocked_.fetch_sub(1, platform::relaxed); }  // relaxed: a hint

  // -- sleeping

  std::uint32_t news() const noexcept { return news_.load(platform::acquire); }  // pairs with tell
  /// TURNS-3: sleeps unless there are news since `seen` was read.
  void sleep(std::uint32_t seen) noexcept { P::wait(news_, seen); }
  void tell() noexcept {
    news_.fetch_add(1, platform::acq_rel);  // pairs with news
    P::wake_all(news_);
  }

 private:
  typename P::template atomic<work::run<P>*> root_{nullptr};
  typename P::template atomic<work::run<P>*> current_{nullptr};
  typename P::template atomic<std::uint32_t> taken_{0};
  typename P::template atomic<std::uint32_t> stopped_{0};
  typename P::template atomic<std::uint32_t> blocked_{0};
  alignas(platform::cache_line) typename P::template atomic<std::uint32_t> active_{0};
  alignas(platform::cache_line) typename P::template atomic<std::uint32_t> news_{0};
};

}  // namespace leat::inline LEAT_ABI::published
