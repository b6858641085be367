// The program leat-mpi: what `leat uts --cluster` runs, on the ranks of an MPI program.

#include "cluster_command.hpp"

#include <leat/cluster_mpi.hpp>

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
  try {
    return leat::cli::run_on_cluster(argc, argv, leat::mpi_transport(&argc, &argv));
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
