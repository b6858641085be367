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
#include "leat/strands/strands.hpp"
#include "leat/task/channel_line.hpp"
#include "leat/task/channel_patience.hpp"
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
    return with_kept(message, [this](kept& k) {
      channel_patience<P> patience;
      for (;;) {
        const channels::sent answer = offer(k);
        if (answer != channels::sent::full) return answer == channels::sent::ok;
        if (is_pair || queue_.full()) return false;
        patience.pause_for_another();
      }
    });
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

  [[nodiscard]] std::optional<T> try_receive() {
    channel_patience<P> patience;
    std::optional<kept> found = take();
    while (!found && !is_pair && !queue_.empty()) {
      patience.pause_for_another();
      move_into(found, take());
    }
    if constexpr (moves_quietly) return found;
    else return unkept(found);
  }

  [[nodiscard]] std::optional<T> receive(task::wait how = wait::own) {
    std::optional<kept> found = take();
    if (!found) [[unlikely]]
      move_into(found, take_later(how));
    if constexpr (moves_quietly) return found;
    else return unkept(found);
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

  static std::optional<T> unkept(std::optional<kept>& found) {
    return found ? std::optional<T>(std::move(**found)) : std::nullopt;
  }

  // Into an empty one, as an assignment would, which T may not have.
  static void move_into(std::optional<kept>& found, std::optional<kept>&& later) {
    if (later) found.emplace(std::move(*later));
  }

  channels::sent offer(kept& k) {
    const channels::sent answer = queue_.try_send(std::move(k));
    if (answer == channels::sent::ok) receivers_.tell_one();
    return answer;
  }

  std::optional<kept> take() {
    std::optional<kept> found = queue_.try_receive();
    if (found) senders_.tell_one();
    return found;
  }

  bool send_kept(kept& k, task::wait how) {
    const channels::sent answer = offer(k);
    return answer == channels::sent::full ? send_later(k, how) : answer == channels::sent::ok;
  }

  // After a send that found it full.
  [[gnu::noinline]] bool send_later(kept& k, task::wait how) {
    [[maybe_unused]] const strands::pause<P> here;
    channel_patience<P> patience(sending_.first_pause());
    for (;;) {
      await(patience, senders_, [this] { return queue_.full() && !queue_.closed(); }, how);
      const channels::sent answer = offer(k);
      if (answer == channels::sent::full) continue;
      sending_.note(capacity() - size() + 1, patience.relaxes());
      return answer == channels::sent::ok;
    }
  }

  // After a receive that found nothing.
  [[gnu::noinline]] std::optional<kept> take_later(task::wait how) {
    [[maybe_unused]] const strands::pause<P> here;
    channel_patience<P> patience(receiving_.first_pause());
    while (!queue_.drained()) {
      await(patience, receivers_, [this] { return queue_.empty() && !queue_.closed(); }, how);
      std::optional<kept> found = take();
      if (!found) continue;
      receiving_.note(size() + 1, patience.relaxes());
      return found;
    }
    return std::nullopt;
  }

  // Returns when the call is to try again. In mpmc, a queue that does not block a call may still refuse it, while another
  // thread has not finished (CHANNEL-5).
  template <class Blocked>
  static void await(channel_patience<P>& patience, channel_line<P>& line, Blocked blocked, task::wait how) {
    if (patience.lasts(Tries)) return;
    if (blocked()) channel_wait_in<P, Blocked>(line, blocked).wait(how);
    else patience.pause_for_another();
  }

  queue queue_;
  channel_line<P> senders_;  // waits for room
  channel_line<P> receivers_;  // waits for a message
  channel_pace<P> sending_;
  channel_pace<P> receiving_;
};

}  // namespace leat::inline LEAT_ABI::task
