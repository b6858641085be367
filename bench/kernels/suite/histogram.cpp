#include "kernels/suite/histogram.hpp"

#include "kernels/suite/costs.hpp"
#include "kernels/suite/loops.hpp"

#include <leat/platform/counted.hpp>

#include <algorithm>
#include <bit>

namespace leat::kernels::suite {

namespace {

constexpr costs occurrence_ns = {0.84, 0.5, 0.4};  // in worlds
constexpr double added_ns = 0.5;
constexpr std::size_t numbers_max = 65'536;
constexpr std::size_t items_of_number = 1024;
constexpr std::size_t part_of_numbers = 16;  // items of a part for each number, beside which its counts are cheap

}  // namespace

histogram::histogram(std::size_t n, order by)
    : counts(std::bit_ceil(std::min(n / items_of_number + 1, numbers_max))),
      drawn_(draw_integers(n, by, static_cast<std::uint32_t>(counts.size()))),
      occurrence_ns_(cost_of(occurrence_ns, by)) {}

void histogram::restore() { std::ranges::fill(counts, 0); }

void histogram::run_serially() {
  declare(occurrence_ns_, drawn_.size());
  for (const std::uint32_t i : drawn_) ++counts[i];
}

template <class Loops>
void histogram::run(const Loops& by) {
  const std::size_t n = drawn_.size();
  const std::size_t buckets = counts.size();
  const std::size_t parts = by.parts(n, part_of_numbers * buckets);
  std::vector<std::uint32_t> of_parts(parts * buckets);
  by.one_each().each(parts, 0, [&](std::size_t part) {
    const std::size_t first = n * part / parts;
    const std::size_t last = n * (part + 1) / parts;
    declare(occurrence_ns_, last - first);
    std::uint32_t* const its = &of_parts[part * buckets];
    for (std::size_t i = first; i < last; ++i) ++its[drawn_[i]];
  });
  by.blocks(buckets, added_ns * static_cast<double>(parts), [&](std::size_t first, std::size_t last) {
    for (std::size_t part = 0; part < parts; ++part) {
      for (std::size_t b = first; b < last; ++b) counts[b] += of_parts[part * buckets + b];
    }
  });
}

template void histogram::run(const loops<platform::chosen>&);
template void histogram::run(const loops<platform::counted>&);

std::uint64_t histogram::count_right() const {
  std::vector<std::uint32_t> left = counts;
  for (const std::uint32_t i : drawn_) --left[i];
  return static_cast<std::uint64_t>(std::ranges::count(left, 0u));
}

}  // namespace leat::kernels::suite
