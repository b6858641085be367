// The lock that the system has for the signals of a process.
#pragma once

#include <algorithm>
#include <cstdint>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::platform {

/// One thread at a time has a turn, in the order in which turns are taken: to send a signal, to begin a handler, to leave it.
class signal_turns {
 public:
  /// Returns when a turn of `ps` picoseconds is over that is taken at `clock_ps`.
  std::uint64_t take(std::uint64_t clock_ps, std::uint64_t ps) noexcept {
    return free_ps_ = std::max(free_ps_, clock_ps) + ps;
  }

 private:
  std::uint64_t free_ps_ = 0;
};

}  // namespace leat::inline LEAT_ABI::platform
