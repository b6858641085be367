// How far apart the polls of a rank are.
#pragma once

#include <algorithm>
#include <cstdint>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// How many tasks go between two polls, so that these are as far apart as they should be. Pure: it is told the time.
/// It begins with one task, and finds the number by doubling.
class poll_clock {
 public:
  /// \param apart_ns  time between two polls; 0: one task
  explicit constexpr poll_clock(std::uint64_t apart_ns) noexcept : apart_ns_(apart_ns) {}

  constexpr std::uint32_t tasks() const noexcept { return tasks_; }

  /// How many tasks go between two readings of the clock: they may take much longer than those before.
  /// \param readings  between two polls
  constexpr std::uint32_t unwatched(std::uint32_t readings) const noexcept {
    return std::min(1 + tasks_ / readings, unwatched_max);
  }

  /// So many tasks took until now: tasks(), or fewer if there were no more. Few that took no time say nothing about
  /// how long many would take. The number is left alone while the time is between two thirds and one and a half of
  /// what it should be: so it does not swing with every measurement. It falls in proportion, as a late poll keeps
  /// others waiting, and at most doubles.
  constexpr void polled(std::uint64_t now_ns, std::uint32_t done) noexcept {
    const std::uint64_t took = now_ns - last_ns_;
    last_ns_ = now_ns;
    if (took > apart_ns_ + apart_ns_ / 2) {
      tasks_ = static_cast<std::uint32_t>(std::max<std::uint64_t>(done * apart_ns_ / took, 1));
    } else if (took < apart_ns_ - apart_ns_ / 3 && done == tasks_) {
      tasks_ = std::min<std::uint32_t>(2 * tasks_, tasks_max);
    }
  }

  /// Whether tasks take much longer than those before: the poll should come before tasks() are done.
  constexpr bool late(std::uint64_t now_ns) const noexcept { return now_ns - last_ns_ > apart_ns_ + apart_ns_ / 2; }

  /// Work begins now.
  constexpr void begin(std::uint64_t now_ns) noexcept { last_ns_ = now_ns; }

  /// A bound for tasks that take no time: without one the number would double on.
  static constexpr std::uint32_t tasks_max = 1u << 16;

  /// The most tasks without a reading.
  static constexpr std::uint32_t unwatched_max = 256;

 private:
  std::uint64_t apart_ns_;
  std::uint64_t last_ns_ = 0;
  std::uint32_t tasks_ = 1;
};

}  // namespace leat::inline LEAT_ABI::ranks
