#include "kernels/suite/comparison_sort.hpp"

#include "kernels/suite/costs.hpp"
#include "kernels/suite/merge_sort.hpp"

#include <leat/platform/counted.hpp>
#include <leat/protocol/random.hpp>

#include <bit>
#include <functional>
#include <numeric>

namespace leat::kernels::suite {

namespace {

constexpr costs compared_ns = {4, 4, 0.45};  // in worlds

// Of what is drawn from each number: the numbers' own sum would be the same where one is less and another more.
std::uint64_t sum_of(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0}, [](std::uint64_t all, double d) {
    return all + protocol::random(std::bit_cast<std::uint64_t>(d))();
  });
}

}  // namespace

comparison_sort::comparison_sort(std::size_t n, order by)
    : sorted(n), drawn_(draw_sequence(n, by)), spare_(n), compared_ns_(cost_of(compared_ns, by)) {}

void comparison_sort::run_serially() {
  declare_sort(compared_ns_, sorted.size());
  std::ranges::sort(sorted);
}

template <class Loops>
void comparison_sort::run(const Loops& by) {
  sort_by_merges(by, sorted.data(), spare_.data(), sorted.size(), compared_ns_, std::less<>());
}

template void comparison_sort::run(const loops<platform::chosen>&);
template void comparison_sort::run(const loops<platform::counted>&);

std::uint64_t comparison_sort::count_right() const {
  if (sum_of(sorted) != sum_of(drawn_)) return 0;
  return static_cast<std::uint64_t>(std::ranges::is_sorted_until(sorted) - sorted.begin());
}

}  // namespace leat::kernels::suite
