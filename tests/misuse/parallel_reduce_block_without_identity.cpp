// says: or (with an identity) for a leat::block of indices and the value so far
#include <cstdint>
#include <functional>
#include <leat/leat.hpp>

int main() {
  const auto size = [](leat::block<int> b, std::uint64_t so_far) { return so_far + b.size(); };
  leat::parallel_reduce(0, 10, size, std::plus<>());
}
