// Futures: a task whose result comes over a one-shot channel (thesis 4.3.1).
#pragma once

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
  using stored = std::conditional_t<
      std::is_void_v<T>, std::monostate,
      std::conditional_t<std::is_reference_v<T>, std::add_pointer_t<std::remove_reference_t<T>>,
                         std::conditional_t<by_value, T, std::unique_ptr<T>>>>;
  using content = std::variant<stored, std::exception_ptr>;

  explicit outcome(content c) noexcept : content_(std::move(c)) {}

  content content_;
};

template <class P, class T>
class future;

/// The channel of a future, in memory that workers recycle. The last of sender and receiver frees it (rule O3 of
/// docs/channels.md).
template <class P, class T>
class result_channel {
 public:
  static result_channel* make(scheduler::worker<P>& w) {
    if constexpr (in_block) return ::new (w.blocks().allocate()) result_channel;
    else return new result_channel;
  }

  /// The last user's.
  static void free(result_channel* c) noexcept {
    if constexpr (in_block) {
      c->~result_channel();
      if (auto* w = scheduler::worker<P>::current()) w->blocks().release(c);
      else scheduler::block_cache::release_anywhere(c);
    } else {
      delete c;
    }
  }

  /// The task: sends what f makes of itself, and wakes who waits for it.
  template <class F>
  static void deliver(result_channel* c, F& f) noexcept {
    const channel::one_shot_sent s = c->one_.try_send(outcome<T>::of(f));
    // From here on the channel is the receiver's, unless that has gone.
    if (s.result == channel::sent::closed) free(c);
    else if (s.waiter != 0) reinterpret_cast<scheduler::worker<P>*>(s.waiter)->notify();
  }

 private:
  friend class future<P, T>;
  result_channel() = default;

  static constexpr bool in_block = sizeof(channel::one_shot<P, outcome<T>>) <= scheduler::block_cache::block_bytes &&
                                   alignof(channel::one_shot<P, outcome<T>>) <= platform::cache_line;

  channel::one_shot<P, outcome<T>> one_;
};

/// See leat::future.
template <class P, class T>
class future {
 public:
  future() noexcept = default;
  future(future&& other) noexcept : channel_(std::exchange(other.channel_, nullptr)) {}
  future& operator=(future&& other) noexcept {
    future gone(std::move(*this));
    channel_ = std::exchange(other.channel_, nullptr);
    return *this;
  }
  ~future() {
    if (channel_ != nullptr && channel_->one_.close()) result_channel<P, T>::free(channel_);
  }

  bool valid() const noexcept { return channel_ != nullptr; }
  bool ready() const { return checked().one_.ready(); }

  void wait() {
    auto& c = checked().one_;
    if (c.ready()) return;
    auto& me = this_worker<P>("future::wait");
    if (!c.announce(&me)) return;
    me.work_until([&c] { return c.ready(); });
  }

  T get() {
    wait();
    auto* c = std::exchange(channel_, nullptr);
    std::optional<outcome<T>> o = c->one_.try_receive();
    result_channel<P, T>::free(c);
    return std::move(*o).take();
  }

 private:
  template <class Q, class F>
  friend auto async(F&& f);

  explicit future(result_channel<P, T>* c) noexcept : channel_(c) {}

  result_channel<P, T>& checked() const {
    if (channel_ == nullptr) throw std::logic_error("leat::future: it has no result; it was taken, moved or never set");
    return *channel_;
  }

  result_channel<P, T>* channel_ = nullptr;
};

template <class P, class F>
auto async(F&& f) {
  using callable = std::decay_t<F>;
  using result = std::invoke_result_t<callable&>;
  auto& me = this_worker<P>("async");
  auto* c = result_channel<P, result>::make(me);
  try {
    me.spawn([c, call = callable(std::forward<F>(f))]() mutable { result_channel<P, result>::deliver(c, call); });
  } catch (...) {
    result_channel<P, result>::free(c);
    throw;
  }
  return future<P, result>(c);
}

}  // namespace leat::task
