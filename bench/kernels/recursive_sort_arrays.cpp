#include "kernels/recursive_sort_tasks.hpp"

#include <leat/protocol/random.hpp>

#include <numeric>
#include <random>

namespace leat::kernels::recursive_sort {

namespace {

// A number that does not depend on the order, of what is drawn from each integer: the integers' own sum would be the same
// where one is less and another more.
std::uint64_t sum(const std::vector<std::int32_t>& integers) {
  return std::accumulate(integers.begin(), integers.end(), std::uint64_t{0}, [](std::uint64_t all, std::int32_t i) {
    return all + protocol::random(static_cast<std::uint32_t>(i))();
  });
}

}  // namespace

arrays::arrays(std::int64_t n) : drawn(static_cast<std::size_t>(n)), second(drawn.size()) {
  std::mt19937 source(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same integers each time
  for (std::int32_t& i : drawn) i = static_cast<std::int32_t>(source());
  sorted = drawn;
  sum_ = sum(drawn);
}

std::uint64_t arrays::count_sorted() const {
  if (sum(sorted) != sum_) return 0;
  return static_cast<std::uint64_t>(std::is_sorted_until(sorted.begin(), sorted.end()) - sorted.begin());
}

}  // namespace leat::kernels::recursive_sort
