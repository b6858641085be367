// What one thread at a time may do, such as to hold a lock of the system.
#pragma once

#include <algorithm>
#include <cstdint>

namespace leat::platform {

/// Turns in the order in which they are taken. It holds only if those are taken in the order of the threads' clocks.
class turns {
 public:
  /// Returns when a turn of `ps` picoseconds is over that is taken at `clock_ps`.
  std::uint64_t take(std::uint64_t clock_ps, std::uint64_t ps) noexcept {
    return free_ps_ = std::max(free_ps_, clock_ps) + ps;
  }

 private:
  std::uint64_t free_ps_ = 0;
};

}  // namespace leat::platform
