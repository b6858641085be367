// The body of the group: how its tasks are executed, found and counted. Rules GROUP-1 to GROUP-6 are those of
// handshake/group_count.hpp.
#pragma once

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "leat/platform/thrown.hpp"
#include "leat/scheduler/runner_callables.hpp"
#include "leat/scheduler/scheduler.hpp"
#include "leat/waiting/wait.hpp"

namespace leat::inline LEAT_ABI::scheduler {

// A group that is made while nothing around it is cancelled takes over what its parent knows, so that its first check
// is one comparison.
template <class P>
group<P>::group(worker<P>& owner) noexcept
    : pinned_by_(owner.runner.on() == ground::thread ? owner.runner.pinned().add() : 0),
      owner_(&owner),
      run_(owner.runner.current_run()),
      parent_(owner.runner.current_group()),
      made_in_scope_(owner.ancestry.scopes_begun()),
      cancels_(owner.home.cancels()),
      clear_as_of_(parent_ == nullptr ? 0 : parent_->clear_as_of_.load(platform::relaxed)) {}

// Only the owner takes the pin away. A group that another worker destroys keeps its thread on the owner until the thread ends.
template <class P>
void group<P>::unpin() noexcept {
  worker<P>* const me = worker<P>::current();
  if (me == owner_) me->runner.pinned().drop(pinned_by_);
}

// -- counts -----------------------------------------------------------------------------------------------------------

// GROUP-2: for a worker that neither owns the group nor has an account: one read-modify-write for each task.
template <class P>
void group<P>::count_in(worker<P>& me) noexcept {
  holders_.add(me.id());
  count_.count_in(1);
}

// A task that will not be executed by itself: its spawn failed, or it was taken back.
template <class P>
void group<P>::count_back(worker<P>& me) noexcept {
  if (&me == owner_) count_.add_own(-1);
  else if (accounts_for(me)) me.runner.innermost_account()->add(-1);
  else count_out(1);
}

// GROUP-4: the owner's address is read first. After the subtraction the group may be gone.
template <class P>
void group<P>::count_out(std::int64_t tasks) noexcept {
  worker<P>& owner = *owner_;  // GROUP-4
  if (count_.count_out(tasks)) owner.notify();  // GROUP-3
}

// GROUP-6: only the innermost account is taken over before tasks are lent, so the outer one has to be taken over
// here.
template <class P>
group<P>::account::account(worker<P>& me, group& of) noexcept
    : me_(me), of_(of), outer_(me.runner.innermost_account()) {
  of.holders_.add(me.id());
  if (outer_ != nullptr) {
    const stay<P> here(me, whereabouts::runtime);
    outer_->take_over();
  }
  P::signal_fence();  // an interrupt finds it whole
  me.runner.set_account(this);
}

// GROUP-6: all tasks that were spawned are counted in from here on, before a thief can have any of them.
template <class P>
void group<P>::account::take_over() noexcept {
  if (const std::int64_t tasks = count_.take_over(); tasks != 0) of_.count_.count_in(tasks);
}

// GROUP-2: one sum for all that was spawned and executed. After it the account touches the group no more (GROUP-4).
template <class P>
void group<P>::account::settle(std::int64_t done) noexcept {
  const stay<P> here(me_, whereabouts::runtime);  // nothing is lent meanwhile
  me_.runner.set_account(outer_);
  // If it is none, some that we spawned are in our deque yet, and what we did is seen with what they do.
  if (const std::int64_t fewer = count_.settle(done); fewer != 0) of_.count_out(fewer);
}

// GROUP-5: the owner gets the tasks into its deque, or loses them from it; or neither, where a thief robs a thief.
template <class P>
void group<P>::moved(const worker<P>& me, protocol::worker_id victim, std::size_t count) noexcept {
  const auto tasks = static_cast<std::int64_t>(count);
  if (&me == owner_) count_.tasks_came(tasks);
  if (victim == owner_->id()) count_.tasks_left(tasks);
  holders_.add(me.id());
}

// -- tasks ------------------------------------------------------------------------------------------------------------

// Executes or skips one task. Its exception stays in the group until a wait throws it (reset).
template <class P>
void group<P>::execute(work::record& r) noexcept {
  try {
    r.call_owned(stop_requested());
  } catch (...) {
    fail();
  }
}

// The first exception wins, and the rest is skipped.
template <class P>
void group<P>::fail() noexcept {
  std::exception_ptr let_out = platform::thrown();
  // relaxed: first_ is read when the task has been counted out.
  if ((state_.fetch_or(failed_bit, platform::relaxed) & failed_bit) == 0) first_ = std::move(let_out);
  cancel();
}

// The owner counts in its own word (GROUP-1), any other worker in an account, which it settles when it comes upon
// another task (GROUP-2).
template <class P>
void group<P>::invoke(work::record& first) {
  worker<P>& me = *worker<P>::current();
  group* const g = static_cast<group*>(first.head().owner);
  if (&me == g->owner_) {
    g->count_.add_own(-g->run(me, first));
  } else {
    account here(me, *g);
    here.settle(g->run(me, first));
  }
}

// Executes the task and those of the group that are the worker's newest then, and returns how many.
template <class P>
[[gnu::always_inline]] inline std::int64_t group<P>::run(worker<P>& me, work::record& first) noexcept {
  const group* const outer = me.runner.exchange_group(this);
  std::int64_t done = 1;
  {
    ancestor_scope<P> descends(me, target());  // ends before the tasks are counted out (LEAPFROG-5)
    execute(first);
    done += run_newest(me, me.ancestry.wait() != nullptr);
  }
  me.runner.exchange_group(outer);
  me.counts.add(event::tasks, static_cast<std::uint64_t>(done - 1));  // the caller has counted the first
  return done;
}

// Executes the worker's newest tasks as long as they are the group's, and for the worker's innermost wait if it is in one, and
// returns how many. One handler for all tasks: a try block for each would cost each a frame.
template <class P>
[[gnu::always_inline]] inline std::int64_t group<P>::run_newest(worker<P>& me, bool in_wait) noexcept {
  const auto ours = [this](work::record& r) { return of(r) == this; };
  std::int64_t done = 0;
  for (;;) {
    try {
      while (work::record* r = in_wait ? me.runner.next_in_wait_if(ours) : me.runner.next_if(ours)) {
        ++done;
        if (stop_requested()) [[unlikely]]
          r->call_owned(true);
        else r->call_owned(false);
      }
      return done;
    } catch (...) {
      fail();
    }
  }
}

// The newest tasks first, as they are popped without a search; then those beneath others (SEARCH-1). GROUP-5's bound
// ends it without a search where the deque has none. The scope and the group on the stack are those of a task, since
// any number of them is executed in here.
template <class P>
void group<P>::run_here() {
  worker<P>& me = *owner_;
  const ground on = me.runner.exchange_ground(ground::task);
  const group* const outer = me.runner.exchange_group(this);
  {
    ancestor_scope<P> descends(me, target());
    auto where = me.stack().begin_search();
    work::record taken;
    for (;;) {
      const std::int64_t done = run_newest(me, false);
      me.counts.add(event::tasks, static_cast<std::uint64_t>(done));
      count_.add_own(-done);
      if (!count_.may_be_here() || me.published != nullptr) break;
      if (!me.waiter.take_owned(this, where, taken)) {
        if (where.fresh()) break;
        where.start_over();  // SEARCH-2
        if (!me.waiter.take_owned(this, where, taken)) break;
      }
      execute(taken);
      count_.add_own(-1);
    }
  }
  me.runner.exchange_group(outer);
  me.runner.set_ground(on);
}

// Tasks that the owner executes while it waits may put tasks of the group into its deque. So the wait ends also when
// put_here() has grown, and the owner executes these first.
template <class P>
std::uint32_t group<P>::wait(bool may_be_left) {
  const waiting::wait_about about{waiting::wait_kind::group, target(), may_be_left && waits_inside()};
  for (;;) {
    run_here();
    if (quiet()) return 0;
    const std::int64_t put = count_.put_here();
    const auto ready = [this, put] { return count_.settle() || count_.put_here() > put; };
    const auto whom = [this](bool asked) {
      return count_.next_holder(holders_, owner_->id(), owner_->home.workers_started(), asked);
    };
    const auto circle = owner_->waiter.help_until(target(), about, ready, whom);
    if (circle != 0) return circle;
  }
}

template <class P>
std::uint32_t group<P>::wait_any(bool may_be_left) {
  const waiting::wait_about about{waiting::wait_kind::group, target(), may_be_left && waits_inside()};
  return owner_->waiter.work_until([this] { return count_.settle(); }, &about);
}

template <class P>
bool group<P>::is_of_parent() const noexcept {
  return owner_->home.forked();
}

template <class P>
bool group<P>::waits_for_itself() const noexcept {
  return owner_->ancestry.find(target()) != nullptr;
}

// Numbers of what a worker executes grow from the outer to the inner.
template <class P>
bool group<P>::waits_inside() const noexcept {
  const waiting::execution* e = owner_->ancestry.innermost();
  for (const waiting::open_wait<P>* o = owner_->ancestry.open(); e == nullptr && o != nullptr; o = o->outer)
    e = o->executed;
  return e != nullptr && e->number_ > made_in_scope_;
}

template <class P>
std::exception_ptr group<P>::reset() noexcept {
  count_.reset();
  // relaxed, both: no other thread knows the group now.
  if (state_.load(platform::relaxed) == 0) return nullptr;
  state_.store(0, platform::relaxed);
  return std::exchange(first_, nullptr);
}

// Goes through the groups around this one, but only when any group of the runtime was cancelled since the last time:
// in between a check costs a few loads. O(depth of groups) then.
template <class P>
bool group<P>::inherits_stop() const noexcept {
  // acquire: pairs with cancel. Read before the groups are, so that a later cancel is not missed.
  const std::uint64_t now = cancels_.load(platform::acquire);
  // From this group on, whose state was read too early: a group made inside this one takes over what is noted here, and
  // does not check this one again.
  for (const group* g = this; g != nullptr; g = g->parent_) {
    if (g->state_.load(platform::relaxed) != 0) return true;  // relaxed: as in stop_requested
  }
  clear_as_of_.store(now, platform::relaxed);  // relaxed: an older value only means another check
  return false;
}

}  // namespace leat::inline LEAT_ABI::scheduler
