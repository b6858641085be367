// A carrier: a worker that executes green threads, one after the other. Rules THREAD-1 to THREAD-6.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

#include "leat/bubble/thread_scheduler.hpp"
#include "leat/entry/bodies.hpp"
#include "leat/fibre/context.hpp"
#include "leat/fibre/overflow.hpp"
#include "leat/fibre/stack.hpp"
#include "leat/platform/shared.hpp"
#include "leat/platform/stacks.hpp"
#include "leat/scheduler/footing.hpp"
#include "leat/strands/strands.hpp"
#include "leat/thread/slice_watch.hpp"

namespace leat::inline LEAT_ABI::threads {

// waiting.hpp, which knows carriers.
template <class P>
void wait_in_line(scheduler::carried_wait::enlist enlist, void* by);

/// It takes threads from the lists that cover its unit. One worker may have several, each begun in a rest or
/// a wait of the one before; the innermost one executes.
///
/// A switch has two halves. The first, on the stack that is left, says which thread is left and goes on with
/// the next; the second, on the stack that is entered, says that the other one has been left (arrived). Until
/// then no carrier enters the stack that was left (THREAD-4), though its thread may be on a list, or ended. The
/// carrier itself belongs to one worker: a thread that comes back from a switch asks for its carrier anew
/// (here), for it may be another one's.
template <class P>
class LEAT_SHARED carrier : public bubbles::carrier_state<P> {
 public:
  using worker = scheduler::worker<P>;
  using state = bubbles::carrier_state<P>;

  /// For the calling worker. Throws std::bad_alloc.
  carrier(bubbles::thread_scheduler<P>& home, worker& me, topology::unit_id unit)
      : state(home.carriers, me, unit % home.machine().units(), path_up(home.machine(), unit)),
        home_(home),
        outer_(P::template own<bubbles::innermost_carrier<P>>().carries),
        outer_poll_(P::template own<scheduler::carried_poll>()),
        outer_wait_(P::template own<scheduler::carried_wait>()),
        footing_(me),
        watch_(this, describe) {
    // What may throw comes first: a carrier that could not be made leaves nothing in the words of its thread.
    home_.carriers.join(*this);
    P::template own<bubbles::innermost_carrier<P>>().carries = this;
    P::template own<scheduler::carried_poll>() = {at_poll, this};
    P::template own<scheduler::carried_wait>() = {wait_in_line<P>};
  }
  ~carrier() {
    P::template own<scheduler::carried_wait>() = outer_wait_;
    P::template own<scheduler::carried_poll>() = outer_poll_;
    P::template own<bubbles::innermost_carrier<P>>().carries = outer_;
    home_.carriers.leave(*this);
  }

  /// The innermost one of the calling worker; or null.
  static carrier* here() noexcept { return static_cast<carrier*>(state::here()); }

  bubbles::thread_scheduler<P>& home() const noexcept { return home_; }
  fibre::stack_pool<P>& stacks() noexcept { return stacks_; }

  /// The thread that it executes; or null.
  bubbles::green_thread<P>* current() const noexcept { return current_; }

  /// Whether that may leave the worker now (THREAD-6).
  bool may_switch() const noexcept { return current_ != nullptr && footing_.is_clear(); }

  /// Executes threads until all have ended, or it is dismissed. It comes back here, to its own stack, from a thread
  /// that left for no other one: nothing was in reach, it is dismissed, or the next thread's stack is still in use. In
  /// the last case that thread is `chosen_`, on no list, so this carrier executes it in any case.
  void carry() {
    for (;;) {
      bubbles::green_thread<P>* next = std::exchange(chosen_, nullptr);
      if (next == nullptr && home_.threads.over()) return;
      // Dismissed: it may have been told of a thread that others are to take now (THREAD-15), and is not to be
      // counted on.
      if (next == nullptr && this->dismissed()) return home_.carriers.begin_work(*this);
      if (next == nullptr) next = look_up();
      if (next == nullptr) {
        rest();
        continue;
      }
      while (!is_left(*next)) P::yield();  // THREAD-4: on the carrier's own stack, which no thread waits for
      home_.carriers.begin_work(*this);
      footing_.begin_thread();
      switch_from(at_, nullptr, next, false);
      footing_.end_thread();
      this->set_busy(false);
    }
  }

  /// THREAD-3: the current thread lets others of its priority or a higher one go first, if there are any. The short
  /// way takes one lock, that of the thread's own list; bubbles on the way, and lists elsewhere, take the long one.
  void yield() {
    bubbles::green_thread<P>& s = *current_;
    this->on().poll();
    home_.offers.fill();
    if (this->dismissed()) [[unlikely]]
      return give_way(nullptr);
    if (s.holder != nullptr) home_.regeneration.check_slices(s);
    const bubbles::found best = peek();
    const std::int32_t priority = s.own_priority.load(platform::relaxed);  // relaxed: any recent one will do
    const bool gives = best && bubbles::gives_way(priority, best.first().priority);
    const bool recalled = is_recalled(s);
    if (!gives && !recalled) return;
    if (gives) {
      const topology::domain_id area = s.area.load(platform::relaxed);  // relaxed: exchange looks again under the lock
      if (best.first().what == bubbles::head::kind::thread && this->path()[best.place] == area)
        if (bubbles::green_thread<P>* const next = home_.places.exchange(s, area)) return leave(next);
    }
    bubbles::green_thread<P>* const next = gives ? look_up(priority) : nullptr;
    if (next != nullptr || recalled) give_way(next);
  }

  /// The current thread, which may switch and lies where others find it, is left; returns when a carrier goes
  /// on with it. `next`: a thread that has been taken to go on with; null: the first one of the lists. Nothing of
  /// the thread is touched here once another carrier may have it, but its context, which THREAD-4 guards.
  void leave(bubbles::green_thread<P>* next) {
    bubbles::green_thread<P>& s = *current_;
    if (next == nullptr && !this->dismissed()) next = look_up();
    if (next == &s) return;  // woken, and taken back
    switch_from(s.at, &s, left_or_later(next), false);
  }

  /// The current thread has ended, and is executed no more. Its stack is in use until the switch: so the
  /// execution that is entered gives it away (arrived), and its own does not.
  [[noreturn]] void leave_for_good() {
    left_ended_ = true;
    footing_.thread_ends();
    bubbles::green_thread<P>* const next = this->dismissed() ? nullptr : look_up();
    switch_from(current_->at, current_, left_or_later(next), true);
    std::abort();  // never
  }

  /// A switch has ended here: the stack that was left is another carrier's to use. The first act on the entered
  /// stack: only now is the place where the left thread goes on in its context (context::arrive), and a carrier
  /// that entered it earlier would go on at an old place.
  void arrived() noexcept {
    bubbles::green_thread<P>* const left = std::exchange(left_, nullptr);
    if (left == nullptr) return;
    if (left_ended_) [[unlikely]]
      return bury(*left);
    left->carried.store(0, platform::release);  // pairs with is_left
  }

 private:
  // When a rest ends. Tasks are executed in it, and the carrier is as busy with them as with threads: they
  // may wait for those, and then for others to execute them. When there is no task any more it looks at all
  // lists anew.
  struct end_of_rest {
    carrier& c;

    bool operator()() const {
      if (c.has_to_look()) return true;
      return c.is_busy() ? !c.on().runner.has_tasks() : !c.is_idle();
    }
    void begins_task() const {
      if (c.is_busy()) return;
      c.home_.carriers.end_rest(c);
      c.home_.carriers.begin_work(c);
    }
  };

  static std::vector<topology::domain_id> path_up(const topology::machine& m, topology::unit_id unit) {
    auto path = m.path(unit % m.units());
    std::ranges::reverse(path);
    return path;
  }

  // A poll in a thread's code comes here (REGENERATION-7).
  static void at_poll(void* self) noexcept {
    auto& c = *static_cast<carrier*>(self);
    if (!c.may_switch()) return;
    bubbles::green_thread<P>& s = *c.current_;
    if (s.holder == nullptr || !c.slices_.may_be_over(s)) return;
    c.home_.regeneration.check_slices(s);
    // The last act: when the thread goes on `c` may be the carrier of another worker.
    if (is_recalled(s)) c.give_way(nullptr);
  }

  // Inside a signal handler.
  static std::size_t describe(void* self, const void* address, std::span<char> text) noexcept {
    const bubbles::green_thread<P>* const s = static_cast<const carrier*>(self)->current_;
    if (s == nullptr || !platform::is_below_stack(s->on.lowest(), address)) return 0;
    return fibre::describe_overflow(s->number, s->on.bytes(), text);
  }

  // Whether it is to come back to its bubble, or to leave it.
  // relaxed: a hint; a thread that is recalled later sees it at its next yield or poll, or when it waits or
  // ends.
  static bool is_recalled(const bubbles::green_thread<P>& s) noexcept {
    return s.holder != nullptr && (s.holder->wanted.load(platform::relaxed) | s.leaves.load(platform::relaxed)) != 0;
  }
  static bool is_left(const bubbles::green_thread<P>& s) noexcept {
    return s.carried.load(platform::acquire) == 0;  // acquire: pairs with arrived
  }

  bubbles::found peek() const noexcept { return home_.lists.peek(this->path()); }
  bool has_to_look() const noexcept { return peek() || home_.threads.over() || this->dismissed(); }

  // THREAD-1, THREAD-2: the thread to execute next; null: nothing of priority `least` or more is in reach. It begins
  // anew only when another carrier has changed something, or a bubble went down or burst. The poll answers thieves
  // between two threads, which may never poll themselves.
  bubbles::green_thread<P>* look_up(std::int32_t least = INT32_MIN) {
    this->on().poll();
    for (;;) {
      const bubbles::found best = peek();
      if (!best || best.first().priority < least) return nullptr;
      if (best.first().what == bubbles::head::kind::bubble) {
        home_.bubbles.send_down(*this);
        continue;
      }
      bubbles::green_thread<P>* const s = home_.places.take_first(this->path()[best.place], best.first().priority);
      if (s == nullptr) continue;
      home_.offers.fill();
      return s;
    }
  }

  // THREAD-5: it looks once more after it has said that it rests, here and elsewhere, and executes other tasks of
  // the run meanwhile. take_over looks at all bubbles that have burst, under their lock; it comes after begin_rest, so
  // that a carrier which goes to work meanwhile sees one that rests (begin_work). end_of_rest looks at the lists.
  void rest() {
    home_.carriers.begin_rest(*this);
    if (!home_.regeneration.take_over(*this, [this] { return has_to_look(); }))
      this->on().waiter.work_until(end_of_rest{*this});
    if (!this->is_busy()) home_.carriers.end_rest(*this);
    this->set_busy(false);
  }

  // The current thread is put where others find it, and left.
  void give_way(bubbles::green_thread<P>* next) {
    home_.places.put(*current_, bubbles::green_thread<P>::phase::running);
    leave(next);
  }

  // THREAD-4: `next`, if its stack has been left; else null, and it is executed from the carrier's own stack. Waiting
  // on this thread's stack could be for a carrier that waits for this very stack.
  bubbles::green_thread<P>* left_or_later(bubbles::green_thread<P>* next) noexcept {
    if (next != nullptr && !is_left(*next)) chosen_ = std::exchange(next, nullptr);
    return next;
  }

  // left_ and current_ are the message to the entered side, which reads them in arrived and in thread_main. Behind the
  // switch `this` is the carrier that left, perhaps long ago and on another worker: `now` is the one that came.
  void switch_from(fibre::context& from, bubbles::green_thread<P>* left, bubbles::green_thread<P>* next, bool last) {
    left_ = left;
    current_ = next;
    if (next != nullptr) next->carried.store(1, platform::relaxed);  // relaxed: it is this carrier's (THREAD-4)
    [[maybe_unused]] const strands::leaving_stack<P> measured;
    auto* const now = static_cast<carrier*>(from.switch_to(next == nullptr ? at_ : next->at, this, exceptions_, last));
    now->arrived();
  }

  // Out of line: a switch between two that live is the short way. The stack is taken out first, as the thread, in
  // which it lies, may be gone when its share is given up.
  [[gnu::noinline]] void bury(bubbles::green_thread<P>& ended) noexcept {
    left_ended_ = false;
    ended.at.end();
    stacks_.give(std::move(ended.on));
    ended.let_go();
  }

  bubbles::thread_scheduler<P>& home_;
  state* const outer_;
  const scheduler::carried_poll outer_poll_;
  const scheduler::carried_wait outer_wait_;
  scheduler::footing<P> footing_;
  fibre::stack_pool<P> stacks_;
  fibre::context at_;
  void* const exceptions_ = fibre::context::exceptions_of_thread();  // a carrier stays on its thread of the system
  bubbles::green_thread<P>* current_ = nullptr;
  bubbles::green_thread<P>* chosen_ = nullptr;  // to be executed next, when the carrier that has it has left its stack
  bubbles::green_thread<P>* left_ = nullptr;  // whose stack has just been left
  bool left_ended_ = false;
  slice_watch<P> slices_;
  typename P::stack_watch watch_;
};

}  // namespace leat::inline LEAT_ABI::threads
