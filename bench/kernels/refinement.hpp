// A mesh that is refined where something happens, and that place moves on: work is where nobody could know it before. Regions of
// blocks of patches, a user-level thread for each patch, with a barrier after each cycle. (Thibault, "A Flexible Thread Scheduler for
// Hierarchical Multiprocessor Machines" (2005), section 5.2, names it as what regeneration is for.)

#pragma once

#include "kernels/carried.hpp"

#include <cstdint>
#include <string_view>

namespace leat::kernels::refinement {

/// Who says where a patch is computed.
enum class way : std::uint8_t {
  simple,  ///< nobody: all threads lie on the machine's list
  kept,  ///< each region is a bubble for a node, and its blocks are bubbles that stay where they burst
  regenerated  ///< the same, and idle units take over blocks that wait elsewhere
};

[[nodiscard]] std::string_view name(way) noexcept;

struct parameters {
  refinement::way way = way::regenerated;  ///< --way
  kernels::policy policy = kernels::policy::work;  ///< --policy
  std::int64_t regions = 4;  ///< --regions  1 to regions_max; one at a time is refined
  std::int64_t blocks = 4;  ///< --blocks   of a region; 1 to blocks_max
  std::int64_t patches = 4;  ///< --patches  of a block; 1 to patches_max
  std::int64_t cells = 50'000;  ///< --cells    of a coarse patch; 1 to cells_max
  std::int64_t finer = 8;  ///< --finer    how many cells there are instead of one; 1 to finer_max
  std::int64_t stays = 8;  ///< --stays    cycles after which the next region is refined; 1 to cycles_max
  std::int64_t cycles = 32;  ///< --cycles   1 to cycles_max
  memory_model memory = {};

  static constexpr std::int64_t regions_max = 256, blocks_max = 256, patches_max = 256;
  static constexpr std::int64_t cells_max = 10'000'000, finer_max = 64, cycles_max = 100'000;

  /// Throws std::invalid_argument, naming the option and its value.
  void validate() const;
};

/// All patches one after the other, cycle by cycle. Finds a sum of the mesh. Its clock starts when there are patches, which have no
/// cells yet, and stops when the sum is known.
[[nodiscard]] serial_outcome serial(const parameters&);

/// The same sum, to the last bit, between the same two moments. Each patch's thread makes its cells. Throws what runtime::run throws.
[[nodiscard]] carried_outcome parallel(runtime&, const parameters&, bubble_trace* trace = nullptr);

}  // namespace leat::kernels::refinement
