// Sorts and scans.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "operations.hpp"

namespace soak {

void sorts(scene& s) {
  const std::uint64_t n = s.size(30'000);
  const std::uint64_t values = s.numbers.once_in(3) ? 10 : ~std::uint64_t{0};  // few: many are equal
  std::vector<std::pair<std::uint64_t, std::uint32_t>> all(n);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    all[i] = {s.numbers.below(values), static_cast<std::uint32_t>(i)};
    sum += all[i].first;
  }
  const auto by_value = [](const auto& a, const auto& b) { return a.first < b.first; };
  const bool stable = s.numbers.once_in(2);
  if (stable) leat::parallel_stable_sort(all, by_value);
  else leat::parallel_sort(all, by_value);
  if (!std::is_sorted(all.begin(), all.end(), by_value)) fail("a sorted range is not in order");
  if (stable && !std::is_sorted(all.begin(), all.end())) fail("a stable sort has changed the order of equal elements");
  std::uint64_t sorted_sum = 0, places = 0;
  for (const auto& [value, from] : all) sorted_sum += value, places += from;
  expect(sorted_sum, sum, "the sum of sorted values");
  expect(places, n * (n - 1) / 2, "the sum of where sorted values were");
  s.book.parts(kind::sort, n);
}

void scans(scene& s) {
  const std::uint64_t n = s.size(50'000);
  std::vector<std::uint64_t> all(n), sums(n), wanted(n);
  for (std::uint64_t& x : all) x = s.numbers.below(1'000);
  if (s.numbers.once_in(2)) {
    leat::parallel_inclusive_scan(all.begin(), all.end(), sums.begin());
    std::inclusive_scan(all.begin(), all.end(), wanted.begin());
  } else {
    leat::parallel_exclusive_scan(all.begin(), all.end(), sums.begin(), std::uint64_t{17});
    std::exclusive_scan(all.begin(), all.end(), wanted.begin(), std::uint64_t{17});
  }
  if (sums != wanted) fail("a scan differs from the serial one");
  s.book.parts(kind::scan, n);
}

}  // namespace soak
