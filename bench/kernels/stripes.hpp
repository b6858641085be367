// Heat conduction and advection on a mesh that is cut into stripes, a user-level thread for each, with a barrier after each cycle
// (Thibault, "A Flexible Thread Scheduler for Hierarchical Multiprocessor Machines" (2005), section 5.2).

#pragma once

#include "kernels/carried.hpp"

#include <cstdint>
#include <string_view>

namespace leat::kernels::stripes {

/// What the mesh is computed for.
enum class scheme : std::uint8_t { conduction, advection };

/// Who says where a stripe is computed.
enum class way : std::uint8_t {
  simple,  ///< nobody: all threads lie on the machine's list
  bound,  ///< the program: each stripe has its own unit
  bubbles,  ///< the scheduler: each node's share of the stripes is a bubble
  tree  ///< the scheduler: the stripes are in the leaves of a bubble_tree, and meet at a tree_barrier
};

[[nodiscard]] std::string_view name(way) noexcept;

struct parameters {
  stripes::scheme scheme = scheme::conduction;
  stripes::way way = way::bubbles;  ///< --way
  std::int64_t stripes = 16;  ///< --stripes  1 to stripes_max
  std::int64_t rows = 400;  ///< --rows     of a stripe; 1 to rows_max
  std::int64_t cycles = 20;  ///< --cycles   1 to cycles_max
  double cell_ns = 20;  ///< --cell-ns  of a cell, as far as simulated worlds are concerned; 0 to cell_ns_max
  /// A quarter, as the paper's table has it: that is what its simple way loses, where memory of another node takes three times as
  /// long (docs/measurements/bubbles.md).
  memory_model memory = {.share = 0.25, .far = 3};

  static constexpr std::int64_t stripes_max = 4096;
  static constexpr std::int64_t rows_max = 100'000;
  static constexpr std::int64_t cycles_max = 100'000;
  static constexpr double cell_ns_max = 1e6;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const;
};

/// All stripes one after the other, cycle by cycle. Finds a sum of the mesh. Its clock starts when there is memory for the mesh, of
/// which no page has been touched, and stops when the sum is known.
[[nodiscard]] serial_outcome serial(const parameters&);

/// The same sum, to the last bit, between the same two moments. Each stripe's thread touches its rows first. Throws what runtime::run
/// throws.
[[nodiscard]] carried_outcome parallel(runtime&, const parameters&, bubble_trace* trace = nullptr);

}  // namespace leat::kernels::stripes
