// Sorting and scanning, and memory: sorting in place takes none, and stable sorting and scanning do without.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "fault/memory.hpp"
#include "leat/loop/scan.hpp"
#include "leat/loop/sort.hpp"
#include "leat/loop/sort_stable.hpp"
#include "meeting.hpp"

namespace {

using leat_test::allocations;
using leat_test::allocations_of_all;
using leat_test::comes_true;
using leat_test::engine;
using leat_test::failing_allocation;
using leat_test::meeting;
using leat_test::shape;

constexpr std::size_t count = 20'000;

// Of a key, the number that tells the order of equal ones.
using numbered = std::pair<std::string, std::uint32_t>;

constexpr auto by_key = [](const numbered& a, const numbered& b) { return a.first < b.first; };

std::vector<numbered> unsorted() {
  std::vector<numbered> made(count);
  for (std::uint32_t i = 0; i < count; ++i) made[i] = {std::to_string(i * 7919 % 1'009), i};
  return made;
}

TEST(sort_memory, sorting_allocates_nothing) {
  engine e(shape{1});
  std::vector<numbered> v = unsorted();
  e.run([&] {
    const std::uint64_t before = allocations();
    leat::loop::parallel_sort<engine::platform>(v.begin(), v.end(), by_key);
    EXPECT_EQ(allocations(), before);
  });
  EXPECT_TRUE(std::is_sorted(v.begin(), v.end(), by_key));
}

TEST(sort_memory, stable_sorting_allocates_once_or_does_without) {
  for (const std::uint32_t workers : {1u, 2u, 8u}) {
    for (const long left : {-1L, 0L}) {
      engine e(shape{workers});
      std::vector<numbered> v = unsorted();
      e.run([&] {
        const std::uint64_t before = allocations();
        const failing_allocation none(left);
        leat::loop::parallel_stable_sort<engine::platform>(v.begin(), v.end(), by_key);
        EXPECT_TRUE(none.met());
        if (workers == 1) {
          EXPECT_LE(allocations(), before + 1);
        }
      });
      EXPECT_TRUE(std::is_sorted(v.begin(), v.end()));
    }
  }
}

// The thief has no memory for its sums, and leaves what it took to the owner.
TEST(sort_memory, scanning_does_without) {
  using P = engine::platform;
  engine e(shape{2});
  e.run([] {
    meeting<engine> both(2);
    engine::fork_join([&] { both.attend(); },
                      [&] {
                        leat_test::allocations_left() = 0;
                        both.attend();
                      });
    constexpr std::ptrdiff_t n = 120'000;
    std::vector<std::ptrdiff_t> out(n);
    const std::uint64_t before = allocations_of_all();
    const std::uint32_t owner = engine::here();
    const auto body = [&](std::ptrdiff_t begin, std::ptrdiff_t end, std::ptrdiff_t sum, bool is_final) {
      if (begin > n / 10 && begin < n / 2 && is_final && engine::here() == owner) {
        EXPECT_TRUE(comes_true([&] {
          engine::poll();
          return allocations_of_all() > before;
        }));
      }
      for (std::ptrdiff_t i = begin; i != end; ++i) {
        ++sum;
        if (is_final) out[static_cast<std::size_t>(i)] = sum;
      }
      return sum;
    };
    const auto combine = std::plus<>();
    EXPECT_EQ((leat::loop::parallel_scan<P, std::ptrdiff_t>(0, n, 0, body, combine)), n);
    for (std::ptrdiff_t i = 0; i < n; ++i) ASSERT_EQ(out[static_cast<std::size_t>(i)], i + 1);
  });
}

}  // namespace
