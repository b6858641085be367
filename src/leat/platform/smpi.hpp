// The platform of ranks that SimGrid's SMPI simulates: the machine as it is, with the clock of the simulation.
#pragma once

#include <cstdint>

#include "leat/platform/native.hpp"

namespace leat::inline LEAT_ABI::platform {

/// A process that smpirun loads once for each rank; it has one thread. docs/measurements/clusters.md, "At scale".
struct smpi : native {
  /// Nothing here can start a thread.
  static constexpr bool one_thread = true;

  /// Simulated time. Pays what work is owed.
  static std::uint64_t now_ns() noexcept;

  /// Work takes simulated time. It is paid in pieces of work_piece_ns, as each costs the simulation some microseconds.
  /// Bytes take no time: a rank has its machine to itself.
  static void work_ns(double ns, double bytes = 0, work_kind = work_kind::any) noexcept;

  static constexpr double work_piece_ns = 10'000;

  /// A rank has a CPU to itself, so to wait by the clock is as good as work.
  static void spin_ns(std::uint64_t ns) noexcept { work_ns(static_cast<double>(ns)); }

  /// MPI calls take simulated time: who waits makes them.
  static void yield() noexcept {}
};

}  // namespace leat::inline LEAT_ABI::platform
