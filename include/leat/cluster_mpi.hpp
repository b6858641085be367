// The transport between the processes of an MPI program. Link leat::cluster_mpi.
#pragma once

#include "leat/cluster/mpi/mpi_transport.hpp"  // IWYU pragma: export
#include "leat/platform/built.hpp"
