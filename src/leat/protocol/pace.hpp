// How often a thief asks: not so often that its victims spend their time on it. Rule WORKER-9:
// docs/internals/protocol.md.
//
// A steal costs the victim something: it polls, and the lines of what it gives away come back to it by and by. Where
// tasks are so small that the thief is done with them in less time than that, stealing only slows the victim down, and
// a thief that comes again at once does nothing else. Such a steal is *vain*. The thief asks for more next time, if it
// may; else it pauses before it asks again. The pauses double, from one vain steal to the next, until the victims lose
// no more than a small part of their time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::protocol {

/// What a steal costs the victim, in nanoseconds: to poll and to answer, and for each task that it gives away.
inline constexpr std::uint64_t steal_price_ns = 1000;
inline constexpr std::uint64_t task_price_ns = 25;

/// The first pause, and how many times the price of the last steal is the longest.
inline constexpr std::uint64_t pause_min_ns = 250;
inline constexpr std::uint64_t pause_prices_max = 8;

/// One thief's pauses. Pure: it is told the time.
class pace {
 public:
  /// A steal brought `tasks` tasks, which the thief begins to work on at `now_ns`.
  constexpr void stole(std::size_t tasks, std::uint64_t now_ns) noexcept {
    price_ns_ = steal_price_ns + task_price_ns * tasks;
    tasks_ = tasks;
    began_ns_ = now_ns;
    busy_ = true;
  }

  /// A steal brought a fork. Its victim has lost next to nothing, and no other steal could have brought more. So it
  /// is never vain, and says nothing about the worth of tasks.
  constexpr void took_fork() noexcept {
    busy_ = vain_ = false;
    worth_ns_ = worth_before_ns_ = 0;
  }

  /// The thief has nothing left at `now_ns`. Returns whether that ends a vain steal; so not twice after one.
  constexpr bool done(std::uint64_t now_ns) noexcept {
    if (!busy_) return false;
    busy_ = false;
    worth_before_ns_ = worth_ns_;
    worth_ns_ = (now_ns - began_ns_) / std::max<std::size_t>(tasks_, 1);
    vain_ = now_ns - began_ns_ < price_ns_;
    if (!vain_) pause_ns_ = 0;
    return vain_;
  }

  /// Whether the last steal that it was told the end of was vain.
  constexpr bool vain() const noexcept { return vain_; }

  /// How long it was busy with each task that a steal brought, and with what descends from it, in the mean: of the last two
  /// steals, the one that brought less. 0 before the second one.
  constexpr std::uint64_t worth_ns() const noexcept { return std::min(worth_ns_, worth_before_ns_); }

  /// The same of the last steal alone.
  constexpr std::uint64_t last_worth_ns() const noexcept { return worth_ns_; }

  /// How long to wait after a vain steal, in nanoseconds: twice the last pause. A steal that was not vain has set
  /// that to 0, so pauses begin anew with pause_min_ns.
  constexpr std::uint64_t next_pause_ns() noexcept {
    return pause_ns_ = std::min(std::max(2 * pause_ns_, pause_min_ns), pause_prices_max * price_ns_);
  }

 private:
  std::uint64_t price_ns_ = 0;  // of the last steal
  std::uint64_t began_ns_ = 0;
  std::uint64_t pause_ns_ = 0;  // the last one
  std::uint64_t worth_ns_ = 0;
  std::uint64_t worth_before_ns_ = 0;
  std::size_t tasks_ = 0;
  bool busy_ = false;
  bool vain_ = false;
};

}  // namespace leat::inline LEAT_ABI::protocol
