// The pauses of a call that finds a channel full or empty, before it goes to the line. Rules CHANNEL-4, CHANNEL-5 and
// CHANNEL-7: docs/internals/user_channels.md.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "leat/platform/order.hpp"
#include "leat/scheduler/worker.hpp"

namespace leat::inline LEAT_ABI::task {

/// How often a call tries before it goes to the line.
struct channel_tries {
  std::uint32_t spins;  ///< with a growing number of relaxes between them, up to relaxes_max
  std::uint32_t yields;  ///< then, with a yield between them

  static constexpr std::uint32_t relaxes_max = 64;
};

/// The tries of one call, in turn. A worker answers thieves between them (CHANNEL-4).
template <class P>
class channel_patience {
 public:
  /// `first`: relaxes of the first pause; each pause is twice as long as the one before.
  explicit channel_patience(std::uint32_t first = 1) noexcept : next_(first) {}

  /// True if the call is to try again, after a pause; false if it is to go to the line.
  bool lasts(const channel_tries& most) noexcept {
    if (tried_ >= most.spins + most.yields) return false;
    pause(tried_ < most.spins);
    return true;
  }

  /// A pause for a call of another thread that is about to end. Without end: that thread waits for nothing.
  void pause_for_another() noexcept { pause(tried_ < spins_for_another); }

  /// Of all pauses so far; a yield counts as the pause in whose place it is.
  std::uint32_t relaxes() const noexcept { return relaxes_; }

 private:
  static constexpr std::uint32_t spins_for_another = 16;

  void pause(bool spins) noexcept {
    if (auto* const me = scheduler::worker<P>::current()) me->poll();
    if (!spins) P::yield();
    else
      for (std::uint32_t i = 0; i < next_; ++i) P::relax();
    relaxes_ += next_;
    next_ = std::min(next_ * 2, channel_tries::relaxes_max);
    ++tried_;
  }

  std::uint32_t tried_ = 0;
  std::uint32_t relaxes_ = 0;
  std::uint32_t next_;
};

/// How long the threads of an end pause when they first find nothing, so that each look at the other end's words brings many
/// messages or places. Without it, threads that are equally fast hand each other a line of the cache for each message
/// (CHANNEL-7). Any thread's: it is a hint, so writes may be lost.
template <class P>
class alignas(platform::cache_line) channel_pace {
 public:
  /// Relaxes, 1 to channel_tries::relaxes_max.
  std::uint32_t first_pause() const noexcept { return first_pause_.load(platform::relaxed); }  // relaxed: a hint

  /// Pauses of `relaxes` in all have brought `found` messages or places.
  void note(std::size_t found, std::uint32_t relaxes) noexcept {
    const std::uint32_t now = first_pause();
    const std::uint32_t next = found * relaxes_for_one > relaxes ? std::min(now * 2, channel_tries::relaxes_max)  //
                                                                 : std::max(now / 2, 1U);
    if (next != now) first_pause_.store(next, platform::relaxed);  // relaxed: a hint
  }

 private:
  // So one message each way at a time, as in a game of ball, waits for a second relax at most.
  static constexpr std::uint32_t relaxes_for_one = 2;

  typename P::template atomic<std::uint32_t> first_pause_{1};
};

}  // namespace leat::inline LEAT_ABI::task
