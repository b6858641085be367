// A cluster of one rank, without MPI.

#include <leat/cluster.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

int main() {
  leat::cluster on;
  const auto expand = [](const std::uint32_t& levels, auto&& emit) {
    for (int child = 0; levels != 0 && child < 2; ++child) emit(levels - 1);
    return std::uint64_t{1};
  };
  const auto nodes = on.run(std::vector{std::uint32_t{5}}, std::uint64_t{0}, expand, std::plus<>{});
  std::printf("a rank counted %llu nodes\n", static_cast<unsigned long long>(nodes));
  return nodes == 63 ? 0 : 1;
}
