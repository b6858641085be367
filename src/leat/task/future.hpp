// Futures: the result of a task, for one wait or for several.
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

/// See leat::future.
template <class P, class T>
class future {
 public:
  future() noexcept = default;
  /// Of a task whose result nothing else takes. For async.
  explicit future(future_task<P, T>* task) noexcept : task_(task) {}
  future(future&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  future& operator=(future&& other) noexcept {
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

  shared_future<P, T> share() noexcept { return shared_future<P, T>(std::move(*this)); }

  /// The task, or null, which the caller has to let go from now on; this future has none. For shared_future.
  future_task<P, T>* give_up() noexcept { return std::exchange(task_, nullptr); }

 private:
  future_task<P, T>& checked() const {
    if (task_ == nullptr) [[unlikely]]
      throw_no_result();
    return *task_;
  }

  future_task<P, T>* task_ = nullptr;
};

/// See leat::shared_future.
template <class P, class T>
class shared_future {
 public:
  shared_future() noexcept = default;
  shared_future(future<P, T>&& other) noexcept : task_(other.give_up()) {}
  shared_future(const shared_future& other) noexcept : task_(other.task_) {
    if (task_ != nullptr) task_->hold();
  }
  shared_future(shared_future&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
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

/// A callable and the arguments that it is called with, all as rvalues.
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
