// Gangs of threads that communicate all the time, and one thread that carries messages from gang to gang: the program of Figure 1 of
// Thibault, "A Flexible Thread Scheduler for Hierarchical Multiprocessor Machines" (2005).

#pragma once

#include "kernels/carried.hpp"

#include <cstdint>
#include <string_view>

namespace leat::kernels::gangs {

/// What decides when the threads of a gang execute.
enum class way : std::uint8_t {
  threads,  ///< the order on a list: all threads lie on the machine's list, with one priority
  gangs  ///< each gang is a bubble with a slice and a lower priority than threads; the communication thread has a higher one
};

[[nodiscard]] std::string_view name(way) noexcept;

struct parameters {
  gangs::way way = way::gangs;  ///< --way
  std::int64_t gangs = 2;  ///< --gangs    1 to gangs_max
  std::int64_t threads = 16;  ///< --threads  of a gang, one for each unit; 1 to threads_max
  std::int64_t steps = 200;  ///< --steps    of a thread; 1 to steps_max
  std::int64_t lines = 256;  ///< --lines    cache lines of a thread, all of which a step changes; 1 to lines_max
  double step_ns = 20'000;  ///< --step-ns  of a step, as far as simulated worlds are concerned; 0 to step_ns_max
  std::int64_t every = 10;  ///< --every    steps from one message between gangs to the next; 1 to steps_max
  std::int64_t slice_us = 1000;  ///< --slice-us of a gang; 1 to slice_us_max

  static constexpr std::int64_t gangs_max = 64, threads_max = 1024, steps_max = 1'000'000, lines_max = 1'000'000;
  static constexpr std::int64_t slice_us_max = 1'000'000'000;
  static constexpr double step_ns_max = 1e9;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const;
};

/// All steps one after the other. Finds a sum of what all threads have at the end.
[[nodiscard]] serial_outcome serial(const parameters&);

/// The same sum. Tells how long messages between gangs waited for the communication thread. Throws what runtime::run throws.
[[nodiscard]] carried_outcome parallel(runtime&, const parameters&, bubble_trace* trace = nullptr);

}  // namespace leat::kernels::gangs
