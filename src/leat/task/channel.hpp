// Channels of programs. Rules CHANNEL: docs/internals/user_channels.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "leat/channel/mpmc.hpp"
#include "leat/channel/ring.hpp"
#include "leat/task/channel_line.hpp"
#include "leat/task/channel_wait.hpp"

namespace leat::inline LEAT_ABI::task {

/// How many threads or tasks may use one end of a channel at once.
enum class ends : std::uint8_t {
  one,  ///< one at a time; another one may follow if the last call of the one before happens before
  many,
};

inline constexpr channel_tries channel_tries_usual{.spins = 6, .yields = 4};

/// See leat::channel. `Tries`: before a call goes to the line; tests have none.
template <class P, class T, ends Senders, ends Receivers, channel_tries Tries = channel_tries_usual>
class channel {
  static_assert(std::is_object_v<T> && std::is_move_constructible_v<T>,
                "leat::channel: its messages must be movable objects");
  // A message that throws while it moves is kept in memory of its own, and only the pointer moves (CHANNEL-6).
  static constexpr bool moves_quietly = std::is_nothrow_move_constructible_v<T>;
  static_assert(moves_quietly || std::is_move_assignable_v<T>,
                "leat::channel: messages whose move constructor may throw need a move assignment, to be given back");

  using kept = std::conditional_t<moves_quietly, T, std::unique_ptr<T>>;
  static constexpr bool is_pair = Senders == ends::one && Receivers == ends::one;
  using queue = std::conditional_t<is_pair, channels::ring<P, kept>, channels::mpmc<P, kept>>;

 public:
  static constexpr std::size_t capacity_max = queue::capacity_max;

  /// `first_index`: where counting starts; only tests care.
  explicit channel(std::size_t capacity, std::uint64_t first_index = 0)
      : queue_(channels::checked_capacity("channel", capacity, capacity_max), first_index) {}

  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;

  [[nodiscard]] bool try_send(T&& message) {
    if (queue_.closed() || queue_.full()) return false;  // before a message is moved that would have to come back
    return with_kept(message, [this](kept& k) { return offer(k) == channels::sent::ok; });
  }
  [[nodiscard]] bool try_send(const T& message)
    requires std::is_copy_constructible_v<T>
  {
    return try_send(T(message));
  }

  bool send(T&& message, task::wait how = wait::own) {
    if (queue_.closed()) return false;
    return with_kept(message, [&](kept& k) { return send_kept(k, how); });
  }
  bool send(const T& message, task::wait how = wait::own)
    requires std::is_copy_constructible_v<T>
  {
    return send(T(message), how);
  }

  [[nodiscard]] std::optional<T> try_receive() { return given(take()); }

  [[nodiscard]] std::optional<T> receive(task::wait how = wait::own) {
    channel_patience<P> patience;
    const auto blocked = [this] { return queue_.empty() && !queue_.closed(); };
    for (;;) {
      if (std::optional<kept> found = take()) return given(std::move(found));
      if (queue_.drained()) return std::nullopt;
      if (patience.lasts(Tries)) continue;
      channel_wait_in<P, decltype(blocked)>(receivers_, blocked).wait(how);
    }
  }

  void close() {
    queue_.close();
    senders_.tell_all();
    receivers_.tell_all();
  }

  void reopen() {
    if (!queue_.closed()) throw std::logic_error("leat::channel::reopen: the channel is open");
    if (!queue_.drained()) {
      throw std::logic_error("leat::channel::reopen: " + std::to_string(size()) +
                             " messages are inside that no receiver has taken");
    }
    queue_.reopen();
  }

  bool closed() const noexcept { return queue_.closed(); }
  std::size_t size() const noexcept { return queue_.size(); }
  std::size_t capacity() const noexcept { return queue_.capacity(); }

  /// The messages to come, one after the other. It holds the current one.
  class iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::input_iterator_tag;

    explicit iterator(channel& from) : from_(&from), message_(from.receive()) {}
    T& operator*() const noexcept { return *message_; }
    iterator& operator++() {
      // Into an empty optional, as T need not be assignable.
      message_.reset();
      if (std::optional<T> next = from_->receive()) message_.emplace(std::move(*next));
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& i, std::default_sentinel_t) noexcept { return !i.message_; }

   private:
    channel* from_;
    mutable std::optional<T> message_;
  };

  iterator begin() { return iterator(*this); }
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  // Calls f with what the queue holds of `message`, which is given back if f returns false.
  template <class F>
  static bool with_kept(T& message, F f) {
    if constexpr (moves_quietly) {
      return f(message);
    } else {
      kept k = std::make_unique<T>(std::move(message));
      if (f(k)) return true;
      message = std::move(*k);
      return false;
    }
  }

  static std::optional<T> given(std::optional<kept> found) {
    if constexpr (moves_quietly) return found;
    else return found ? std::optional<T>(std::move(**found)) : std::nullopt;
  }

  // The answer is full only if no room was left at a moment of the call (CHANNEL-5).
  channels::sent offer(kept& k) {
    channel_patience<P> patience;
    for (;;) {
      const channels::sent answer = queue_.try_send(std::move(k));
      if (answer == channels::sent::ok) receivers_.tell_one();
      if (answer != channels::sent::full || queue_.full()) return answer;
      patience.pause_for_another();
    }
  }

  // Nothing only if nothing was inside at a moment of the call (CHANNEL-5).
  std::optional<kept> take() {
    channel_patience<P> patience;
    for (;;) {
      std::optional<kept> found = queue_.try_receive();
      if (found) senders_.tell_one();
      if (found || queue_.empty()) return found;
      patience.pause_for_another();
    }
  }

  bool send_kept(kept& k, task::wait how) {
    channel_patience<P> patience;
    const auto blocked = [this] { return queue_.full() && !queue_.closed(); };
    for (;;) {
      const channels::sent answer = offer(k);
      if (answer != channels::sent::full) return answer == channels::sent::ok;
      if (patience.lasts(Tries)) continue;
      channel_wait_in<P, decltype(blocked)>(senders_, blocked).wait(how);
    }
  }

  queue queue_;
  channel_line<P> senders_;  // waits for room
  channel_line<P> receivers_;  // waits for a message
};

}  // namespace leat::inline LEAT_ABI::task
