// The scopes and waits on one worker's stack. A scope executes something that another worker waits for. No atomics:
// only the worker's thread uses them, its interrupt handler included.
//
// The rules LEAPFROG that the comments cite are those of docs/internals/protocol.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "leat/deque/fork_stack.hpp"
#include "leat/waiting/wait.hpp"

namespace leat::inline LEAT_ABI::scheduler {

template <class P>
class worker;

/// While it lives, on the worker's stack, all that the worker executes descends from the work that another worker
/// awaits under `target`.
template <class P>
class ancestor_scope : public waiting::execution {
 public:
  ancestor_scope(worker<P>& me, const void* target)
      : waiting::execution{target, me.ancestry.innermost(), me.ancestry.number_next()},
        tls_top(me.stack().top()),
        context_top(me.stack().context_top()),
        waits(me.ancestry.waits()),
        tasks_end(me.stack().tasks.end_index()),
        me_(me),
        outer_floor_(me.stack().exchange_context_floor(context_top)) {
    P::signal_fence();  // an interrupt that finds it here finds all of it
    me.ancestry.enter(*this);
  }
  ancestor_scope(const ancestor_scope&) = delete;
  ancestor_scope& operator=(const ancestor_scope&) = delete;
  ~ancestor_scope() {
    me_.ancestry.leave(*this);
    me_.stack().exchange_context_floor(outer_floor_);
    P::signal_fence();  // an interrupt keeps no leapfrog request for it from here on (LEAPFROG-5)
    if (me_.responder.keeps_requests()) [[unlikely]]
      me_.responder.end_leapfrogging_of(target_);
  }

  ancestor_scope* outer() const noexcept { return static_cast<ancestor_scope*>(outer_); }

  // Forks and tasks above these were made since the scope began. Only they may be given to a thief that leapfrogs it
  // (LEAPFROG-3).
  deque::fork_slot<P>* const tls_top;
  deque::fork_slot<P>* const context_top;
  const unsigned waits;  // how many waits it is inside
  std::uint64_t tasks_end;

 private:
  worker<P>& me_;
  deque::fork_slot<P>* const outer_floor_;
};

/// The scopes and waits of one worker, innermost first.
template <class P>
class ancestry {
 public:
  using scope = ancestor_scope<P>;

  // -- scopes

  scope* innermost() const noexcept { return scope_; }
  /// The number of the latest scope. Numbers grow, so one comparison tells whether a group was made inside a scope.
  std::uint64_t scopes_begun() const noexcept { return scopes_begun_; }
  std::uint64_t number_next() noexcept { return ++scopes_begun_; }
  void enter(scope& s) noexcept { scope_ = &s; }
  void leave(const scope& s) noexcept { scope_ = s.outer(); }
  /// Hides all scopes while a wait runs any task: such a task descends from none of them. Returns the innermost
  /// scope, for go_back_to.
  scope* begin_anew() noexcept { return std::exchange(scope_, nullptr); }
  void go_back_to(scope* s) noexcept { scope_ = s; }

  /// The innermost scope with this join target; or null. O(depth).
  scope* find(const void* target) const noexcept {
    scope* s = scope_;
    while (s != nullptr && s->target_ != target) s = s->outer();
    return s;
  }

  // -- waits that run only descendants

  waiting::own_wait* wait() const noexcept { return wait_; }
  /// How many, one inside the other.
  unsigned waits() const noexcept { return waits_; }
  std::uint64_t waits_begun() const noexcept { return waits_begun_; }
  std::uint64_t wait_number_next() noexcept { return ++waits_begun_; }
  void enter(waiting::own_wait& w) noexcept { wait_ = &w, ++waits_; }
  void leave(const waiting::own_wait& w) noexcept { wait_ = w.outer, --waits_; }

  // -- waits that run any task

  waiting::open_wait<P>* open() const noexcept { return open_; }
  // Between fences, as an interrupt may come anywhere in a task and walk these waits (DEADLOCK-14): it finds only whole ones
  // whose frames live. No test can force an interrupt between two stores.
  void enter(waiting::open_wait<P>& w) noexcept {
    P::signal_fence();
    open_ = &w;
    P::signal_fence();
  }
  void leave(const waiting::open_wait<P>& w) noexcept {
    P::signal_fence();
    open_ = w.outer;
    P::signal_fence();
  }

  // -- which tasks of the deque are for which wait

  /// Unrelated tasks have come on top of the deque, which now ends at `end`. All marks rise above them, so that only
  /// waits for any task run them.
  void strangers_came(std::uint64_t end) noexcept {
    for (waiting::own_wait* w = wait_; w != nullptr; w = w->outer) w->tasks_end = w->others_end = end;
    for (scope* s = scope_; s != nullptr; s = s->outer()) s->tasks_end = end;
  }

  /// Tasks have been taken at the deque's end, below some marks. Those marks sink to the new end, so that later tasks
  /// count for the innermost wait.
  void sink_to(std::uint64_t end) noexcept {
    for (waiting::own_wait* w = wait_; w != nullptr; w = w->outer) {
      w->tasks_end = std::min(w->tasks_end, end);
      w->others_end = std::min(w->others_end, end);
    }
    for (scope* s = scope_; s != nullptr; s = s->outer()) s->tasks_end = std::min(s->tasks_end, end);
  }

 private:
  scope* scope_ = nullptr;
  std::uint64_t scopes_begun_ = 0;
  waiting::own_wait* wait_ = nullptr;
  waiting::open_wait<P>* open_ = nullptr;
  std::uint64_t waits_begun_ = 0;
  unsigned waits_ = 0;
};

}  // namespace leat::inline LEAT_ABI::scheduler
