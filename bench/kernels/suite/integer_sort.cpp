#include "kernels/suite/integer_sort.hpp"

#include "kernels/suite/loops.hpp"

#include <leat/platform/counted.hpp>
#include <leat/protocol/random.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace leat::kernels::suite {

namespace {

constexpr unsigned digit_bits = 9;
constexpr unsigned sorted_digits = 3;
constexpr std::size_t digit_values = std::size_t{1} << digit_bits;
constexpr std::size_t part_min = 16 * digit_values;  // integers of a part, whose counts are cheap beside it
constexpr double digit_counted_ns = 0.6;             // in worlds
constexpr double digit_moved_ns = 1.5;

std::uint64_t sum_of(const std::vector<std::uint32_t>& integers) {
  return std::accumulate(integers.begin(), integers.end(), std::uint64_t{0},
                         [](std::uint64_t all, std::uint32_t i) { return all + protocol::random(i)(); });
}

}  // namespace

integer_sort::integer_sort(std::size_t n, order by)
    : sorted(n), drawn_(draw_integers(n, by, std::uint32_t{1} << (digit_bits * sorted_digits))), spare_(n) {}

void integer_sort::run_serially() { run(alone()); }

// Each part counts its digits. The places of a digit's integers come before those of the next digit, and within a digit
// part by part, so that each part knows where it moves its own.
template <class Loops>
void integer_sort::sort_by_digit(const Loops& by, const std::uint32_t* from, std::uint32_t* to, unsigned shift) {
  const std::size_t n = sorted.size();
  const std::size_t parts = by.parts(n, part_min);
  std::vector<std::array<std::uint32_t, digit_values>> places(parts);
  const auto digit = [shift](std::uint32_t i) { return i >> shift & (digit_values - 1); };
  const auto begin_of = [n, parts](std::size_t part) { return n * part / parts; };
  const auto one_each = by.one_each();
  one_each.each(parts, 0, [&](std::size_t part) {
    declare(digit_counted_ns, begin_of(part + 1) - begin_of(part));
    for (std::size_t i = begin_of(part); i < begin_of(part + 1); ++i) ++places[part][digit(from[i])];
  });
  std::uint32_t place = 0;
  declare(digit_counted_ns, parts * digit_values);
  for (std::size_t value = 0; value < digit_values; ++value) {
    for (auto& of_part : places) place += std::exchange(of_part[value], place);
  }
  one_each.each(parts, 0, [&](std::size_t part) {
    declare(digit_moved_ns, begin_of(part + 1) - begin_of(part));
    auto next = places[part];
    for (std::size_t i = begin_of(part); i < begin_of(part + 1); ++i) to[next[digit(from[i])]++] = from[i];
  });
}

template <class Loops>
void integer_sort::run(const Loops& by) {
  for (unsigned d = 0; d < sorted_digits; ++d) {
    sort_by_digit(by, sorted.data(), spare_.data(), d * digit_bits);
    sorted.swap(spare_);
  }
}

template void integer_sort::run(const loops<platform::chosen>&);
template void integer_sort::run(const loops<platform::counted>&);

std::uint64_t integer_sort::count_right() const {
  if (sum_of(sorted) != sum_of(drawn_)) return 0;
  return static_cast<std::uint64_t>(std::ranges::is_sorted_until(sorted) - sorted.begin());
}

}  // namespace leat::kernels::suite
