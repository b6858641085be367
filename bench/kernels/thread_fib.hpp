// The recursion of Fibonacci's numbers with a user-level thread for each call, and a bubble for each level of it (Thibault, "A Flexible
// Thread Scheduler for Hierarchical Multiprocessor Machines" (2005), section 5.1, Figure 5).

#pragma once

#include "kernels/carried.hpp"

#include <cstdint>
#include <string_view>

namespace leat::kernels::thread_fib {

/// What the two threads of a call are put in.
enum class way : std::uint8_t {
  simple,  ///< nothing: all threads lie on the machine's list
  bubbles,  ///< a bubble, inside that of the call, which bursts where its number of threads says
  placed  ///< the same, but the program says where it bursts, by the number of calls of its level
};

[[nodiscard]] std::string_view name(way) noexcept;

struct parameters {
  thread_fib::way way = way::bubbles;  ///< --way
  std::int64_t n = 24;  ///< -n       0 to n_max
  std::int64_t depth = 4;  ///< --depth  of calls that make two threads; 2^(depth+1) - 2 threads; 0 to depth_max
  std::int64_t lines =
      64;  ///< --lines  cache lines that a call and each of its threads hand each other; 0 to lines_max
  bool bubbles_stay = false;  ///< --bubbles-stay  idle units leave those that have burst where they are

  static constexpr std::int64_t n_max = 90, depth_max = 14, lines_max = 100'000;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const;

  [[nodiscard]] std::uint64_t expected() const noexcept;
};

/// Plain calls. Finds the number, as parallel does.
[[nodiscard]] serial_outcome serial(const parameters&);

/// Throws what runtime::run throws.
[[nodiscard]] carried_outcome parallel(runtime&, const parameters&, bubble_trace* trace = nullptr);

}  // namespace leat::kernels::thread_fib
