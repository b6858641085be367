// When a leapfrogging wait asks, checks, and sleeps.
#pragma once

#include <algorithm>
#include <cstdint>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::waiting {

/// Counts the rounds of one wait. The pause between two requests doubles after each vain one, so that many waiters do not
/// flood a worker that has nothing for them; the length of a sleep doubles for the same reason. One thread.
template <class P>
class wait_pace {
 public:
  /// The wait has executed a task: pauses and sleeps begin anew.
  void restart() noexcept {
    round_ = next_request_ = 0;
    pause_ = rounds_per_check;
    sleep_ns_ = sleep_ns_min;
  }

  bool may_request() const noexcept { return round_ >= next_request_; }
  void requested() noexcept {
    next_request_ = round_ + pause_;
    pause_ = std::min(2 * pause_, pause_max);
  }

  /// Ends a round. True each time after so many rounds that reading the clock costs little beside them.
  bool is_time_to_check() noexcept { return ++round_ % rounds_per_check == 0; }

  /// Nanoseconds since the first check after the beginning or restart. Reads the clock.
  std::uint64_t waited_ns() noexcept {
    const std::uint64_t now = P::now_ns();
    if (round_ == rounds_per_check) start_ns_ = now;
    return now - start_ns_;
  }

  /// How long the next sleep may be, in nanoseconds.
  std::uint64_t sleep_ns() const noexcept { return sleep_ns_; }
  /// A request may follow at once: the state of the awaited work may have changed meanwhile.
  void slept() noexcept {
    sleep_ns_ = std::min(2 * sleep_ns_, sleep_ns_max);
    next_request_ = round_;
  }

 private:
  static constexpr unsigned rounds_per_check = 64;
  static constexpr unsigned pause_max = 4096;  // rounds before a vain request is sent again
  static constexpr std::uint64_t sleep_ns_min = 100'000, sleep_ns_max = 10'000'000;

  unsigned round_ = 0, next_request_ = 0, pause_ = rounds_per_check;
  std::uint64_t start_ns_ = 0, sleep_ns_ = sleep_ns_min;
};

}  // namespace leat::inline LEAT_ABI::waiting
