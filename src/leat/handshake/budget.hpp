// The CPUs that several runtimes of a process share (options::share_cpus).
//
// Rules, cited in the code. A worker is *busy* from the moment that it is admitted to tasks until it has none and asks for tasks of
// any run, or blocks. A runtime is *starved* once it had tasks and idle workers for them, and found no room, until no worker of it is busy.
//  BUDGET-1  Each runtime that shares has an account of its busy workers, and the budget their sum. They change at the places where a
//      capped run's count does (CAP-1 to CAP-3). Why: only idle workers can give way. Tasks stay with their worker until it
//      polls.
//  BUDGET-2  A victim admits a thief only if the sum is below the number of CPUs, and if no other runtime is starved or its own has less
//      than its share. A root is admitted in any case, a thread that comes back or enters, and one thief for each worker that
//      blocks. Why: each run goes on, with one worker at least. Shares keep the runtime that came first
//      from getting back each CPU that it gives up.
//  BUDGET-3  Without room a worker takes the idle pool for empty (CAP-4), a thief asks no victim, and a worker that waits does not spin.
//      Why: both would take the CPU of a busy worker.
//  BUDGET-4  A poll that finds no room, or a combiner that has an offer, marks its runtime as starved, fences, and reads the counts again. A worker that leaves counts,
//      fences, and notifies all starved runtimes, whose managers signal their workers. Why: one of the two sees the other.
//  BUDGET-5  An account is notified under its lock, and closed under it before its runtime ends.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "leat/handshake/spin_lock.hpp"
#include "leat/platform/order.hpp"

namespace leat::inline LEAT_ABI::handshake {

/// Of a process, or of a simulated world. Any thread.
template <class P>
class budget {
 public:
  /// Runtimes that may share. Further ones have all CPUs to themselves.
  static constexpr std::size_t accounts_max = 64;

  constexpr explicit budget(std::uint32_t cpus = 0) noexcept : cpus_(cpus) {}
  budget(const budget&) = delete;
  budget& operator=(const budget&) = delete;

  /// Before the first account, where the constructor did not say.
  void set_cpus(std::uint32_t cpus) noexcept { cpus_.store(cpus, platform::relaxed); }  // relaxed: a number

  /// In a forked child, where no runtime of the parent has workers.
  void forget() noexcept {
    for (auto* count : {&busy_, &active_, &starved_})
      count->store(0, platform::relaxed);  // relaxed: there is one thread
    for (place& p : places_) p.lock.unlock(), p.of = nullptr;
  }

  /// Of one runtime, or of one that does not share: then there is always room.
  class account {
   public:
    /// \param of     null: the runtime does not share
    /// \param told  has the workers of `home`, the runtime, poll again
    account(budget* of, void (*told)(void*), void* home) noexcept : notify_(told), home_(home) {
      for (std::size_t i = 0; of != nullptr && i < accounts_max; ++i) {
        auto& p = of->places_[i];
        const holding<P> held(p.lock);
        if (p.of != nullptr) continue;
        p.of = this;
        place_ = i;
        of_ = of;
        return;
      }
    }
    account(const account&) = delete;
    account& operator=(const account&) = delete;
    ~account() { close(); }

    /// In a forked child.
    void abandon() noexcept { of_ = nullptr; }

    bool shares() const noexcept { return of_ != nullptr; }

    /// BUDGET-5: it is not notified from here on. All workers have left.
    void close() noexcept {
      if (of_ == nullptr) return;
      {
        auto& p = of_->places_[place_];
        const holding<P> held(p.lock);
        p.of = nullptr;
      }
      end_starvation();
      of_ = nullptr;
    }

    /// BUDGET-2: admits a thief, if there is room.
    bool admit() noexcept {
      if (of_ == nullptr) return true;
      if (take_owed()) return enter(), true;
      std::uint32_t now = of_->busy_.load(platform::relaxed);  // relaxed: compared below
      while (now < of_->cpus() && may_have_more()) {
        if (of_->busy_.compare_exchange_strong(now, now + 1, platform::relaxed,
                                               platform::relaxed)) {  // relaxed: a count
          count_in();
          return true;
        }
      }
      return false;
    }
    /// BUDGET-2: a worker is busy, whether or not there is room.
    void enter() noexcept {
      if (of_ == nullptr) return;
      of_->busy_.fetch_add(1, platform::relaxed);  // relaxed: a count
      count_in();
    }
    /// A busy worker is not any more. On a thread that may combine.
    void leave() {
      if (of_ == nullptr) return;
      const bool last = busy_.fetch_sub(1, platform::relaxed) == 1;  // relaxed, all: counts; the fence orders them
      if (last) of_->active_.fetch_sub(1, platform::relaxed);
      of_->busy_.fetch_sub(1, platform::relaxed);
      P::fence();  // BUDGET-4; pairs with the one in has_room_or_starves
      if (of_->starved_.load(platform::relaxed) != 0) notify_starved();
      if (last) end_starvation();  // after that: a worker that marks the runtime later sees the subtraction
    }

    /// BUDGET-3: for how long an idle or waiting worker spins now, which would be `ns`: not if busy workers of several runtimes
    /// have all CPUs.
    std::uint64_t spin_ns(std::uint64_t ns) const noexcept { return is_crowded() ? 0 : ns; }

    /// BUDGET-4: the runtime's own workers poll again, as there is room.
    void notify() {
      if (of_ != nullptr) notify_(home_);
    }

    /// A busy worker waits for tasks of its run, wherever they are; it does not any more.
    void ask() noexcept { asking_.fetch_add(1, platform::relaxed); }  // relaxed, both: as admission::ask
    void ask_no_more() noexcept { asking_.fetch_sub(1, platform::relaxed); }

    /// BUDGET-2: a busy worker blocks, and is owed one that takes its place; it is back.
    void block() {
      if (of_ == nullptr) return;
      owed_.fetch_add(1, platform::relaxed);  // relaxed: the block's message to the manager follows
      leave();
    }
    void come_back() noexcept {
      enter();
      static_cast<void>(take_owed());
    }

    /// Whether a thief would be admitted. A hint.
    bool has_room() const noexcept {
      if (of_ == nullptr || owed_.load(platform::relaxed) != 0) return true;  // relaxed, both: a hint
      return of_->busy_.load(platform::relaxed) < of_->cpus() && may_have_more();
    }

    /// BUDGET-3, BUDGET-4: whether no thief can have tasks now; then marks the runtime as starved. `wants`: the caller has
    /// some, and requests are pooled. Without tasks it goes on polling.
    bool turns_thieves_away(bool wants) noexcept {
      if (!wants || asking_.load(platform::relaxed) != 0) return false;  // relaxed: as admission::turns_thieves_away
      return !has_room_or_starves();
    }

    /// BUDGET-4: the same as has_room, for one that is notified later where there is none.
    bool has_room_or_starves() noexcept {
      if (has_room()) return true;
      // relaxed: the fence orders it. The sum may wrap around for a moment, where the mark is taken back before it is counted.
      if (is_starved_.load(platform::relaxed) == 0 && is_starved_.exchange(1, platform::relaxed) == 0)
        of_->starved_.fetch_add(1, platform::relaxed);
      P::fence();  // BUDGET-4; pairs with the one in leave
      return has_room();
    }

   private:
    // A hint.
    bool is_crowded() const noexcept {
      return of_ != nullptr && of_->busy_.load(platform::relaxed) >= of_->cpus() &&
             of_->active_.load(platform::relaxed) > 1;  // relaxed, both: hints
    }

    void count_in() noexcept {
      if (busy_.fetch_add(1, platform::relaxed) == 0) of_->active_.fetch_add(1, platform::relaxed);  // relaxed: counts
    }

    bool take_owed() noexcept {
      std::uint32_t now = owed_.load(platform::relaxed);  // relaxed, both: a count
      while (now != 0 && !owed_.compare_exchange_strong(now, now - 1, platform::relaxed, platform::relaxed)) {
      }
      return now != 0;
    }

    // It has no busy worker.
    void end_starvation() noexcept {
      if (of_ == nullptr || is_starved_.load(platform::relaxed) == 0) return;  // relaxed, all: hints and counts
      if (is_starved_.exchange(0, platform::relaxed) != 0) of_->starved_.fetch_sub(1, platform::relaxed);
    }

    // BUDGET-2. relaxed, all: hints; one CPU too many goes to a runtime that has its share, for one task.
    bool may_have_more() const noexcept {
      if (of_->starved_.load(platform::relaxed) == is_starved_.load(platform::relaxed)) return true;
      const std::uint32_t share = of_->cpus() / std::max(of_->active_.load(platform::relaxed), 1u);
      return busy_.load(platform::relaxed) < std::max(share, 1u);
    }

    // All of them: one may be in a serial part, and have no use for it.
    void notify_starved() {
      for (place& p : of_->places_) {
        const holding<P> held(p.lock);
        if (p.of == nullptr || p.of->is_starved_.load(platform::relaxed) == 0)
          continue;  // relaxed: ordered by leave's fence
        p.of->notify_(p.of->home_);
      }
    }

    void (*const notify_)(void*);
    void* const home_;
    budget* of_ = nullptr;
    std::size_t place_ = 0;
    alignas(platform::cache_line) typename P::template atomic<std::uint32_t> busy_{0};
    typename P::template atomic<std::uint32_t> asking_{0};
    typename P::template atomic<std::uint32_t> owed_{0};
    typename P::template atomic<std::uint32_t> is_starved_{0};
  };

 private:
  struct place {
    spin_lock<P> lock;
    account* of = nullptr;  // under the lock
  };

  std::uint32_t cpus() const noexcept { return cpus_.load(platform::relaxed); }  // relaxed: a number

  typename P::template atomic<std::uint32_t> cpus_;
  alignas(platform::cache_line) typename P::template atomic<std::uint32_t> busy_{0};
  typename P::template atomic<std::uint32_t> active_{0};  // accounts with busy workers
  typename P::template atomic<std::uint32_t> starved_{0};  // accounts that are
  std::array<place, accounts_max> places_{};
};

}  // namespace leat::inline LEAT_ABI::handshake
