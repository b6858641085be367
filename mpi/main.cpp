// The program leat-mpi: what `leat NAME --cluster` runs, on the ranks of an MPI program.

#include "cluster_command.hpp"

#include <leat/cluster_mpi.hpp>

#include <mpi.h>

#include <cstdint>
#include <exception>
#include <iostream>
#include <optional>
#include <string>

namespace {

// A text of one rank, on all ranks.
std::string of_rank(int rank, std::string text) {
  std::uint64_t bytes = text.size();
  MPI_Bcast(&bytes, 1, MPI_UINT64_T, rank, MPI_COMM_WORLD);
  text.resize(bytes);
  MPI_Bcast(text.data(), static_cast<int>(bytes), MPI_CHAR, rank, MPI_COMM_WORLD);
  return text;
}

std::optional<leat::cli::odd_rank> odd_one_out(const std::string& plan) {
  int self = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string first = of_rank(0, plan);
  const int mine = plan == first ? ranks : self;
  int odd = 0;
  MPI_Allreduce(&mine, &odd, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (odd == ranks) return std::nullopt;
  return leat::cli::odd_rank{static_cast<std::uint32_t>(odd), of_rank(odd, plan), first};
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return leat::cli::run_on_cluster(argc, argv, leat::mpi_transport(&argc, &argv), odd_one_out);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
