#include "leat/platform/smpi.hpp"

#include <mpi.h>
#include <smpi/smpi.h>

namespace leat::platform {

namespace {

// Each rank has its own: smpirun loads the program anew for each.
double owed_ns = 0;

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
  return static_cast<std::uint64_t>(MPI_Wtime() * ns_per_second);
}

void smpi::work_ns(double ns) noexcept {
  owed_ns += ns;
  if (owed_ns >= work_piece_ns) pay();
}

}  // namespace leat::platform
