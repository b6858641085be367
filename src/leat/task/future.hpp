// Futures: the result of a task, for one wait or for several. These objects hold the task and refuse misuse; all else
// is in future_task.hpp (rules FUTURE).
#pragma once

#include <concepts>
#include <tuple>
#include <type_traits>
#include <utility>

#include "leat/task/errors.hpp"
#include "leat/task/future_task.hpp"
#include "leat/task/invoke.hpp"

namespace leat::task {

template <class P, class T>
class shared_future;

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
    if (task_ != nullptr) task_->let_go();
  }

  bool valid() const noexcept { return task_ != nullptr; }
  bool ready() const { return checked().ready(); }
  void wait(task::wait how = task::wait::own) const { checked().wait(how, false); }

  // The first way is the common one: the task is newest, is called like a function, and its result is never moved to
  // the channel (FUTURE-4). There `task_` is cleared before the call, as get_here frees the task also if it throws.
  // In the other way it is cleared after the wait: if that throws deadlock, the future stays as it is.
  T get(task::wait how = task::wait::own) {
    auto& task = checked();
    if (auto* me = scheduler::worker<P>::current(); me != nullptr && task.take_back(*me)) [[likely]] {
      task_ = nullptr;
      return task.get_here(*me);
    }
    task.wait(how, false);
    task_ = nullptr;
    return task.take();
  }

  // The right is handed over: from one holder to one holder, so the count stays.
  shared_future<P, T> share() noexcept { return shared_future<P, T>(std::move(*this)); }

  /// The task, or null; the caller has to let go of it from now on, and this future is empty. For shared_future: no
  /// count changes hands, as a future is one holder.
  future_task<P, T>* give_up() noexcept { return std::exchange(task_, nullptr); }

 private:
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
  bool ready() const { return checked().ready(); }
  void wait(task::wait how = task::wait::own) const { checked().wait(how, true); }

  // The result stays in the channel, so the reference is good as long as any copy of this future holds the task.
  std::add_lvalue_reference_t<const T> get(task::wait how = task::wait::own) const {
    wait(how);
    return task_->look().look();
  }

 private:
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

/// See leat::async. The task is made before it is spawned, and dropped uncalled if it cannot be spawned.
template <class P, class F, class... Args>
auto async(F&& f, Args&&... args) {
  using result = std::invoke_result_t<std::decay_t<F>, std::decay_t<Args>...>;
  using callable =
      std::conditional_t<sizeof...(Args) == 0, std::decay_t<F>, bound<std::decay_t<F>, std::decay_t<Args>...>>;
  auto& me = this_worker<P>("async");
  auto* const task = future_task_of<P, result, callable>::make(me, std::forward<F>(f), std::forward<Args>(args)...);
  try {
    me.runner.spawn(typename future_record<P>::handle{task});
  } catch (...) {
    task->drop();
    throw;
  }
  return future<P, result>(task);
}

}  // namespace leat::task
