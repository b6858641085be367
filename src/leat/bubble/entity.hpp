// What lies on the lists: threads and bubbles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "leat/bubble/context.hpp"
#include "leat/bubble/decisions.hpp"
#include "leat/bubble/spin_lock.hpp"
#include "leat/bubble/stack.hpp"
#include "leat/platform/order.hpp"
#include "leat/topology/machine.hpp"

namespace leat::bubbles {

template <class P>
class crew;
template <class P>
class list;
template <class P>
struct film;

/// What a thread and a bubble have in common. Its links are those of the list that it is on, and guarded by its lock.
template <class P>
struct entity {
  explicit entity(head::kind k, std::int32_t p) noexcept : what(k), priority(p) {}
  entity(const entity&) = delete;
  entity& operator=(const entity&) = delete;

  const head::kind what;
  const std::int32_t priority;
  bool listed = false;
  entity* before = nullptr;
  entity* after = nullptr;

  film<P>* holder = nullptr;  ///< the bubble that it is in; of one that has begun it stays the same until its end
  entity* sibling_before = nullptr;  ///< in the holder; these under the crew's lock
  entity* sibling_after = nullptr;

  /// The list that it belongs on: where a thread is put when it can go on, where a bubble lies or was released. A member's
  /// changes when its holder bursts, under both lists' locks (B4).
  typename P::template atomic<topology::domain_id> area{topology::root_domain};
};

/// Threads that wait for one thing, first come, first served. Under a lock of that thing.
template <class P>
struct waiter;

template <class P>
class line {
 public:
  bool empty() const noexcept { return first_ == nullptr; }
  void push(waiter<P>& w) noexcept {
    (first_ == nullptr ? first_ : last_->next) = &w;
    last_ = &w;
  }
  void push_first(waiter<P>& w) noexcept {
    if (first_ == nullptr) last_ = &w;
    w.next = std::exchange(first_, &w);
  }
  waiter<P>* pop() noexcept {
    waiter<P>* const w = first_;
    if (w != nullptr) first_ = std::exchange(w->next, nullptr);
    return w;
  }
  /// All of them, linked; the line is empty then.
  waiter<P>* take() noexcept { return std::exchange(first_, nullptr); }

 private:
  waiter<P>* first_ = nullptr;
  waiter<P>* last_ = nullptr;
};

/// A user-level thread: what it calls, where it is suspended, who waits for it.
template <class P>
struct strand : entity<P> {
  enum class phase : std::uint8_t { held, waiting, running, blocked };

  strand(crew<P>& c, std::int32_t p, stack<P> s, std::uint64_t n)
      : entity<P>(head::kind::thread, p), home(c), on(std::move(s)), number(n) {}
  virtual ~strand() = default;

  /// Once, on its stack.
  virtual void call() = 0;

  crew<P>& home;
  std::shared_ptr<crew<P>> kept;  ///< home, of one that is made held: its handle may outlive run_threads
  stack<P> on;
  context at;
  const std::uint64_t number;  ///< in the crew, from 0 in the order in which they were made

  /// Guarded by the lock of the area's list; only that of a member counts (B4).
  phase now = phase::held;

  /// 1 while a carrier executes it, or has not left its stack yet (T4).
  typename P::template atomic<std::uint32_t> carried{0};

  /// Its handle, and whoever executes it.
  typename P::template atomic<std::uint32_t> users{2};

  spin_lock<P> gate;  ///< guards what follows
  bool ended = false;
  bool awoken = false;  ///< a wake that no sleep has used up yet
  bool has_handle = true;
  bool released = false;  ///< on a list, or in a bubble
  line<P> joiners;
  line<P> sleeper;
  std::exception_ptr failure;  ///< once it has ended
};

/// A bubble, as its crew sees it. Guarded by the crew's lock, but for what is said.
template <class P>
struct film : entity<P> {
  enum class phase : std::uint8_t {
    filling,  ///< not woken
    closed,  ///< all that can go on is held, and it is on a list, or held itself
    burst,  ///< its members are on lists, or execute, or block
    recalled,  ///< members that execute come back by themselves; the last one closes it (B5)
    joined
  };

  film(crew<P>& c, std::int32_t p)
      : entity<P>(head::kind::bubble, p), kept(c.shared_from_this()), home(c), number(c.number_bubble()) {}

  const std::shared_ptr<crew<P>> kept;  ///< home: a bubble may outlive run_threads
  crew<P>& home;
  const std::uint32_t number;  ///< in the crew, from 0 in the order in which they were made
  affinity kind = affinity::data;
  std::uint32_t depth = depth_open;  ///< where it bursts; depth_open: by B2
  static constexpr std::uint32_t depth_open = ~std::uint32_t{0};
  std::uint32_t widened = depth_open;  ///< it bursts no deeper any more (Z2)
  std::uint64_t slice_ns = 0;
  double work = 0;  ///< that the program has said; 0: as many as its threads
  bool stays = false;  ///< idle units leave it where it is

  /// Written under the crew's lock and that of `members_area`; either suffices to read it.
  phase now = phase::filling;
  topology::domain_id members_area = topology::root_domain;  ///< where it burst last
  std::size_t running = 0;  ///< threads of its own that execute. Under the lock of members_area

  typename P::template atomic<std::uint32_t> wanted{0};  ///< 1: recalled; for who has no lock
  typename P::template atomic<std::uint64_t> burst_ns{0};  ///< when it burst, if it has a slice; under the lock

  topology::domain_id released_on = topology::root_domain;
  topology::domain_id returns_to = topology::root_domain;  ///< when it is closed the next time
  topology::domain_id sunk_from = topology::root_domain;  ///< it went down from there,
  topology::domain_id sunk_to = topology::root_domain;  ///< to here,
  double sunk_work = 0;  ///< and counts as so much work in each domain between (B1)
  std::size_t threads = 0;  ///< that have not ended, in it and in the bubbles in it
  std::size_t bubbles = 0;  ///< in it that have not been joined
  entity<P>* members = nullptr;
  entity<P>* members_last = nullptr;
  film* next_burst = nullptr;  ///< among those of the crew that have burst
  film* before_burst = nullptr;
  line<P> joiners;
  std::exception_ptr failure;  ///< the first of a member without a handle

  /// Whether it and all in it are held until it is woken, or the bubble that it is in.
  bool sleeps() const noexcept {
    const film* b = this;
    while (b->holder != nullptr) b = b->holder;
    return b->now == phase::filling;
  }

  /// Whether something is in it, or in a bubble in it. Lasts while the caller keeps that there.
  bool holds(const entity<P>& e) const noexcept {
    for (const film* b = e.holder; b != nullptr; b = b->holder)
      if (b == this) return true;
    return false;
  }

  /// How much there is to do in it.
  double amount() const noexcept { return work != 0 ? work : static_cast<double>(threads); }

  void add(entity<P>& e) noexcept {
    e.holder = this;
    e.sibling_before = members_last;
    (members_last == nullptr ? members : members_last->sibling_after) = &e;
    members_last = &e;
  }
  void remove(entity<P>& e) noexcept {
    (e.sibling_before == nullptr ? members : e.sibling_before->sibling_after) = e.sibling_after;
    (e.sibling_after == nullptr ? members_last : e.sibling_after->sibling_before) = e.sibling_before;
    e.sibling_before = e.sibling_after = nullptr;
  }
};

}  // namespace leat::bubbles
