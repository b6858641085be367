// Which tasks a worker makes public, so that thieves may take them without being answered. Rules EXPOSURE-1 to EXPOSURE-3:
// scheduler/exposer.hpp. Pure functions: no atomics, no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::protocol {

/// What a worker makes public: nothing, or half of its tasks whenever it is in a task.
enum class exposure : std::uint8_t { none, eager };

/// What thieves request of a victim that has nothing public (exposer.hpp, EXPOSURE-2).
enum class exposure_request : std::uint32_t { nothing, requested };

/// How many of `tasks` private tasks are made public. Half is rounded up, so that a lone task can be taken.
constexpr std::size_t exposed(exposure e, std::size_t tasks) { return e == exposure::eager ? (tasks + 1) / 2 : 0; }

/// The exposure of one worker now. Where nothing is public, a thief waits until its victim's task is over. Where
/// tasks are long, and a steal brings few of them, that is half a task lost for each steal; to take a task from a
/// public part costs half a microsecond. So a worker that was kept waiting, and knows that a task is worth it, or is
/// told so by another, makes half of its tasks public from then on, and hunts for others' before it asks; until a
/// task is worth less, or no thief takes the tasks that it makes public.
class exposing {
 public:
  /// A thief whose request has lain unopened for so long is kept waiting.
  static constexpr std::uint64_t late_ns = 700;

  /// A task that keeps its thief busy for so long is worth being taken by itself.
  static constexpr std::uint64_t worth_ns_min = 8'000;

  /// Tasks that are public at once, at most, while the worker makes them so by itself.
  static constexpr std::size_t eager_max = 64;

  /// Openings in a row of which no thief took anything while the worker executed a task, after which nothing is made
  /// public any more: thieves have enough, and each opening costs a little.
  static constexpr unsigned kept_max = 256;

  /// \param least  what the worker makes public while tasks are short, too; `none` but in tests
  explicit constexpr exposing(exposure least) noexcept : least_(least), now_(least) {}

  constexpr exposure now() const noexcept { return now_; }

  constexpr void tasks_are_long() noexcept {
    if (now_ == exposure::none) now_ = exposure::eager, kept_ = 0;
  }
  constexpr void tasks_are_short() noexcept { now_ = least_; }

  /// The public part is the owner's again, after others took `taken` of it. The owner has begun `begun` tasks so far.
  /// An opening in which it began none does not count: a worker that spawns a hundred tasks opens as often, and that
  /// says nothing about thieves.
  constexpr void closed(std::uint64_t taken, std::uint64_t begun) noexcept {
    const bool executed = std::exchange(begun_, begun) != begun;
    if (taken != 0) kept_ = 0;
    else if (executed) ++kept_;
    else return;
    if (kept_ == kept_max && now_ == exposure::eager) tasks_are_short();
  }

  /// Whether the only task at hand is a stolen one that is not begun: it is not made public, lest it go from thief to
  /// thief. begins_stolen() forgets that, as the task begins next.
  constexpr void holds_stolen(bool alone) noexcept { stolen_ = alone; }
  constexpr bool begins_stolen() noexcept { return std::exchange(stolen_, false) && now_ == exposure::eager; }

 private:
  exposure least_;
  exposure now_;
  unsigned kept_ = 0;
  std::uint64_t begun_ = 0;
  bool stolen_ = false;
};

}  // namespace leat::inline LEAT_ABI::protocol
