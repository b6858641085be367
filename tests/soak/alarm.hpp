// The alarm: signals that come as those of a program's own timers would.
#pragma once

#include <array>
#include <cstdint>
#include <ctime>

namespace soak {

/// While it lives, two timers send signals to the process: SIGALRM ten thousand times a second, and a hundred times a second
/// SIGURG, which leat uses for its own interrupts and has to pass on. One at a time; made before the first runtime and destroyed
/// after the last one.
class alarm_clock {
 public:
  /// Threads made from now on get the signals. \throws std::system_error
  alarm_clock();
  alarm_clock(const alarm_clock&) = delete;
  alarm_clock& operator=(const alarm_clock&) = delete;
  ~alarm_clock();

  /// The calling thread gets no more of them.
  static void leave_out_caller();

  /// Handlers that have run.
  static std::uint64_t rung();
  static std::uint64_t rung_urgently();

 private:
  std::array<timer_t, 2> timers_;
};

}  // namespace soak
