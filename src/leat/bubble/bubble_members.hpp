// The members of bubbles: how a thread or a bubble comes into one, begins, ends, or is discarded before it
// begins. Rules THREAD-10, THREAD-11.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

#include "leat/bubble/bubble_scheduler.hpp"
#include "leat/bubble/thread_counts.hpp"
#include "leat/bubble/thread_places.hpp"

namespace leat::inline LEAT_ABI::bubbles {

/// It keeps the counts of threads in each bubble, and the lines of those that wait for a bubble's end. A
/// bubble's count is that of its own threads and of those in the bubbles in it, from their insertion to their
/// end. So it is zero exactly when nothing in the bubble can execute any more, and the bubble may be joined,
/// and destroyed. Waits end, and callables are destroyed, after the lock has been released: both may do
/// anything.
///
/// All functions that are public take the bubbles' lock.
template <class P>
class bubble_members {
 public:
  using node = bubble_node<P>;
  using bubble_phase = typename node::phase;

  bubble_members(bubble_scheduler<P>& bubbles, thread_places<P>& places, thread_counts<P>& counts) noexcept
      : bubbles_(bubbles), places_(places), counts_(counts) {}

  /// The thread is made held, or is its caller's alone, and comes into the bubble.
  void insert(node& into, green_thread<P>& s) {
    const holding<P> all(bubbles_.lock());
    check_open(into);
    if (s.holder != nullptr) refuse("insert: the thread is in a bubble already");
    if (s.released) refuse("insert: the thread was started outside of bubbles");
    // A thread that was made held counts among the held ones since then (thread_scheduler::hold); one of
    // bubble::spawn does not yet. begin comes before the bubble is changed, as it throws when the call is over.
    const bool is_counted = s.kept != nullptr;
    if (!into.sleeps()) begin("insert", 1, is_counted ? 1 : 0);
    else if (!is_counted) counts_.hold();
    into.add(s);
    s.released = true;
    into.count_more(1);
    if (into.now != bubble_phase::burst) return;
    s.area.store(into.members_area, platform::release);  // pairs with area_lock
    // The bubble has burst, so put does not ask for the bubbles' lock, which is held here.
    places_.put(s, green_thread<P>::phase::blocked);
  }

  /// The bubble comes into the other one, with all that is in it. Its threads have been counted as held since they came
  /// into it; if the outer bubble has been woken they count as released from here on (THREAD-10).
  void insert(node& into, node& b) {
    const holding<P> all(bubbles_.lock());
    check_open(into);
    if (b.now != bubble_phase::filling) refuse("insert: the bubble inside was woken already");
    if (b.holder != nullptr) refuse("insert: the bubble is in another one already");
    if (&into == &b || b.holds(into)) refuse("insert: the bubble would be inside itself");
    if (!into.sleeps()) begin("insert", b.threads, b.threads);
    into.add(b);
    into.count_more(b.threads);
    bubbles_.log().note(incident::inserted, b, topology::root_domain, into.number);
    if (into.now == bubble_phase::filling) return;
    b.now = bubble_phase::closed;
    if (into.now != bubble_phase::burst) return;
    b.released_on = b.returns_to = into.members_area;
    bubbles_.start_at(b, into.members_area);
    bubbles_.log().note(incident::released, b, into.members_area);
    bubbles_.put_on(b, into.members_area);
  }

  /// THREAD-10. The bubbles in it are woken with it, and each is released where the one around it bursts.
  void wake(node& b) {
    const holding<P> all(bubbles_.lock());
    if (b.holder != nullptr) refuse("wake: the bubble that it is in wakes it");
    if (b.now != bubble_phase::filling) refuse("wake: the bubble was woken already");
    begin("wake", b.threads, b.threads);
    b.now = bubble_phase::closed;
    bubbles_.log().note(incident::woken, b, topology::root_domain);
    bubbles_.put_on(b, topology::root_domain);
  }

  /// BUBBLE-9: a thread goes out of its bubble. One of a sleeping bubble is as before its insertion; any other one is a
  /// thread outside of bubbles from then on: at once if it does not execute, nor wait, else when it next yields or has
  /// waited.
  void remove(node& from, green_thread<P>& s) {
    waiter<P>* told = nullptr;
    {
      const holding<P> all(bubbles_.lock());
      if (s.holder != &from) refuse("remove", from, "does not have the thread, or that has ended");
      if (from.sleeps()) {
        give_up(from, s);
        from.count_fewer(1, told);
        from.remove(s);
      } else {
        places_.remove(s, told);
      }
    }
    tell_all(told);
  }

  /// The same for a bubble that has never burst. One that has may have threads that read, without a lock, which bubbles
  /// are around it.
  void remove(node& from, node& b) {
    waiter<P>* told = nullptr;
    {
      const holding<P> all(bubbles_.lock());
      if (b.holder != &from) refuse("remove", from, "does not have that bubble, or it has ended");
      if (b.begun) refuse("remove", b, "has burst, and stays in the bubble around it");
      const bool sleeps = from.sleeps();
      from.count_fewer(b.threads, told);
      bubbles_.forget_ended(from);
      if (!sleeps) bubbles_.take_off_list(b);
      from.remove(b);
      if (sleeps) {
        b.joiners.take_into(told);  // they look again, and join throws
      } else {
        b.now = bubble_phase::closed;
        b.released_on = b.returns_to = topology::root_domain;
        bubbles_.start_at(b, topology::root_domain);
        bubbles_.log().note(incident::released, b, topology::root_domain);
        bubbles_.put_on(b, topology::root_domain);
      }
    }
    tell_all(told);
  }

  /// BUBBLE-5, as when its slice is over. No effect unless it has burst.
  void recall(node& b) {
    const holding<P> all(bubbles_.lock());
    if (b.sleeps()) refuse("recall", b, "was not woken");
    if (b.now != bubble_phase::burst) return;
    b.returns_to = b.released_on;
    bubbles_.recall(b);
  }

  void close(node& b) noexcept {
    const holding<P> all(bubbles_.lock());
    b.is_full = true;
  }

  void set_priority(node& b, std::int32_t priority) {
    const holding<P> all(bubbles_.lock());
    bubbles_.set_priority(b, priority);
  }

  /// Whether nothing is to be waited for: it is joined then. Else `w` is told, if it is one.
  /// The counts change under the same lock as the line, so no end comes between the look and the wait. A waiter is
  /// also told when the bubble around is destroyed unwoken: then join throws the next time.
  bool join(node& b, waiter<P>* w) {
    const holding<P> all(bubbles_.lock());
    if (b.now == bubble_phase::joined) return true;
    if (b.now == bubble_phase::filling && b.holder == nullptr && !b.members.empty())
      refuse("join: the bubble was not woken");
    if (b.threads == 0) return finish(b), true;
    if (w != nullptr) b.joiners.push(*w);
    return false;
  }

  /// THREAD-11: the bubble is about to be destroyed. Threads in it that have not begun are discarded, or belong to
  /// their handle again. False: it may not be destroyed, for a thread in it has begun, and not ended.
  bool discard(node& b) noexcept {
    entity<P>* dropped = nullptr;
    waiter<P>* told = nullptr;
    {
      const holding<P> all(bubbles_.lock());
      if (b.now == bubble_phase::joined) return true;
      if (b.threads != 0 && !b.sleeps()) return false;
      if (b.threads != 0) disband(b, dropped, told);
      finish(b);
    }
    tell_all(told);
    while (dropped != nullptr) {
      // With its callable, whose destructor may do anything: so under no lock.
      static_cast<green_thread<P>*>(std::exchange(dropped, dropped->sibling_after))->discard();
    }
    keep(take_failure(b));
    return true;
  }

  /// THREAD-11: whether a thread that was made held, and is its handle's alone to destroy, has not begun. It is in
  /// no bubble then, and counts no more.
  bool take_back(green_thread<P>& s) noexcept {
    waiter<P>* told = nullptr;
    {
      const holding<P> all(bubbles_.lock());
      if (s.released && (s.holder == nullptr || !s.holder->sleeps())) return false;
      if (s.released) {
        s.holder->count_fewer(1, told);
        s.holder->remove(s);
      }
    }
    counts_.unhold();
    tell_all(told);
    return true;
  }

  /// The calling thread, which a carrier executes, has ended. It touches no bubble after this.
  void end(green_thread<P>& s) noexcept {
    // The bubble is there until count_fewer: the thread counts in it, so it can be neither joined nor destroyed.
    node* const b = s.holder;
    std::exception_ptr dropped;
    waiter<P>* joiners = nullptr;
    {
      // A join sees that the thread has ended, or is in the line that is taken here: both are under the gate.
      const holding<P> one(s.gate);
      s.ended = true;
      joiners = s.joiners.take();
      if (!s.has_handle) dropped = std::exchange(s.failure, nullptr);
    }
    tell_all(joiners);
    if (b == nullptr) return keep(std::move(dropped));
    places_.stop(s);
    joiners = nullptr;
    {
      const holding<P> all(bubbles_.lock());
      b->remove(s);
      // Under one lock with the count, so a joiner that finds it zero finds the exception, too.
      if (b->failure == nullptr) b->failure = std::move(dropped);
      b->count_fewer(1, joiners);
      bubbles_.forget_ended(*b);
    }
    // From here on the bubbles may be gone.
    tell_all(joiners);
  }

  /// The first exception of members without a handle.
  std::exception_ptr take_failure(node& b) noexcept {
    const holding<P> all(bubbles_.lock());
    return std::exchange(b.failure, nullptr);
  }

  /// The exception of a thread without handle or bubble, or null: the first one is kept for run_threads.
  void keep(std::exception_ptr failure) noexcept {
    if (failure == nullptr) return;
    const holding<P> all(bubbles_.lock());
    if (failure_ == nullptr) failure_ = std::move(failure);
  }
  /// That one. When all threads have ended.
  std::exception_ptr take_failure() noexcept { return std::exchange(failure_, nullptr); }

 private:
  [[noreturn, gnu::cold]] static void refuse(const std::string& why) { throw std::logic_error("leat::bubble::" + why); }

  [[noreturn, gnu::cold]] static void refuse(const char* call, const node& b, const char* why) {
    refuse(std::string(call) + ": bubble " + std::to_string(b.number) + " " + why);
  }
  static void check_open(const node& into) {
    if (into.now == bubble_phase::joined) refuse("insert: the bubble has been joined");
    if (into.is_full) refuse("insert", into, "has been closed");
  }

  // THREAD-10: so many threads are released, of which `held` have been counted as held. As long as another thread
  // has not ended there are carriers that execute them.
  void begin(const char* call, std::size_t threads, std::uint64_t held) {
    if (!counts_.release_unless_over(threads))
      refuse(std::string(call) + ": all threads of its run_threads have ended");
    counts_.unhold(held);
  }

  // All of it has ended, or is gone: it and the bubbles in it are joined. An exception that a bubble kept goes to the
  // bubble around it, if that has none.
  void finish(node& b) noexcept {
    while (!b.members.empty()) finish(static_cast<node&>(*b.members.first()));  // no thread is in it any more
    bubbles_.take_off_list(b);
    bubbles_.start_at(b, topology::root_domain);
    if (b.now == bubble_phase::burst) bubbles_.unlink_burst(b);
    if (b.holder != nullptr) {
      if (b.holder->failure == nullptr) b.holder->failure = std::exchange(b.failure, nullptr);
      b.holder->remove(b);
    }
    b.now = bubble_phase::joined;
    bubbles_.log().note(incident::ended, b, topology::root_domain);
  }

  // Takes out all that is in the sleeping bubble `b`, and so never began. Bubbles, and threads with a handle,
  // are as before they were inserted. The others are dropped: linked from `dropped` as siblings. It does not go into
  // the bubbles in it, which keep what is theirs; their threads are taken off the counts of the bubbles around.
  void disband(node& b, entity<P>*& dropped, waiter<P>*& told) noexcept {
    if (b.holder != nullptr) b.holder->count_fewer(b.threads, told);
    b.threads = 0;
    while (!b.members.empty()) {
      entity<P>& m = *b.members.first();
      b.remove(m);
      if (m.what == head::kind::bubble) {
        static_cast<node&>(m).joiners.take_into(told);  // they look again, and join throws
      } else if (!give_back(static_cast<green_thread<P>&>(m), told)) {
        counts_.unhold();
        m.sibling_after = std::exchange(dropped, &m);
      }
    }
  }

  // A thread of a sleeping bubble waits for its release again. One for whose end others wait stays: they would wait for ever.
  static void give_up(const node& from, green_thread<P>& s) {
    const holding<P> one(s.gate);
    if (!s.joiners.empty()) refuse("remove", from, "has the thread, but another one waits for that to end");
    s.released = false;
  }

  // Whether a handle has the thread. The threads that wait for its end are added to `told`; their join
  // throws, for it never begins.
  bool give_back(green_thread<P>& s, waiter<P>*& told) noexcept {
    const holding<P> one(s.gate);
    if (!s.has_handle) return false;
    s.released = !s.joiners.empty();
    if (!s.released) return true;
    s.ended = true;
    s.failure = std::make_exception_ptr(std::logic_error(
        "leat::thread::join: the thread never began: the bubble that it was in was destroyed before its wake"));
    s.joiners.take_into(told);
    s.at.end();
    // No carrier will bury the thread, so its share in the record is given up here.
    s.users.fetch_sub(1, platform::relaxed);  // relaxed: the handle's user is told after this
    counts_.unhold();
    return true;
  }

  bubble_scheduler<P>& bubbles_;
  thread_places<P>& places_;
  thread_counts<P>& counts_;
  std::exception_ptr failure_;  // guarded by the bubbles' lock
};

}  // namespace leat::inline LEAT_ABI::bubbles
