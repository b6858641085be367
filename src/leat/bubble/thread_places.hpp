// The places of green threads: how one comes to a list, leaves it, or takes another's place there. Rules THREAD-1
// to THREAD-5, BUBBLE-4, BUBBLE-5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "leat/bubble/bubble_scheduler.hpp"
#include "leat/bubble/carrier_set.hpp"
#include "leat/bubble/domain_lists.hpp"

namespace leat::inline LEAT_ABI::bubbles {

template <class P>
void tell_all(waiter<P>* first);

/// A green thread that does not execute is on the list of its area, is held in its bubble, or is in the line
/// of the thing that it waits for. These functions take it from one place to the next, each under the lock of
/// the area's list, and keep its bubble's count of members that execute. As soon as a thread is on a list, or
/// held, another carrier may execute it to its end: nothing of it is touched then.
template <class P>
class thread_places {
 public:
  using domain_id = topology::domain_id;
  using phase = typename green_thread<P>::phase;
  using bubble_phase = typename bubble_node<P>::phase;
  using area_lock = typename domain_lists<P>::area_lock;

  thread_places(const domain_lists<P>& lists, carrier_set<P>& carriers, bubble_scheduler<P>& bubbles) noexcept
      : lists_(lists), carriers_(carriers), bubbles_(bubbles) {}

  /// A thread that has stopped, or that yields and is the caller's, comes to its list, or is held with its
  /// bubble. Under no lock of a list; if its bubble is recalled, not under the bubbles' lock either.
  void put(green_thread<P>& s, phase was) {
    bubble_node<P>* const b = s.holder;
    if (put_if(s, was, [&s] { return s.holder == nullptr || stays_in(s); })) return;
    // BUBBLE-8: the thread may be the one that closes its bubble. Once it is put another may do that, and then all
    // of the bubble may end and be gone; but not while the bubbles' lock is held here.
    waiter<P>* told = nullptr;
    {
      const holding<P> all(bubbles_.lock());
      // relaxed: it is written under the bubbles' lock, too
      if (s.leaves.load(platform::relaxed) != 0) move_out(s, [&] { return stops(s, was); }, told);
      else put_if(s, was, [] { return true; });
      bubbles_.close_if_back(*b);
    }
    tell_all(told);
  }

  /// BUBBLE-9: a member goes out of its bubble to the list of the whole machine, if it neither executes nor waits; else it
  /// does so when it is put. Joiners of bubbles that have no thread then are added to `told`. Under the bubbles' lock.
  void remove(green_thread<P>& s, waiter<P>*& told) {
    const auto may_now = [&s] {
      const bool may = s.now == phase::held || s.now == phase::waiting;
      if (!may) s.leaves.store(1, platform::relaxed);  // relaxed: put looks under the lock of the same list
      return may;
    };
    move_out(s, may_now, told);
  }

  /// BUBBLE-10: any thread, while the thread has not ended. A carrier is told, as a thread that is alone on its list is not
  /// seen there for a moment.
  void set_priority(green_thread<P>& s, std::int32_t priority) {
    domain_id area = topology::root_domain;
    {
      const area_lock at(lists_, s);
      area = at.area();
      const bool listed = s.listed;
      if (listed) at.list().remove(s);
      s.priority = priority;
      s.own_priority.store(priority, platform::relaxed);  // relaxed: the thread reads it when it next yields
      if (listed) at.list().push(s);
      else return;
    }
    carriers_.announce(area);
  }

  /// The same as put for a thread that has stopped, on any thread of the system.
  void wake(green_thread<P>& s) {
    const visit here(*this);
    put(s, phase::blocked);
  }

  /// The same for the first of several waiters, which is a thread of these places, and all after it that
  /// belong on the same list. They are taken from `told`, the others stay there in their order. O(waiters), under the
  /// lock of one list; one announcement for all.
  void wake_first(waiter<P>*& told) {
    const visit here(*this);
    const domain_id area =
        told->thread->area.load(platform::acquire);  // acquire: pairs with the stores of burst and widen
    std::size_t listed = 0;
    bool members = false, any = false;
    {
      list<P>& l = lists_[area];
      const holding<P> one(l.lock());
      for (waiter<P>** w = &told; *w != nullptr;) {
        green_thread<P>* const s = (*w)->thread;
        if ((*w)->places != this || !may_wake_on(*s, area)) {
          if (!any) break;
          w = &(*w)->next;
          continue;
        }
        any = true;
        *w = (*w)->next;  // before it is listed: the waiter lies on the thread's own stack
        listed += list_or_hold(*s, l);
        members = members || s->holder != nullptr;
      }
    }
    // From here on others may execute them, and they may be gone.
    if (!any) return put(*std::exchange(told, told->next)->thread, phase::blocked);
    if (listed == 0) return;
    if (members) carriers_.announce_member(area, listed);
    else carriers_.announce(area, listed);
  }

  /// The thread that a carrier executes is about to block, or does not after all: for its bubble (BUBBLE-5). Before the
  /// thread is in the line of the thing that it waits for, since it may be woken as soon as it is there, and put
  /// takes it for one that has stopped. Between the two locks of `stop` the bubble stays, as the thread counts in it.
  void stop(green_thread<P>& s) noexcept {
    bubble_node<P>* const b = s.holder;
    if (b == nullptr) return;
    {
      const area_lock at(lists_, s);
      s.now = phase::blocked;
      if (--b->running != 0 || b->now != bubble_phase::recalled) return;
    }
    const holding<P> all(bubbles_.lock());
    bubbles_.close_if_back(*b);
  }
  void go_on(green_thread<P>& s) noexcept {
    if (s.holder == nullptr) return;
    const area_lock at(lists_, s);
    begin(s);
  }

  /// The first on a list, if it is a thread of priority `least` or more (THREAD-2): the thread that was seen may
  /// have gone, and the first one now may have a lower priority than that of another list. Or null.
  green_thread<P>* take_first(domain_id area, std::int32_t least) noexcept {
    list<P>& l = lists_[area];
    const holding<P> one(l.lock());
    entity<P>* const first = l.first();
    if (first == nullptr || first->what != head::kind::thread || first->priority < least) return nullptr;
    l.remove(*first);
    auto& s = static_cast<green_thread<P>&>(*first);
    begin(s);
    return &s;
  }

  /// THREAD-3: puts `s`, which the caller's carrier executes, in the place of the first thread on the list of
  /// `area`, if both belong there. That first one; or null. Most switches call this.
  [[gnu::flatten]] green_thread<P>* exchange(green_thread<P>& s, domain_id area) noexcept {
    list<P>& l = lists_[area];
    const holding<P> one(l.lock());
    if (s.area.load(platform::relaxed) != area) return nullptr;  // relaxed: it changes under this lock
    // relaxed: `leaves` is written under this lock
    if (s.holder != nullptr && (s.holder->now != bubble_phase::burst || s.leaves.load(platform::relaxed) != 0))
      return nullptr;
    entity<P>* const first = l.first();
    if (first == nullptr || first->what != head::kind::thread || !gives_way(s.priority, first->priority))
      return nullptr;
    // The list has as many threads as before, so no carrier is told. Of two threads of one bubble the count of those
    // that execute is the same afterwards, and a recall, which takes this lock, sees nothing in between.
    if (s.holder != nullptr) --s.holder->running;
    s.now = phase::waiting;
    l.exchange(*first, s);
    auto* const next = static_cast<green_thread<P>*>(first);
    begin(*next);
    return next;
  }

  /// Returns when no thread of the system is in here any more that is not a carrier's. None comes any more.
  void wait_for_visitors() noexcept {
    while (visitors_.load(platform::acquire) != 0) P::yield();  // acquire: pairs with ~visit
  }

 private:
  // Keeps all this from ending while a thread of the system is in it that no carrier of these executes.
  class visit {
   public:
    explicit visit(thread_places& p) noexcept : visitors_(p.carriers_.carries_here() ? nullptr : &p.visitors_) {
      // relaxed: run_threads waits for the end of the thread that is put here, and that comes later; only
      // then it reads the count.
      if (visitors_ != nullptr) visitors_->fetch_add(1, platform::relaxed);
    }
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;
    ~visit() {
      if (visitors_ != nullptr) visitors_->fetch_sub(1, platform::release);  // pairs with wait_for_visitors
    }

   private:
    typename P::template atomic<std::uint32_t>* const visitors_;
  };

  // Under the lock of its list.
  static void begin(green_thread<P>& s) noexcept {
    s.now = phase::running;
    if (s.holder != nullptr) ++s.holder->running;
  }

  // As put, if it may be done so, as `may` says under the lock of the thread's list. Whether it was.
  template <class May>
  bool put_if(green_thread<P>& s, phase was, May may) {
    const bool is_member = s.holder != nullptr;
    bool listed = false;
    domain_id area = topology::root_domain;
    {
      const area_lock at(lists_, s);
      if (!may()) return false;
      if (is_member) stops(s, was);
      listed = list_or_hold(s, at.list());
      area = at.area();
    }
    // From here on another carrier may execute it, and it may be gone.
    if (!is_member) carriers_.announce(area);
    else if (listed) carriers_.announce_member(area);
    return true;
  }

  // Under the lock of its list: a member that executed until now does not any more. True.
  static bool stops(green_thread<P>& s, phase was) noexcept {
    if (was == phase::running) --s.holder->running;
    return true;
  }

  // Under the bubbles' lock: a member goes to the list of the whole machine, if it may, as `may` says under the locks of
  // its list and that one. Whether it has. The bubble lasts until the caller releases the lock.
  template <class May>
  [[gnu::noinline]] bool move_out(green_thread<P>& s, May may, waiter<P>*& told) {
    bubble_node<P>& b = *s.holder;
    {
      const domain_id area = s.area.load(platform::relaxed);  // relaxed: under the bubbles' lock
      const typename domain_lists<P>::pair_lock both(lists_, area, topology::root_domain);
      if (!may()) return false;
      if (s.listed) lists_[area].remove(s);
      s.leaves.store(0, platform::relaxed);  // relaxed: under the lock of its list
      b.remove(s);
      s.area.store(topology::root_domain, platform::release);  // pairs with area_lock
      s.now = phase::waiting;
      lists_[topology::root_domain].push(s);
    }
    // From here on another carrier may execute it, and it may be gone.
    b.count_fewer(1, told);
    bubbles_.forget_ended(b);
    carriers_.announce(topology::root_domain);
    return true;
  }

  // Under the lock of its list: the thread is on it from now on, or held if its bubble has not burst. Whether
  // it is on the list.
  static bool list_or_hold(green_thread<P>& s, list<P>& l) noexcept {
    if (s.holder != nullptr && s.holder->now != bubble_phase::burst) {
      s.now = phase::held;
      return false;
    }
    s.now = phase::waiting;
    l.push(s);
    return true;
  }

  // Under the lock of the list of its area: whether a member goes there, or is held, without the bubbles' lock.
  static bool stays_in(const green_thread<P>& s) noexcept {
    // relaxed: it is written under this lock
    return s.holder->now != bubble_phase::recalled && s.leaves.load(platform::relaxed) == 0;
  }

  // Under the lock of the list of `area`. Not where the thread's bubble is recalled: that takes the bubbles'
  // lock (put).
  static bool may_wake_on(const green_thread<P>& s, domain_id area) noexcept {
    if (s.area.load(platform::relaxed) != area) return false;  // relaxed: it changes under this lock
    return s.holder == nullptr || stays_in(s);
  }

  const domain_lists<P>& lists_;
  carrier_set<P>& carriers_;
  bubble_scheduler<P>& bubbles_;
  typename P::template atomic<std::uint32_t> visitors_{0};
};

/// Ends a wait, which a caller has taken out of its line. Nothing of `w` is touched after that. Any thread; not under
/// a lock that the waiting thread may want at once.
template <class P>
void tell(waiter<P>& w) {
  if (w.thread != nullptr) return w.places->wake(*w.thread);
  w.told.store(1, platform::release);  // pairs with block
  P::wake_one(w.told);  // by its address alone
}

/// The same for several. Those that belong on one list come there together: each change of a list costs a
/// transfer of its cache line, and one of the words of all units that rest beneath it.
template <class P>
void tell_all(waiter<P>* first) {
  while (first != nullptr) {
    if (first->thread != nullptr) first->places->wake_first(first);
    else tell(*std::exchange(first, first->next));
  }
}

}  // namespace leat::inline LEAT_ABI::bubbles
