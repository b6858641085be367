#include "leat/platform/smpi.hpp"

#include <mpi.h>
#include <smpi/smpi.h>

namespace leat::inline LEAT_ABI::platform {

namespace {

// Each rank has its own: smpirun loads the program anew for each.
// Work that was done and not yet paid, in nanoseconds of simulated time. It is paid before the clock is read, so no
// rank sees a time before the end of its own work.
double owed_ns = 0;

// smpi_execute lets the simulation go on for so many seconds of this rank, during which other ranks run. It costs
// host time by the call, and not by the seconds.
void pay() noexcept {
  constexpr double seconds_per_ns = 1e-9;
  if (owed_ns == 0) return;
  const double due_s = owed_ns * seconds_per_ns;
  owed_ns = 0;
  smpi_execute(due_s);
}

}  // namespace

std::uint64_t smpi::now_ns() noexcept {
  constexpr double ns_per_second = 1e9;
  pay();
  // In a simulation MPI_Wtime gives simulated seconds, and those of all ranks are one clock.
  return static_cast<std::uint64_t>(MPI_Wtime() * ns_per_second);
}

void smpi::work_ns(double ns, double, work_kind) noexcept {
  owed_ns += ns;
  if (owed_ns >= work_piece_ns) pay();
}

}  // namespace leat::inline LEAT_ABI::platform
