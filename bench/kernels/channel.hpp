// Messages over leat::channel: throughput of one sender and one receiver, of several, and a ball that goes to and fro.

#pragma once

#include "kernels/counted_runtime.hpp"

#include <leat/runtime.hpp>

#include <cstdint>
#include <string_view>

namespace leat::kernels::channel {

/// How many senders and receivers there are. The root of the run is a receiver; all others are threads outside.
enum class shape : std::uint8_t {
  pair,   ///< one sender, one receiver
  to_one,  ///< senders, one receiver
  among,  ///< senders, and as many receivers
  ball,   ///< each message is answered before the next one is sent
};

[[nodiscard]] std::string_view name(shape) noexcept;

struct parameters {
  channel::shape shape = shape::pair;  ///< --shape     pair, to-one, among or ball
  std::int64_t messages = 1'000'000;   ///< --messages  0 to messages_max
  std::int64_t room = 1024;            ///< --room      of a channel, in messages; 1 to room_max
  std::int64_t senders = 2;            ///< --senders   of to-one, and of among; 1 to senders_max

  static constexpr std::int64_t messages_max = 10'000'000'000;
  static constexpr std::int64_t room_max = std::int64_t{1} << 24;
  static constexpr std::int64_t senders_max = 256;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const;

  /// Messages, which are this program's units; there is no task but the root.
  [[nodiscard]] std::uint64_t forks() const noexcept { return static_cast<std::uint64_t>(messages); }

  /// The sum of the messages, which are 1, 2, ...
  [[nodiscard]] std::uint64_t expected() const noexcept;

  /// The same with fewer messages.
  [[nodiscard]] parameters smaller() const noexcept;
};

/// One thread fills the channel and empties it, in turns; it never waits.
[[nodiscard]] std::uint64_t serial(const parameters&);

/// Starts and joins the threads, too. Throws what runtime::run throws, and std::system_error.
[[nodiscard]] std::uint64_t parallel(runtime&, const parameters&);
[[nodiscard]] std::uint64_t parallel(counted_runtime&, const parameters&);

}  // namespace leat::kernels::channel
