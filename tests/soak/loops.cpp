// Loops, reductions, worker_local.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "operations.hpp"

namespace soak {

namespace {

constexpr std::uint64_t sum_below(std::uint64_t n) { return n == 0 ? 0 : n * (n - 1) / 2; }

leat::loop_options drawn_loop_options(draws& numbers) {
  leat::loop_options o;
  if (numbers.once_in(3)) o.chunk_min = numbers.between(1, 100);
  if (numbers.once_in(3)) o.split = static_cast<leat::splitting>(numbers.below(3));
  return o;
}

void check_elements(const std::vector<std::uint32_t>& all, std::uint64_t factor, std::string_view what) {
  for (std::size_t i = 0; i < all.size(); ++i) expect(all[i], static_cast<std::uint32_t>(factor * i), what);
}

}  // namespace

void loops(scene& s) {
  const std::uint64_t n = s.size(100'000);
  const auto options = drawn_loop_options(s.numbers);
  std::vector<std::uint32_t> all(n);
  switch (s.numbers.below(4)) {
    case 0:
      leat::parallel_for(
          std::uint64_t{0}, n, [&](std::uint64_t i) { all[i] = static_cast<std::uint32_t>(3 * i); }, options);
      break;
    case 1: {
      const std::ptrdiff_t width = 16;
      const auto size = static_cast<std::ptrdiff_t>(n);
      leat::parallel_for(
          leat::box<2>((size + width - 1) / width, width),
          [&](std::ptrdiff_t i, std::ptrdiff_t j) {
            const std::ptrdiff_t at = i * width + j;
            if (at < size) all[static_cast<std::size_t>(at)] = static_cast<std::uint32_t>(3 * at);
          },
          options);
      break;
    }
    case 2:
      leat::parallel_for_each(
          all, [&](std::uint32_t& x) { x = static_cast<std::uint32_t>(3 * (&x - all.data())); }, options);
      break;
    default:
      leat::parallel_for(std::uint64_t{0}, n, [&](std::uint64_t i) { all[i] = static_cast<std::uint32_t>(i); });
      leat::parallel_transform(all.begin(), all.end(), all.begin(), [](std::uint32_t x) { return 3 * x; }, options);
  }
  check_elements(all, 3, "an element of a loop");
  s.book.parts(kind::loop, n);
  if (s.numbers.once_in(4)) {
    const std::vector<scene> inside(3, s.inner());
    leat::parallel_for_each(inside, [](const scene& one) { perform_inside(one); });
  }
}

void spawned_loops(scene& s) {
  const std::uint64_t n = s.size(50'000);
  std::vector<std::uint32_t> all(n);
  leat::task_group group;
  for (std::uint64_t first = 0; first < n;) {
    const std::uint64_t last = std::min(n, first + s.numbers.between(1, n));
    leat::spawn_for(group, first, last,
                    [row = all.data()](std::uint64_t i) { row[i] += static_cast<std::uint32_t>(5 * i); });
    first = last;
  }
  group.wait();
  check_elements(all, 5, "an element of a spawned loop");
  s.book.parts(kind::spawned_loop, n);
}

void reductions(scene& s) {
  const std::uint64_t n = s.size(100'000);
  const auto add = [](auto a, auto b) { return a + b; };
  const auto itself = [](std::uint64_t i) { return i; };
  const std::uint64_t sum =
      leat::parallel_reduce(std::uint64_t{0}, n, std::uint64_t{0}, itself, add, drawn_loop_options(s.numbers));
  expect(sum, sum_below(n), "a reduction");
  const auto most = leat::parallel_reduce(std::uint64_t{0}, n, itself,
                                          [](std::uint64_t a, std::uint64_t b) { return a > b ? a : b; });
  expect(most.value_or(n), n - 1, "a reduction without identity");

  const std::uint64_t few = n % 400;  // not commutative, and on the heap
  const std::string digits = leat::parallel_reduce(
      std::uint64_t{0}, few, std::string(),
      [](std::uint64_t i) { return std::string(1, static_cast<char>('0' + i % 10)); }, add);
  expect(digits.size(), few, "the length of a reduction of strings");
  for (std::uint64_t i = 0; i < few; ++i)
    expect(static_cast<std::uint64_t>(digits[i] - '0'), i % 10, "a reduction of strings");

  const auto inverse = [](std::uint64_t i) { return 1.0 / static_cast<double>(i + 1); };
  const double first = leat::deterministic_reduce(std::uint64_t{0}, n, 0.0, inverse, add);
  const double second = leat::deterministic_reduce(std::uint64_t{0}, n, 0.0, inverse, add);
  if (first != second) fail("two deterministic reductions differ");
  s.book.parts(kind::reduce, 4 * n + few);
}

void locals(scene& s) {
  const std::uint64_t n = s.size(50'000);
  leat::worker_local<std::uint64_t> sums(*s.local);
  leat::parallel_for(std::uint64_t{0}, n, [&](std::uint64_t i) { sums.local() += i; });
  const auto add = [](std::uint64_t a, std::uint64_t b) { return a + b; };
  expect(sums.combine(std::uint64_t{0}, add), sum_below(n), "the sum of what workers have added up");
  s.book.parts(kind::local, n);
}

}  // namespace soak
