// Pairs of threads that need different parts of a core, on cores that execute two threads at a time (Thibault, "A Flexible Thread
// Scheduler for Hierarchical Multiprocessor Machines" (2005), section 3.1, SMT).

#pragma once

#include "kernels/carried.hpp"

#include <cstdint>
#include <string_view>

namespace leat::kernels::pairs {

/// What decides which two threads share a core.
enum class way : std::uint8_t {
  simple,  ///< the order on a list: all threads lie on the machine's list
  bubbles  ///< each pair is a bubble, whose members are in symbiosis
};

[[nodiscard]] std::string_view name(way) noexcept;

struct parameters {
  pairs::way way = way::bubbles;  ///< --way
  std::int64_t pairs =
      2;  ///< --pairs   1 to pairs_max; one thread of each pair computes with integers, the other visits memory
  std::int64_t cycles = 50;  ///< --cycles  with a barrier after each; 1 to cycles_max
  std::int64_t pieces = 20;  ///< --pieces  of a cycle's work; 1 to pieces_max
  double piece_ns = 10'000;  ///< --piece-ns  of a piece, as far as simulated worlds are concerned; 0 to piece_ns_max

  static constexpr std::int64_t pairs_max = 4096, cycles_max = 100'000, pieces_max = 100'000;
  static constexpr double piece_ns_max = 1e9;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const;
};

/// All threads' work one after the other, cycle by cycle. Finds a sum.
[[nodiscard]] serial_outcome serial(const parameters&);

/// The same sum. Throws what runtime::run throws.
[[nodiscard]] carried_outcome parallel(runtime&, const parameters&, bubble_trace* trace = nullptr);

}  // namespace leat::kernels::pairs
