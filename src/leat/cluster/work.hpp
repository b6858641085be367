// What a rank has to do, as engines see it: tasks that they may take away, and bring.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// Bytes that one answer carries at most: the landing zone in each rank's window is as large (rma_engine).
inline constexpr std::size_t batch_bytes_max = std::size_t{1} << 16;

/// How much a rank shares with others at a time (Machado et al., section 5: a parametrised threshold and chunk).
struct sharing {
  std::size_t chunk = 0;  ///< tasks that are shared, taken back, and given at a time; 0: half of them
  std::size_t threshold = 2;  ///< private tasks from which on some are shared; more than `chunk`
};

/// The tasks of a rank. Thread safety: none.
class work {
 public:
  virtual ~work() = default;

  /// Whether the rank has a task, waiting or under way.
  virtual bool busy() const noexcept = 0;

  /// How many tasks may be given away now. With several workers a hint: others of the rank may take them first.
  virtual std::size_t shared() const noexcept = 0;

  /// Takes the oldest of these, a chunk or as many as fit into batch_bytes_max, and appends them to `out`. Returns how many:
  /// none if none is shared. Shares anew what is left.
  /// \throws std::length_error  one task alone has more than batch_bytes_max bytes
  virtual std::size_t give(std::vector<std::byte>& out) = 0;

  /// Adds tasks that another rank gave. Returns how many. Some are shared at once.
  /// \throws what unpacking a task does: the run fails then
  virtual std::size_t take(std::span<const std::byte> tasks) = 0;
};

}  // namespace leat::inline LEAT_ABI::ranks
