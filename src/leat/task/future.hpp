// Futures: the result of a task, for one wait or for several. These objects hold the task and refuse misuse; all else
// is in future_task.hpp (rules FUTURE).
#pragma once

#include <concepts>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "leat/entry/instances.hpp"
#include "leat/task/continuation.hpp"
#include "leat/task/errors.hpp"
#include "leat/task/future_call.hpp"
#include "leat/task/insider.hpp"
#include "leat/task/invoke.hpp"
#include "leat/work/submission.hpp"

namespace leat::inline LEAT_ABI::task {

template <class P, class T>
class shared_future;

/// A std::chrono::duration in nanoseconds. Without <chrono>, which is slow to compile; and as a number with a fraction, since the
/// difference of two times may be more than their own type holds.
template <class Duration>
constexpr double fractional_ns(const Duration& d) {
  using period = typename Duration::period;
  return static_cast<double>(d.count()) * 1e9 * static_cast<double>(period::num) / static_cast<double>(period::den);
}
/// From 0 to what a clock can count, 285 years.
constexpr std::uint64_t whole_ns(double ns) {
  constexpr double most = 9e18;
  return !(ns > 0) ? 0 : static_cast<std::uint64_t>(ns < most ? ns : most);
}
template <class Duration>
constexpr std::uint64_t nanoseconds_of(const Duration& d) {
  return whole_ns(fractional_ns(d));
}
/// From now on. For a time near now the difference is exact; a double has no place for it otherwise.
template <class Time>
std::uint64_t nanoseconds_until(const Time& t) {
  const auto now = Time::clock::now();
  const double about = fractional_ns(t.time_since_epoch()) - fractional_ns(now.time_since_epoch());
  constexpr double exact_to = 1e18;
  return -exact_to < about && about < exact_to ? nanoseconds_of(t - now) : whole_ns(about);
}

/// See leat::future. It owns one right to the task: it is the only holder, until share() makes shared futures of it.
template <class P, class T>
class future {
 public:
  future() noexcept = default;
  /// The only holder of `task`. For async.
  explicit future(future_task<P, T>* task) noexcept : task_(task) {}
  future(future&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  future& operator=(future&& other) noexcept {
    // By a third one, so that assigning a future to itself keeps it; the old task is let go at the end.
    future taken(std::move(other));
    std::swap(task_, taken.task_);
    return *this;
  }
  ~future() {
    if (task_ != nullptr) task_->let_go_shared();
  }

  bool valid() const noexcept { return task_ != nullptr; }
  bool is_ready() const { return checked().is_ready(); }
  void wait(task::wait how = task::wait::own) const {
    [[maybe_unused]] const strands::pause<P> here;
    checked().wait(how, false);
    if constexpr (strands::profiles<P>) task_->part().joined();
  }
  template <class Duration>
  bool wait_for(const Duration& d) const {
    return wait_for_ns(nanoseconds_of(d));
  }
  template <class Time>
  bool wait_until(const Time& t) const {
    return wait_for_ns(nanoseconds_until(t));
  }

  // The right goes into the continuation.
  template <class F>
  auto then(F&& f LEAT_SITE_PARAMETER) {
    LEAT_CALLED_AT_SITE();
    auto& task = checked();
    auto next = continue_with<P, T, false>(task, std::forward<F>(f));
    task_ = nullptr;
    return next;
  }

  // The first way is the common one: the task is newest, is called like a function, and its result is never moved to
  // the channel (FUTURE-4). There `task_` is cleared before the call, as get_here frees the task also if it throws.
  // In the other way it is cleared after the wait: if that throws deadlock, the future stays as it is.
  T get(task::wait how = task::wait::own) {
    auto& task = checked();
    [[maybe_unused]] const strands::pause<P> here;
    if (auto* me = scheduler::worker<P>::current(); me != nullptr && task.take_back(*me)) [[likely]] {
      task_ = nullptr;
      return task.get_here(*me);
    }
    task.wait(how, false);
    if constexpr (strands::profiles<P>) task.part().joined();
    task_ = nullptr;
    return task.take();
  }

  // The right is handed over: from one holder to one holder, so the count stays.
  shared_future<P, T> share() noexcept { return shared_future<P, T>(std::move(*this)); }

  /// For `what`, when_all or when_any, which has it as number `at`.
  future_record<P>& record(const char* what, std::size_t at) const {
    if (task_ == nullptr) [[unlikely]]
      throw_empty_future(what, at);
    return *task_;
  }

  /// The task, or null; the caller has to let go of it from now on, and this future is empty. For shared_future: no
  /// count changes hands, as a future is one holder.
  future_task<P, T>* give_up() noexcept { return std::exchange(task_, nullptr); }

 private:
  bool wait_for_ns(std::uint64_t ns) const {
    [[maybe_unused]] const strands::pause<P> here;
    const bool ready = checked().wait_for_ns(ns, false);
    if constexpr (strands::profiles<P>) {
      if (ready) task_->part().joined();
    }
    return ready;
  }

  future_task<P, T>& checked() const {
    if (task_ == nullptr) [[unlikely]]
      throw_no_result();
    return *task_;
  }

  future_task<P, T>* task_ = nullptr;
};

/// See leat::shared_future. Each object is a counted holder of the task.
template <class P, class T>
class shared_future {
 public:
  shared_future() noexcept = default;
  shared_future(future<P, T>&& other) noexcept : task_(other.give_up()) {}
  shared_future(const shared_future& other) noexcept : task_(other.task_) {
    if (task_ != nullptr) task_->hold();
  }
  shared_future(shared_future&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  // By value: copies and moves are made before the old task is let go.
  shared_future& operator=(shared_future other) noexcept {
    std::swap(task_, other.task_);
    return *this;
  }
  ~shared_future() {
    if (task_ != nullptr) task_->let_go_shared();
  }

  bool valid() const noexcept { return task_ != nullptr; }
  bool is_ready() const { return checked().is_ready(); }
  void wait(task::wait how = task::wait::own) const {
    [[maybe_unused]] const strands::pause<P> here;
    checked().wait(how, true);
    if constexpr (strands::profiles<P>) task_->part().joined();
  }
  template <class Duration>
  bool wait_for(const Duration& d) const {
    return wait_for_ns(nanoseconds_of(d));
  }
  template <class Time>
  bool wait_until(const Time& t) const {
    return wait_for_ns(nanoseconds_until(t));
  }

  // The continuation has a right of its own.
  template <class F>
  auto then(F&& f LEAT_SITE_PARAMETER) const {
    LEAT_CALLED_AT_SITE();
    auto& task = checked();
    task.hold();
    try {
      return continue_with<P, T, true>(task, std::forward<F>(f));
    } catch (...) {
      task.let_go_shared();
      throw;
    }
  }

  /// For `what`, when_all or when_any, which has it as number `at`.
  future_record<P>& record(const char* what, std::size_t at) const {
    if (task_ == nullptr) [[unlikely]]
      throw_empty_future(what, at);
    return *task_;
  }

  // The result stays in the channel, so the reference is good as long as any copy of this future holds the task.
  std::add_lvalue_reference_t<const T> get(task::wait how = task::wait::own) const {
    wait(how);
    return task_->look().look();
  }

 private:
  bool wait_for_ns(std::uint64_t ns) const {
    [[maybe_unused]] const strands::pause<P> here;
    const bool ready = checked().wait_for_ns(ns, true);
    if constexpr (strands::profiles<P>) {
      if (ready) task_->part().joined();
    }
    return ready;
  }

  future_task<P, T>& checked() const {
    if (task_ == nullptr) [[unlikely]]
      throw_no_result();
    return *task_;
  }

  future_task<P, T>* task_ = nullptr;
};

/// A callable and the arguments that it is called with, all as rvalues: it is called once.
template <class F, class... Args>
class bound {
 public:
  template <class G, class... Parts>
  explicit bound(G&& f, Parts&&... args) : f_(std::forward<G>(f)), args_(std::forward<Parts>(args)...) {}

  decltype(auto) operator()() && {
    return std::apply(
        [this](Args&... args) -> decltype(auto) { return task::invoke(std::move(f_), std::move(args)...); }, args_);
  }

 private:
  F f_;
  std::tuple<Args...> args_;
};

/// Whether a call of async or submit is right; else says at compile time what is wrong.
template <class F, class... Args>
consteval bool is_async_call() {
  constexpr bool kept =
      std::is_constructible_v<std::decay_t<F>, F> && (std::is_constructible_v<std::decay_t<Args>, Args> && ...);
  constexpr bool callable = std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...>;
  static_assert(kept,
                "leat::async, leat::submit: f and its arguments are copied into the task; move what cannot be copied "
                "(std::move)");
  static_assert(callable,
                "leat::async, leat::submit: f cannot be called with these arguments, which are passed as rvalues "
                "(std::ref helps)");
  if constexpr (kept && callable) {
    using result = std::invoke_result_t<std::decay_t<F>, std::decay_t<Args>...>;
    constexpr bool movable = !std::is_object_v<result> || std::is_move_constructible_v<result>;
    static_assert(movable,
                  "leat::async, leat::submit: what f returns cannot be moved to the owner of the future; return a "
                  "std::unique_ptr to it");
    return movable;
  }
  return false;
}

/// The callable of a task that calls an F with Args, and its result.
template <class F, class... Args>
using bound_call =
    std::conditional_t<sizeof...(Args) == 0, std::decay_t<F>, bound<std::decay_t<F>, std::decay_t<Args>...>>;
template <class F, class... Args>
using bound_result = std::invoke_result_t<std::decay_t<F>, std::decay_t<Args>...>;

/// See leat::async. The task is made before it is spawned, and dropped uncalled if it cannot be spawned.
template <class P, class F, class... Args>
auto async_on(scheduler::worker<P>& me, F&& f, Args&&... args) {
  using result = bound_result<F, Args...>;
  [[maybe_unused]] const strands::making<P> here;
  auto* const task =
      future_task_of<P, result, bound_call<F, Args...>>::make(me, std::forward<F>(f), std::forward<Args>(args)...);
  if constexpr (strands::profiles<P>) here.made(task->part());
  try {
    me.runner.spawn(typename future_record<P>::handle{task});
  } catch (...) {
    task->drop();
    throw;
  }
  return future<P, result>(task);
}

/// See leat::runtime::submit.
template <class P, class F, class... Args>
future<P, bound_result<F, Args...>> submit(scheduler::channel_scheduler<P>& to, F&& f, Args&&... args) {
  using result = bound_result<F, Args...>;
  using task_type = future_task_of<P, result, bound_call<F, Args...>, work::submission<P>>;
  scheduler::worker<P>* const me = scheduler::worker<P>::current();
  if (me != nullptr && &me->home == &to) return async_on<P>(*me, std::forward<F>(f), std::forward<Args>(args)...);
  entry::submitting<P> here(to);
  if (here.closed()) throw_closed_runtime();
  auto* const task = [&] {
    std::optional<typename scheduler::footing<P>::knowing> worker_here;
    if (me != nullptr) worker_here.emplace(*me);  // copying may call anything
    return task_type::make_in(here.blocks(), task_type::any_run, std::forward<F>(f), std::forward<Args>(args)...);
  }();
  if (here.put(*task)) return future<P, result>(task);
  task->drop();
  throw_closed_runtime();
}

/// See leat::async. Outside of a run it submits to the default runtime, where the platform has one.
template <class P, class F, class... Args>
future<P, bound_result<F, Args...>> async(F&& f, Args&&... args) {
  scheduler::worker<P>* const me = scheduler::worker<P>::current();
  if (me == nullptr) [[unlikely]] {
    if constexpr (insider<P>::has_default)
      return submit<P>(entry::default_scheduler("async"), std::forward<F>(f), std::forward<Args>(args)...);
    else throw_not_a_worker("async");
  }
  return async_on<P>(*me, std::forward<F>(f), std::forward<Args>(args)...);
}

}  // namespace leat::inline LEAT_ABI::task
