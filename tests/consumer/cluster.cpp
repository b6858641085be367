// A cluster over MPI, started without a launcher: one rank.

#include <leat/cluster.hpp>
#include <leat/cluster_mpi.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

int main(int argc, char** argv) {
  leat::cluster on(leat::mpi_transport(&argc, &argv));
  const auto expand = [](const std::uint32_t& levels, auto&& emit) {
    for (int child = 0; levels != 0 && child < 2; ++child) emit(levels - 1);
    return std::uint64_t{1};
  };
  const auto nodes = on.run(std::vector{std::uint32_t{5}}, std::uint64_t{0}, expand, std::plus<>{});
  std::printf("a cluster of %u counted %llu nodes\n", static_cast<unsigned>(on.ranks()),
              static_cast<unsigned long long>(nodes));
  return nodes == 63 ? 0 : 1;
}
