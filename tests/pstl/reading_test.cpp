// Algorithms that only read, in parallel: the results are those of the serial ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "rows.hpp"

namespace {

using leat_test::each_row;
using leat_test::element;
using leat_test::row;

template <class T>
class pstl_reading : public testing::Test {};
using types = testing::Types<int, double, std::string>;
TYPED_TEST_SUITE(pstl_reading, types);

TYPED_TEST(pstl_reading, finds_the_first) {
  using T = TypeParam;
  each_row<T>(50, [](const auto policy, const std::vector<T>& v) {
    for (const unsigned value : {7u, 49u, 1000u}) {
      const T wanted = element<T>(value);
      const auto is_wanted = [&](const T& e) { return e == wanted; };
      const auto is_other = [&](const T& e) { return !(e == wanted); };
      EXPECT_EQ(std::find(policy, v.begin(), v.end(), wanted), std::find(v.begin(), v.end(), wanted));
      EXPECT_EQ(std::find_if(policy, v.begin(), v.end(), is_wanted), std::find_if(v.begin(), v.end(), is_wanted));
      EXPECT_EQ(std::find_if_not(policy, v.begin(), v.end(), is_other), std::find_if_not(v.begin(), v.end(), is_other));
      EXPECT_EQ(std::any_of(policy, v.begin(), v.end(), is_wanted), std::any_of(v.begin(), v.end(), is_wanted));
      EXPECT_EQ(std::all_of(policy, v.begin(), v.end(), is_other), std::all_of(v.begin(), v.end(), is_other));
      EXPECT_EQ(std::none_of(policy, v.begin(), v.end(), is_wanted), std::none_of(v.begin(), v.end(), is_wanted));
      EXPECT_EQ(std::count(policy, v.begin(), v.end(), wanted), std::count(v.begin(), v.end(), wanted));
      EXPECT_EQ(std::count_if(policy, v.begin(), v.end(), is_other), std::count_if(v.begin(), v.end(), is_other));
    }
  });
}

TYPED_TEST(pstl_reading, finds_the_only_one_wherever_it_is) {
  using T = TypeParam;
  const T wanted = element<T>(77);
  for (const std::size_t n : {1000, 20'000}) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}, n / 2 - 1, n / 2, n - 1}) {
      std::vector<T> v(n, element<T>(3));
      v[at] = wanted;
      leat_test::each_policy([&](const auto policy) {
        EXPECT_EQ(std::find(policy, v.begin(), v.end(), wanted) - v.begin(), static_cast<std::ptrdiff_t>(at));
        EXPECT_TRUE(std::any_of(policy, v.begin(), v.end(), [&](const T& e) { return e == wanted; }));
      });
    }
  }
}

TYPED_TEST(pstl_reading, finds_rows_in_rows) {
  using T = TypeParam;
  each_row<T>(3, [](const auto policy, const std::vector<T>& v) {
    const std::vector<T> pattern = row<T>(6, 3, 5);
    const auto [from, to] = std::pair(pattern.begin(), pattern.end());
    EXPECT_EQ(std::search(policy, v.begin(), v.end(), from, to), std::search(v.begin(), v.end(), from, to));
    EXPECT_EQ(std::find_end(policy, v.begin(), v.end(), from, to), std::find_end(v.begin(), v.end(), from, to));
    EXPECT_EQ(std::find_first_of(policy, v.begin(), v.end(), from, from + 1),
              std::find_first_of(v.begin(), v.end(), from, from + 1));
    EXPECT_EQ(std::search_n(policy, v.begin(), v.end(), 5, pattern[0]),
              std::search_n(v.begin(), v.end(), 5, pattern[0]));
    EXPECT_EQ(std::adjacent_find(policy, v.begin(), v.end()), std::adjacent_find(v.begin(), v.end()));
  });
}

TYPED_TEST(pstl_reading, compares_rows) {
  using T = TypeParam;
  each_row<T>(1000, [](const auto policy, const std::vector<T>& v) {
    std::vector<T> other = v;
    for (int changed = 0; changed < 2; ++changed) {
      EXPECT_EQ(std::equal(policy, v.begin(), v.end(), other.begin(), other.end()), v == other);
      EXPECT_EQ(std::mismatch(policy, v.begin(), v.end(), other.begin()).first,
                std::mismatch(v.begin(), v.end(), other.begin()).first);
      EXPECT_EQ(std::lexicographical_compare(policy, v.begin(), v.end(), other.begin(), other.end()), v < other);
      EXPECT_EQ(std::lexicographical_compare(policy, other.begin(), other.end(), v.begin(), v.end()), other < v);
      if (!other.empty()) other[other.size() / 3] = element<T>(1001);
    }
  });
}

TYPED_TEST(pstl_reading, finds_the_least_and_the_greatest) {
  using T = TypeParam;
  each_row<T>(100, [](const auto policy, const std::vector<T>& v) {
    EXPECT_EQ(std::min_element(policy, v.begin(), v.end()), std::min_element(v.begin(), v.end()));
    EXPECT_EQ(std::max_element(policy, v.begin(), v.end()), std::max_element(v.begin(), v.end()));
    EXPECT_EQ(std::minmax_element(policy, v.begin(), v.end()), std::minmax_element(v.begin(), v.end()));
  });
}

TYPED_TEST(pstl_reading, tells_the_order) {
  using T = TypeParam;
  each_row<T>(1'000'000, [](const auto policy, std::vector<T> v) {
    const auto all_agree = [&] {
      EXPECT_EQ(std::is_sorted(policy, v.begin(), v.end()), std::is_sorted(v.begin(), v.end()));
      EXPECT_EQ(std::is_sorted_until(policy, v.begin(), v.end()), std::is_sorted_until(v.begin(), v.end()));
      EXPECT_EQ(std::is_heap(policy, v.begin(), v.end()), std::is_heap(v.begin(), v.end()));
      EXPECT_EQ(std::is_heap_until(policy, v.begin(), v.end()), std::is_heap_until(v.begin(), v.end()));
      const auto is_low = [](const T& e) { return e < element<T>(500'000); };
      EXPECT_EQ(std::is_partitioned(policy, v.begin(), v.end(), is_low),
                std::is_partitioned(v.begin(), v.end(), is_low));
    };
    all_agree();
    std::make_heap(v.begin(), v.end());
    all_agree();
    std::sort(v.begin(), v.end());
    all_agree();
    if (v.size() > 2) std::swap(v[v.size() / 2], v.back());
    all_agree();
  });
}

}  // namespace
