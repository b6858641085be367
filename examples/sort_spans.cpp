// Merge sort, twice: the first one merges two halves by one worker, the second one divides the merge, too. The library
// leat::profiled measures the work and the span of both. The parallelism of the first is below 10, however long the
// array: its last merge touches all elements, one after the other.
//
//   LEAT_PROFILE=sort,span ./leat_example_sort_spans && leat explain sort

#include <leat/leat.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <vector>

namespace {

using elements = std::span<std::uint32_t>;
using fixed_elements = std::span<const std::uint32_t>;

constexpr std::size_t serial_below = 2'000;  // elements

void merge_serially(fixed_elements a, fixed_elements b, elements to) { std::ranges::merge(a, b, to.begin()); }

// The middle of the longer part divides both, so that the two merges need not know of each other.
void merge_divided(fixed_elements a, fixed_elements b, elements to) {
  if (a.size() < b.size()) std::swap(a, b);
  if (a.size() < serial_below) return merge_serially(a, b, to);
  const std::size_t in_a = a.size() / 2;
  const auto in_b = static_cast<std::size_t>(std::ranges::lower_bound(b, a[in_a]) - b.begin());
  leat::fork_join([=] { merge_divided(a.first(in_a), b.first(in_b), to.first(in_a + in_b)); },
                  [=] { merge_divided(a.subspan(in_a), b.subspan(in_b), to.subspan(in_a + in_b)); });
}

// Sorts `values`. `room` is as long, and holds the halves while they are merged.
template <class Merge>
void sort_halves(elements values, elements room, Merge merge) {
  if (values.size() < serial_below) {
    std::ranges::sort(values);
    return;
  }
  const std::size_t half = values.size() / 2;
  leat::fork_join([=] { sort_halves(values.first(half), room.first(half), merge); },
                  [=] { sort_halves(values.subspan(half), room.subspan(half), merge); });
  std::ranges::copy(values, room.begin());
  merge(room.first(half), room.subspan(half), values);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  std::vector<std::uint32_t> values(n);
  std::mt19937 random(1);
  for (std::uint32_t& v : values) v = static_cast<std::uint32_t>(random());
  std::vector<std::uint32_t> expected = values;
  std::ranges::sort(expected);

  std::vector<std::uint32_t> room(n);
  std::vector<std::uint32_t> again = values;
  leat::runtime rt;
  rt.run([&] { sort_halves(elements(values), elements(room), merge_serially); });
  rt.run([&] { sort_halves(elements(again), elements(room), merge_divided); });

  const bool right = values == expected && again == expected;
  std::printf("%zu elements, sorted twice: %s\n", n, right ? "right" : "WRONG");
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
