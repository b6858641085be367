// How a program is shown the progress of its rank while a run lasts.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "leat/cluster/counters.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// What a program has asked to be shown: the counts, every so many microseconds. Without a function, nothing.
struct progress {
  std::uint64_t every_us = 0;
  std::function<void(const rank_counters&)> show;
};

/// When to show the progress of a rank in one run. Pure: it is told the time.
class progress_clock {
 public:
  /// The run begins now. What is asked for must outlive it.
  void begin(const progress& asked, std::uint64_t now_ns) noexcept {
    asked_ = asked.show ? &asked : nullptr;
    shown_ns_ = now_ns;
  }

  /// Whether there is anything to show, now or later. If not, nothing else is to be called, and no clock to be read.
  bool on() const noexcept { return asked_ != nullptr; }

  /// PROGRESS-1: shows the counts if it is time, and returns whether it was. A call that comes late moves the later ones, so
  /// that they do not come in a row.
  /// \throws what the program's function does
  bool poll(const rank_counters& counters, std::uint64_t now_ns) {
    if ((now_ns - shown_ns_) / 1000 < asked_->every_us) return false;
    shown_ns_ = now_ns;
    asked_->show(counters);
    return true;
  }

  /// Shows them for the last time in this run.
  /// \throws what the program's function does
  void end(const rank_counters& counters) { std::exchange(asked_, nullptr)->show(counters); }

 private:
  const progress* asked_ = nullptr;
  std::uint64_t shown_ns_ = 0;
};

}  // namespace leat::inline LEAT_ABI::ranks
