// Sorts, merges and sets, in parallel: the results are those of the serial ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "rows.hpp"

namespace {

using leat_test::each_policy;
using leat_test::each_row;
using leat_test::keyed;
using leat_test::only_moved;
using leat_test::row;

constexpr std::array<unsigned, 3> kinds_of_values{1, 20, 1'000'000};

template <class T>
class pstl_sorting : public testing::Test {};
using types = testing::Types<int, double, std::string, only_moved>;
TYPED_TEST_SUITE(pstl_sorting, types);

TYPED_TEST(pstl_sorting, sorts_all_or_some) {
  using T = TypeParam;
  for (const std::size_t n : leat_test::sizes<T>(20'000)) {
    for (const unsigned kinds : kinds_of_values) {
      each_policy([n, kinds](const auto policy) {
        std::vector<T> expected = row<T>(n, kinds);
        std::sort(expected.begin(), expected.end());
        std::vector<T> v = row<T>(n, kinds);
        std::sort(policy, v.begin(), v.end());
        EXPECT_EQ(v, expected);
        v = row<T>(n, kinds);
        std::stable_sort(policy, v.begin(), v.end());
        EXPECT_EQ(v, expected);
        for (const std::size_t some : {std::size_t{0}, n / 100, n / 3, n - n / 10, n}) {
          const auto middle = static_cast<std::ptrdiff_t>(some);
          v = row<T>(n, kinds);
          std::partial_sort(policy, v.begin(), v.begin() + middle, v.end());
          EXPECT_TRUE(std::equal(v.begin(), v.begin() + middle, expected.begin()));
          std::sort(v.begin(), v.end());
          EXPECT_EQ(v, expected);
          // libstdc++ leaves out one of several equal elements at a time: n^2 comparisons if there are many.
          if (some == n || kinds < n) continue;
          v = row<T>(n, kinds);
          std::nth_element(policy, v.begin(), v.begin() + middle, v.end());
          EXPECT_EQ(v[some], expected[some]);
          std::sort(v.begin(), v.end());
          EXPECT_EQ(v, expected);
        }
      });
    }
  }
}

TYPED_TEST(pstl_sorting, merges_in_place) {
  using T = TypeParam;
  for (const std::size_t n : leat_test::sizes<T>(20'000)) {
    for (const std::size_t left : {std::size_t{0}, n / 5, n / 2, n}) {
      each_policy([n, left](const auto policy) {
        std::vector<T> v = row<T>(n, 1000);
        const auto middle = v.begin() + static_cast<std::ptrdiff_t>(left);
        std::sort(v.begin(), middle);
        std::sort(middle, v.end());
        std::inplace_merge(policy, v.begin(), middle, v.end());
        std::vector<T> expected = row<T>(n, 1000);
        std::sort(expected.begin(), expected.end());
        EXPECT_EQ(v, expected);
      });
    }
  }
}

// Keyed elements of few keys.
std::vector<keyed> keyed_row(std::size_t n) {
  std::vector<keyed> v;
  for (const int key : row<int>(n, 37)) v.push_back({static_cast<unsigned>(key), static_cast<unsigned>(v.size())});
  return v;
}

TEST(pstl_stable, equals_keep_their_order) {
  for (const std::size_t n : {0, 1, 2, 3, 501, 4000, 100'000}) {
    each_policy([n](const auto policy) {
      std::vector<keyed> v = keyed_row(n), expected = v;
      std::stable_sort(policy, v.begin(), v.end());
      std::stable_sort(expected.begin(), expected.end());
      EXPECT_EQ(v, expected);
      v = expected = keyed_row(n);
      std::stable_sort(policy, v.begin(), v.end(), [](const keyed& a, const keyed& b) { return b < a; });
      std::stable_sort(expected.begin(), expected.end(), [](const keyed& a, const keyed& b) { return b < a; });
      EXPECT_EQ(v, expected);
      // The first range's before the second one's.
      std::vector<keyed> a = keyed_row(n), b = keyed_row(n / 2);
      for (keyed& k : b) k.place += 1'000'000;
      std::stable_sort(a.begin(), a.end());
      std::stable_sort(b.begin(), b.end());
      v.resize(a.size() + b.size());
      expected.resize(v.size());
      EXPECT_EQ(std::merge(policy, a.begin(), a.end(), b.begin(), b.end(), v.begin()), v.end());
      std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
      EXPECT_EQ(v, expected);
    });
  }
}

TEST(pstl_stable, sorts_rows_in_order_and_against_it) {
  std::vector<int> up(50'000);
  for (std::size_t i = 0; i < up.size(); ++i) up[i] = static_cast<int>(i / 3);
  each_policy([&](const auto policy) {
    std::vector<int> v = up;
    std::sort(policy, v.begin(), v.end());
    EXPECT_EQ(v, up);
    std::sort(policy, v.begin(), v.end(), std::greater<>());
    EXPECT_TRUE(std::equal(v.begin(), v.end(), up.rbegin()));
    std::stable_sort(policy, v.begin(), v.end());
    EXPECT_EQ(v, up);
  });
}

template <class T>
class pstl_sets : public testing::Test {};
using copied_types = testing::Types<int, double, std::string>;
TYPED_TEST_SUITE(pstl_sets, copied_types);

// Rows that overlap in all ways: by chance, apart, one inside the other, and with many equals.
template <class T, class F>
void each_pair(F f) {
  for (const std::size_t n : leat_test::sizes<T>(20'000)) {
    for (const unsigned kinds : {20u, 30'000u}) {
      std::vector<T> a = row<T>(n, kinds, 1), b = row<T>(n / 2 + n / 7, kinds, 2);
      std::sort(a.begin(), a.end());
      std::sort(b.begin(), b.end());
      f(a, b);
      f(b, a);
      f(a, a);
      f(a, {});
      f(std::vector<T>(a.begin(), a.begin() + a.size() / 2), std::vector<T>(a.begin() + a.size() / 2, a.end()));
      f(std::vector<T>(a.begin() + a.size() / 2, a.end()), std::vector<T>(a.begin(), a.begin() + a.size() / 2));
    }
  }
}

TYPED_TEST(pstl_sets, are_the_serial_ones) {
  using T = TypeParam;
  each_pair<T>([](const std::vector<T>& a, const std::vector<T>& b) {
    each_policy([&](const auto policy) {
      const auto same = [&](auto serial, auto parallel) {
        std::vector<T> expected(a.size() + b.size()), got(a.size() + b.size());
        EXPECT_EQ(parallel(got) - got.begin(), serial(expected) - expected.begin());
        EXPECT_EQ(got, expected);
      };
#define SAME(algorithm)                                                                              \
  same([&](auto& to) { return std::algorithm(a.begin(), a.end(), b.begin(), b.end(), to.begin()); }, \
       [&](auto& to) { return std::algorithm(policy, a.begin(), a.end(), b.begin(), b.end(), to.begin()); })
      SAME(merge);
      SAME(set_union);
      SAME(set_intersection);
      SAME(set_difference);
      SAME(set_symmetric_difference);
#undef SAME
      EXPECT_EQ(std::includes(policy, a.begin(), a.end(), b.begin(), b.end()),
                std::includes(a.begin(), a.end(), b.begin(), b.end()));
    });
  });
}

TYPED_TEST(pstl_sets, sorts_a_copy_of_the_least) {
  using T = TypeParam;
  each_row<T>(1000, [](const auto policy, const std::vector<T>& v) {
    for (const std::size_t room : {v.size() / 4, v.size(), v.size() + 10}) {
      std::vector<T> expected(room), got(room);
      const auto end = std::partial_sort_copy(v.begin(), v.end(), expected.begin(), expected.end()) - expected.begin();
      EXPECT_EQ(std::partial_sort_copy(policy, v.begin(), v.end(), got.begin(), got.end()) - got.begin(), end);
      EXPECT_EQ(got, expected);
    }
  });
}

TEST(pstl_lists, run_serially) {
  const std::vector<int> v = row<int>(5000, 100);
  const std::list<int> list(v.begin(), v.end());
  each_policy([&](const auto policy) {
    EXPECT_EQ(std::count(policy, list.begin(), list.end(), 7), std::count(v.begin(), v.end(), 7));
    std::vector<int> out(v.size());
    std::transform(policy, list.begin(), list.end(), out.begin(), [](int i) { return i; });
    EXPECT_EQ(out, v);
  });
}

}  // namespace
