// What a rank's first worker does, and how long it has had no work, by reason.
#pragma once

#include <cstdint>

#include "leat/cluster/counters.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// A rank is in one phase at a time.
enum class phase : std::uint8_t {
  busy,     ///< it expands tasks
  waiting,  ///< the others of the rank have work, and this worker found none
  idle,     ///< no worker of the rank has any
  held,     ///< a cut is made
};

/// Adds up the time of phases without work in a rank's counters. Pure: it is told the time.
class phase_times {
 public:
  phase_times(rank_counters& counters, std::uint64_t now_ns) noexcept : counters_(counters), since_ns_(now_ns) {}

  phase now() const noexcept { return phase_; }

  /// \param ended  whether the run has: to be idle is to wait for the others then
  void begin(phase next, std::uint64_t now_ns, bool ended) noexcept {
    const std::uint64_t took_ns = now_ns - since_ns_;
    if (phase_ == phase::idle) {
      counters_[ended ? rank_event::idle_ending_ns : rank_event::idle_seeking_ns] += took_ns;
    } else if (phase_ == phase::waiting) {
      counters_[rank_event::idle_waiting_ns] += took_ns;
    } else if (phase_ == phase::held) {
      counters_[rank_event::held_ns] += took_ns;
    }
    phase_ = next;
    since_ns_ = now_ns;
  }

 private:
  rank_counters& counters_;
  phase phase_ = phase::busy;
  std::uint64_t since_ns_;
};

}  // namespace leat::inline LEAT_ABI::ranks
