// Futures: a task whose result comes over a one-shot channel (thesis 4.3.1).
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "leat/channel/one_shot.hpp"
#include "leat/scheduler/block_cache.hpp"
#include "leat/task/spawn.hpp"

namespace leat::task {

/// What travels over the channel: a value or an exception. It must move without throwing, so values that cannot do that
/// travel by pointer.
template <class T>
class outcome {
 public:
  template <class F>
  static outcome of(F& f) noexcept {
    try {
      if constexpr (std::is_void_v<T>) {
        f();
        return outcome(content(std::in_place_index<0>));
      } else if constexpr (std::is_reference_v<T>) {
        auto&& referred = f();
        return outcome(content(std::in_place_index<0>, std::addressof(referred)));
      } else if constexpr (by_value) {
        return outcome(content(std::in_place_index<0>, f()));
      } else {
        return outcome(content(std::in_place_index<0>, std::make_unique<T>(f())));
      }
    } catch (...) {
      return outcome(content(std::in_place_index<1>, std::current_exception()));
    }
  }

  T take() && {
    if (content_.index() == 1) std::rethrow_exception(std::get<1>(content_));
    if constexpr (std::is_reference_v<T>) {
      return static_cast<T>(*std::get<0>(content_));
    } else if constexpr (!std::is_void_v<T>) {
      if constexpr (by_value) return std::get<0>(std::move(content_));
      else return std::move(*std::get<0>(content_));
    }
  }

 private:
  static constexpr bool by_value = std::is_nothrow_move_constructible_v<T>;
  using stored =
      std::conditional_t<std::is_void_v<T>, std::monostate,
                         std::conditional_t<std::is_reference_v<T>, std::add_pointer_t<std::remove_reference_t<T>>,
                                            std::conditional_t<by_value, T, std::unique_ptr<T>>>>;
  using content = std::variant<stored, std::exception_ptr>;

  explicit outcome(content c) noexcept : content_(std::move(c)) {}

  content content_;
};

template <class P, class T>
class future;

/// The task of a future and the channel of its result, in memory that workers recycle.
///
/// The task has one record, which some worker will come upon, and one future, whose holder may run the task itself rather
/// than wait for somebody to come upon it. Rules, cited in the code:
///  F1  Who turns `taken_` from `nobody` to its own mark runs the task.
///  F2  If that is the record, the result goes over the channel, and the last user of the channel frees all (rule O3 of
///      docs/channels.md).
///  F3  If that is the future, the record will find nothing to do. The later of the two, the record when it is come upon
///      and the future when it is done with the result, frees all; the exchange of `taken_` tells them.
///  F4  A future whose record is the newest of the caller's own tasks takes it back: nobody else can know the record then,
///      and no read-modify-write is needed.
template <class P, class T>
class future_task {
 public:
  using result_channel = channel::one_shot<P, outcome<T>>;
  using worker = scheduler::worker<P>;

  /// The record's part of the task: calls come_upon.
  struct handle {
    future_task* task;
    void operator()() const { task->come_upon(); }
    friend bool operator==(const handle&, const handle&) = default;
  };

  explicit future_task(worker& maker) : home_(&maker.home()), run_(maker.current_run()->id()) {}
  virtual ~future_task() = default;

  /// Whether `me` is a worker of the runtime that the task belongs to.
  bool at_home(const worker& me) const noexcept { return &me.home() == home_; }

  result_channel& result() noexcept { return result_; }

  /// The future's: runs the task here and now, if nobody else does. Then the result is ready.
  bool run_here(worker& me) {
    // In another run the task would outlive its own, which ends when its record finds nothing to do.
    if (&me.home() != home_ || me.current_run()->id() != run_) return false;
    if (me.take_back(handle{this})) {
      taken_.store(by_future_alone, platform::relaxed);  // F4
    } else {
      std::uint32_t none = nobody;
      // acquire: pairs with the making of the task. relaxed failure: ready() acquires the result.
      if (!taken_.compare_exchange_strong(none, by_future, platform::acquire, platform::relaxed)) return false;  // F1
    }
    me.call_as_task([this] { result_.try_send(call()); });
    return true;
  }

  /// The future's: it is done with the result, which has been taken or is to be dropped.
  void let_go() noexcept {
    // acquire: pairs with the exchange in come_upon, which may have left record_gone.
    const std::uint32_t taken = taken_.load(platform::acquire);
    if (taken == by_future) {
      // acq_rel: pairs with the exchange in come_upon; the other's last access happens before we free (F3).
      if (taken_.exchange(future_gone, platform::acq_rel) == record_gone) free();
    } else if (taken == record_gone || taken == by_future_alone || result_.close()) {
      free();
    }
  }

 protected:
  /// Calls the callable and destroys it.
  virtual outcome<T> call() noexcept = 0;
  /// Gives the memory back.
  virtual void free() noexcept = 0;

 private:
  static constexpr std::uint32_t nobody = 0;
  static constexpr std::uint32_t by_record = 1;
  static constexpr std::uint32_t by_future = 2;
  static constexpr std::uint32_t by_future_alone = 3;  // and there is no record any more
  static constexpr std::uint32_t record_gone = 4;  // after by_future
  static constexpr std::uint32_t future_gone = 5;  // after by_future

  void come_upon() noexcept {
    std::uint32_t found = nobody;
    // acquire: as in run_here. On failure acq_rel follows.
    if (taken_.compare_exchange_strong(found, by_record, platform::acquire, platform::relaxed)) {
      const channel::one_shot_sent s = result_.try_send(call());
      // From here on all is the receiver's, unless that has gone (F2).
      if (s.result == channel::sent::closed) free();
      else if (s.waiter != 0) reinterpret_cast<worker*>(s.waiter)->notify();
    } else if (taken_.exchange(record_gone, platform::acq_rel) == future_gone) {  // F3; pairs with let_go
      free();
    }
  }

  result_channel result_;
  const scheduler::channel_scheduler<P>* const home_;
  const protocol::run_id run_;
  typename P::template atomic<std::uint32_t> taken_{nobody};
};

/// A future task with its callable.
template <class P, class T, class F>
class future_task_of final : public future_task<P, T> {
 public:
  template <class G>
  static future_task_of* make(scheduler::worker<P>& w, G&& f) {
    if constexpr (in_block()) {
      void* block = w.blocks().allocate();
      try {
        return ::new (block) future_task_of(w, std::forward<G>(f));
      } catch (...) {
        w.blocks().release(block);
        throw;
      }
    } else {
      return new future_task_of(w, std::forward<G>(f));
    }
  }

  ~future_task_of() override {
    if (callable_there_) std::destroy_at(&callable_);
  }

  void free() noexcept override {
    if constexpr (in_block()) {
      this->~future_task_of();
      if (auto* w = scheduler::worker<P>::current()) w->blocks().release(this);
      else scheduler::block_cache::release_anywhere(this);
    } else {
      delete this;
    }
  }

 protected:
  outcome<T> call() noexcept override {
    auto result = outcome<T>::of(callable_);
    // Before the result is known: what the callable holds must not outlive the wait for it.
    std::destroy_at(&callable_);
    callable_there_ = false;
    return result;
  }

 private:
  template <class G>
  future_task_of(scheduler::worker<P>& maker, G&& f) : future_task<P, T>(maker), callable_(std::forward<G>(f)) {}

  static constexpr bool in_block() {
    return sizeof(future_task_of) <= scheduler::block_cache::block_bytes &&
           alignof(future_task_of) <= platform::cache_line;
  }

  union {
    F callable_;
  };
  bool callable_there_ = true;
};

/// What a wait may run.
enum class wait : std::uint8_t {
  own,  ///< the task that is waited for, if nobody has begun it, and nothing else
  any,  ///< any task of the run
};

/// See leat::future.
template <class P, class T>
class future {
 public:
  future() noexcept = default;
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
  bool ready() const { return checked().result().ready(); }

  void wait(task::wait how = task::wait::own) const {
    auto& task = checked();
    auto& result = task.result();
    if (result.ready()) return;
    auto& me = this_worker<P>("future::wait");
    if (task.run_here(me)) return;
    const auto there = [&result] { return result.ready(); };
    if (!task.at_home(me)) {
      // The other runtime must not be told of us: we may be gone when it comes to wake us.
      while (!there()) {
        me.poll();
        P::sleep_ns(foreign_look_ns);
      }
      return;
    }
    if (!result.announce(&me)) return;
    if (how == task::wait::any) me.work_until(there);
    else me.wait_until(there);
  }

  T get(task::wait how = task::wait::own) {
    wait(how);
    const future done(std::move(*this));  // lets go also when the outcome is an exception
    std::optional<outcome<T>> o = done.task_->result().try_receive();
    return std::move(*o).take();
  }

 private:
  template <class Q, class F>
  friend auto async(F&& f);

  static constexpr std::uint64_t foreign_look_ns = 50'000;  // between two looks at another runtime's result

  explicit future(future_task<P, T>* task) noexcept : task_(task) {}

  future_task<P, T>& checked() const {
    if (task_ == nullptr) throw std::logic_error("leat::future: it has no result; it was taken, moved or never set");
    return *task_;
  }

  future_task<P, T>* task_ = nullptr;
};

template <class P, class F>
auto async(F&& f) {
  using callable = std::decay_t<F>;
  using result = std::invoke_result_t<callable&>;
  auto& me = this_worker<P>("async");
  future_task<P, result>* task = future_task_of<P, result, callable>::make(me, std::forward<F>(f));
  me.spawn(typename future_task<P, result>::handle{task});
  return future<P, result>(task);
}

}  // namespace leat::task
