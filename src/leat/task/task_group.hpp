// Task groups: tasks that are waited for, and cancelled, together.
#pragma once

#include <cstdint>
#include <exception>
#include <initializer_list>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

#include "leat/strands/strands.hpp"
#include "leat/task/dependent.hpp"
#include "leat/task/errors.hpp"
#include "leat/task/future.hpp"
#include "leat/task/insider.hpp"
#include "leat/task/spawn.hpp"

namespace leat::inline LEAT_ABI::task {

/// See leat::stop_token.
template <class P>
class stop_token {
 public:
  stop_token() noexcept = default;
  /// Of a group that must live as long as the token is asked: the token is only its address. For task_group.
  explicit stop_token(const scheduler::group<P>& g) noexcept : group_(&g) {}
  bool stop_requested() const noexcept { return group_ != nullptr && group_->stop_requested(); }

 private:
  const scheduler::group<P>* group_ = nullptr;
};

/// See leat::task_group. This class refuses callers that must not call, and keeps callables that do not fit into a
/// record; counts and waits are the group's (scheduler/group.hpp; rules GROUP: handshake/group_count.hpp).
template <class P>
class task_group {
  using worker = scheduler::worker<P>;
  using record = work::record;

 public:
  task_group() : in_("task_group"), group_(in_.me()) { in_.stay(); }
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;

  // Waits for tasks that are left, as they refer to the group. It must not throw, so it drops their exceptions, and
  // is never chosen to break a circle of waits.
  // A child of fork() has none of its parent's.
  ~task_group() {
    if (!group_.quiet() && !group_.is_of_parent()) {
      [[maybe_unused]] const strands::pause<P> here;
      check_owner("~task_group"), finish(task::wait::own, "~task_group", false);
      if constexpr (strands::profiles<P>) sums_.joined();
    } else if constexpr (strands::profiles<P>) {
      sums_.join_left();
    }
  }

  template <class F>
  void spawn(F&& f LEAT_SITE_PARAMETER) {
    using callable = std::decay_t<F>;
    static_assert(std::is_invocable_v<callable&>, "leat::task_group::spawn: f must be callable without arguments");
    static_assert(std::is_constructible_v<callable, F>,
                  "leat::task_group::spawn: f is copied into the task; move what cannot be copied (std::move)");
    if constexpr (strands::profiles<P> && !strands::is_spawned<callable>) {
      LEAT_CALLED_AT_SITE();
      if (strands::session<P>::on())
        return strands::spawn<P>(&sums_, std::forward<F>(f), [this](auto&& call) { this->spawn(std::move(call)); });
    }
    worker* me = worker::current();
    if (me != &group_.owner()) [[unlikely]]
      check_member(me);
    if constexpr (record::fits_owned<callable>) {
      group_.spawn(*me, call_kept<callable>, callable(std::forward<F>(f)));
    } else {
      // Copied before it is counted: copying may call anything, spawn and wait as well.
      const auto kept = scheduler::boxed<P, callable>::make(*me, std::forward<F>(f));
      try {
        group_.spawn(*me, call_boxed<callable>, kept);
      } catch (...) {
        // The group has counted the task back; its callable is still ours.
        kept.drop();
        throw;
      }
    }
  }

  template <class F>
  task_handle<P> spawn_after(std::initializer_list<task_handle<P>> before, F&& f) {
    return spawn_after_all(before.begin(), before.size(), std::forward<F>(f));
  }

  template <class Handles, class F>
  task_handle<P> spawn_after(const Handles& before, F&& f) {
    return spawn_after_all(before.data(), before.size(), std::forward<F>(f));
  }

  /// The same for a small callable that is told whether it is skipped: f(bool), once, also where the group was
  /// cancelled. For callables that have a right to give back (loop/spawned.hpp).
  template <class F>
  void spawn_told(F f) {
    worker* me = worker::current();
    if (me != &group_.owner()) [[unlikely]]
      check_member(me);
    group_.spawn(*me, call_told<F>, f);
  }

  /// Takes the worker's newest task back if spawn_told has made it of an F for which wanted(f) is true. In a task of the group.
  template <class F, class Wanted>
  std::optional<F> take_back(worker& me, Wanted wanted, std::uint64_t since) {
    return group_.template take_back<F>(me, call_told<F>, wanted, since);
  }

  // The group is as good as new before the exception is thrown, so that it can be used again.
  void wait(task::wait how = task::wait::own) {
    check_owner("task_group::wait");
    [[maybe_unused]] const strands::pause<P> here;
    finish(how, "task_group::wait", true);
    if constexpr (strands::profiles<P>) sums_.joined();
    if (auto first = group_.reset()) std::rethrow_exception(first);
  }

  void cancel() noexcept { group_.cancel(); }
  bool cancelled() const noexcept { return group_.stop_requested(); }
  stop_token<P> token() const noexcept { return stop_token<P>(group_); }

  /// What its tasks have taken.
  strands::group_sums<P>& sums() noexcept { return sums_; }

 private:
  // The functions of the record's head (record::owned_head): they move the callable out of the slot before they call
  // it, as the slot is free from then on, and the call may push a task into it.
  template <class F>
  static void call_kept(void* callable, bool skip) {
    if (skip) [[unlikely]]
      return;  // nothing to destroy
    F call = std::move(*std::launder(reinterpret_cast<F*>(callable)));
    call();
  }

  template <class F>
  static void call_told(void* callable, bool skip) {
    F call = std::move(*std::launder(reinterpret_cast<F*>(callable)));
    call(skip);
  }

  template <class F>
  static void call_boxed(void* callable, bool skip) {
    const auto call = *std::launder(reinterpret_cast<scheduler::boxed<P, F>*>(callable));
    if (skip) [[unlikely]]
      call.drop();
    else call();
  }

  // A task of the group that what it waited for has made ready (AFTER-2).
  struct ready_task {
    task_group* of;
    dependent<P>* task;
    void operator()(bool skip) const { of->execute(*task, skip); }
  };
  static_assert(record::fits_owned<ready_task>);

  template <class F>
  task_handle<P> spawn_after_all(const task_handle<P>* before, std::size_t many, F&& f) {
    using callable = std::decay_t<F>;
    static_assert(std::is_invocable_v<callable&>,
                  "leat::task_group::spawn_after: f must be callable without arguments");
    static_assert(std::is_constructible_v<callable, F>,
                  "leat::task_group::spawn_after: f is copied into the task; move what cannot be copied (std::move)");
    worker* me = worker::current();
    if (me != &group_.owner()) [[unlikely]]
      check_member(me);
    check_before(before, many);
    auto& made = dependent_call<P, callable>::make(*me, this, static_cast<std::uint32_t>(many), std::forward<F>(f));
    task_handle<P> handle(made);
    if constexpr (strands::profiles<P>) strands::make_node<P>(made.part(), sums_);
    std::uint32_t done = 1;  // this call is waited for, too (AFTER-1)
    for (std::size_t i = 0; i != many; ++i) {
      dependent<P>* const other = before[i].task();
      if constexpr (strands::profiles<P>) {
        if (other != nullptr) made.part().awaits(other->part());
      }
      if (other != nullptr && made.wait_for(*other, made.link_at(i))) continue;
      ++done;
      if constexpr (strands::profiles<P>) {
        if (other != nullptr) made.part().follows(other->part().ended());
      }
    }
    if (made.counts_down(done) && !spawned(made)) {
      drop(made);
      throw std::bad_alloc();
    }
    return handle;
  }

  // AFTER-5: a task that is done is no task of any group.
  void check_before(const task_handle<P>* before, std::size_t many) const {
    if (many > dependent<P>::waits_max) throw_too_many_handles(many, dependent<P>::waits_max);
    for (std::size_t i = 0; i != many; ++i) {
      if (!before[i].done() && before[i].task()->group() != this) throw_of_another_group(i);
    }
  }

  // Whether there was memory for it.
  bool spawned(dependent<P>& task) noexcept {
    try {
      spawn_told(ready_task{this, &task});
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  void call(dependent<P>& task, bool skip) {
    if constexpr (strands::profiles<P>) {
      if (!skip && task.part().made()) return strands::call_node<P>(task.part(), sums_, [&task] { task.call(false); });
    }
    task.call(skip);
  }

  // AFTER-3: what waits for a task that threw finds the group cancelled.
  void execute(dependent<P>& task, bool skip) {
    try {
      call(task, skip);
    } catch (...) {
      cancel();
      end(task);
      throw;
    }
    if (!end(task)) throw std::bad_alloc();
  }

  // Whether there was memory for the tasks that are ready. Those for which there was none are skipped at once, and so are those
  // that waited for them alone: in a loop, since they may be many.
  bool end(dependent<P>& task) noexcept {
    const auto ready = [this](dependent<P>& next) { return spawned(next); };
    typename dependent<P>::link* left = task.end(ready);
    if (left == nullptr) [[likely]]
      return true;
    cancel();
    while (left != nullptr) {
      dependent<P>& skipped = *left->waits;
      auto* const others = left->next;
      skipped.call(true);
      left = skipped.end(ready);
      auto** last = &left;
      while (*last != nullptr) last = &(*last)->next;
      *last = others;
    }
    return false;
  }

  // A task that no other one knows.
  static void drop(dependent<P>& task) noexcept {
    task.call(true);
    task.end([](dependent<P>&) { return true; });
  }

  // Waits for all tasks. First the owner executes those in its own deque: most waits end with that, and a wait for
  // itself need not be checked before there is something to wait for, which costs O(depth).
  void finish(task::wait how, const char* what, bool may_be_left) {
    if (how == task::wait::own) {
      group_.run_here();
      if (group_.quiet()) return;
    }
    const worker& owner = group_.owner();
    if (group_.waits_for_itself()) throw_waits_for_itself(what, owner.id(), "a task of the group waits for the group");
    const std::uint32_t circle = how == task::wait::own ? group_.wait(may_be_left) : group_.wait_any(may_be_left);
    if (circle != 0) throw_deadlock(what, owner.id(), circle);
  }

  void check_owner(const char* what) const {
    if (const worker* const me = worker::current(); me != &group_.owner()) [[unlikely]]
      throw_not_the_owner(me, what);
  }

  // The thread is another worker than the owner. It must be in the run in which the group was made, since its tasks
  // are tasks of its own run.
  [[gnu::cold, gnu::noinline]] void check_member(worker* me) const {
    if (me == nullptr) throw_not_in_its_run("task_group::spawn");
    const worker& owner = group_.owner();
    const bool same_home = &me->home == &owner.home;
    if (!same_home || me->runner.current_run() != group_.made_in()) throw_not_a_member(me->id(), same_home);
  }

  // `me`: the calling worker; null: the thread is none.
  [[noreturn, gnu::cold, gnu::noinline]] void throw_not_the_owner(const worker* me, const char* what) const {
    if (me == nullptr) throw_not_in_its_run(what);
    task::throw_not_the_owner(what, group_.owner().id(), me->id(), &me->home == &group_.owner().home);
  }

  // Of a thread that is no worker.
  [[noreturn, gnu::cold, gnu::noinline]] void throw_not_in_its_run(const char* what) const {
    if (group_.is_of_parent()) throw_forked_group(what);
    task::throw_not_in_its_run(what);
  }

  insider<P> in_;
  scheduler::group<P> group_;
  [[no_unique_address]] strands::group_sums<P> sums_;
};

}  // namespace leat::inline LEAT_ABI::task
