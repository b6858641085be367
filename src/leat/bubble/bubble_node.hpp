// A bubble as the scheduler of threads sees it: a node in the tree of bubbles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

#include "leat/bubble/domain_loads.hpp"
#include "leat/bubble/entity.hpp"
#include "leat/bubble/green_thread.hpp"
#include "leat/bubble/policy.hpp"
#include "leat/bubble/wait_line.hpp"

namespace leat::inline LEAT_ABI::bubbles {

/// The program's wishes for a bubble, when it was made.
struct bubble_plan {
  static constexpr std::uint32_t depth_open = ~std::uint32_t{0};

  std::int32_t priority = 0;
  affinity members = affinity::data;
  std::uint32_t depth = depth_open;  ///< of the domain where it bursts; depth_open: rule BUBBLE-2 says it
  std::uint64_t slice_ns = 0;
  double work = 0;  ///< 0: as much as it has threads
  bool stays = false;  ///< idle units leave it where it is
  const bubbles::policy* policy = nullptr;  ///< null: that of the call of run_threads
};

/// Guarded by the bubbles' lock (bubble_scheduler), except where another lock is named. Its handle is a
/// `bubble`.
///
/// A bubble's phases: filling, closed, burst; recalled and closed again, as often as it is regenerated;
/// joined. A thread of it that executes or wakes finds the phase under the lock of its area's list, and so
/// knows whether it goes to that list or is held.
///
/// A bubble in another one stays `filling` until that one bursts, though it is woken with it. So only the phase
/// of the outermost bubble says whether threads may have begun (sleeps).
template <class P>
struct bubble_node : entity<P> {
  enum class phase : std::uint8_t {
    filling,  ///< not woken
    closed,  ///< it is on a list, or held itself; each member is held, or blocks
    burst,  ///< each member is on a list, executes or blocks
    recalled,  ///< members that execute come back by themselves; the last one closes it (BUBBLE-5)
    joined
  };

  bubble_node(std::shared_ptr<thread_scheduler<P>> h, std::uint32_t n, const bubble_plan& p)
      : entity<P>(head::kind::bubble, p.priority), home(std::move(h)), number(n), plan(p) {}

  const std::shared_ptr<thread_scheduler<P>> home;  ///< kept, as a bubble may outlive the call of run_threads
  const std::uint32_t number;  ///< in its home, from 0 in the order in which bubbles are made
  const bubble_plan plan;

  /// Both are written under the bubbles' lock and that of the list of `members_area`, so either suffices to
  /// read them (BUBBLE-4).
  phase now = phase::filling;
  topology::domain_id members_area = topology::root_domain;  ///< where it burst last
  std::size_t running = 0;  ///< threads of its own that execute. Guarded by the lock of the list of members_area

  // Written under the bubbles' lock; carriers read them without, as hints.
  typename P::template atomic<std::uint32_t> wanted{0};  ///< 1: recalled
  typename P::template atomic<std::uint64_t> burst_ns{0};  ///< when it burst, if it has a slice

  // released_on is where REGENERATION-3 brings it back to. returns_to is that, or where REGENERATION-1 put it last.
  std::uint32_t widened = bubble_plan::depth_open;  ///< it bursts no deeper any more (REGENERATION-2)
  topology::domain_id released_on = topology::root_domain;
  topology::domain_id returns_to = topology::root_domain;  ///< when it is closed the next time
  descent way;  ///< down from where it was released
  std::size_t threads = 0;  ///< that have not ended, in it and in the bubbles in it
  bool begun = false;  ///< it has burst once
  bool is_full = false;  ///< nothing more is inserted
  member_list<P> members;
  // Linked both ways, so that a bubble that is recalled, or ends, leaves the row in O(1).
  bubble_node* next_burst = nullptr;  ///< among all that have burst
  bubble_node* before_burst = nullptr;
  wait_line<P> joiners;
  std::exception_ptr failure;  ///< the first of a member without a handle

  /// Whether it and all in it are held until it is woken, or the bubble that it is in.
  bool sleeps() const noexcept {
    const bubble_node* b = this;
    while (b->holder != nullptr) b = b->holder;
    return b->now == phase::filling;
  }

  /// Whether something is in it, or in a bubble in it. Lasts while the caller keeps that there.
  /// O(bubbles around it).
  bool holds(const entity<P>& e) const noexcept {
    for (const bubble_node* b = e.holder; b != nullptr; b = b->holder)
      if (b == this) return true;
    return false;
  }

  /// How much there is to do in it.
  double amount() const noexcept { return plan.work != 0 ? plan.work : static_cast<double>(threads); }

  /// For a policy.
  bubble_seen seen() const noexcept { return {number, this->priority, plan.members, threads, amount()}; }

  /// The holder and the row change together, under the bubbles' lock; the counts are the caller's (bubble_members).
  void add(entity<P>& e) noexcept {
    e.holder = this;
    members.add(e);
  }
  void remove(entity<P>& e) noexcept {
    members.remove(e);
    e.holder = nullptr;
  }

  /// So many threads more, or fewer, are in this bubble, and in those around it. Joiners that wait for the last of them
  /// are added to `told`, whose waits the caller ends after it has released the lock.
  void count_more(std::size_t more) noexcept {
    for (bubble_node* b = this; b != nullptr; b = b->holder) b->threads += more;
  }
  void count_fewer(std::size_t fewer, waiter<P>*& told) noexcept {
    for (bubble_node* b = this; b != nullptr; b = b->holder)
      if ((b->threads -= fewer) == 0) b->joiners.take_into(told);
  }

  /// Calls f for each thread, or bubble, that is directly in it. f does not remove members.
  template <class F>
  void each_thread(F f) const {
    for (entity<P>* m = members.first(); m != nullptr; m = m->sibling_after)
      if (m->what == head::kind::thread) f(static_cast<green_thread<P>&>(*m));
  }
  template <class F>
  void each_bubble(F f) const {
    for (entity<P>* m = members.first(); m != nullptr; m = m->sibling_after)
      if (m->what == head::kind::bubble) f(static_cast<bubble_node&>(*m));
  }
};

}  // namespace leat::inline LEAT_ABI::bubbles
