// Algorithms that write or move elements, in parallel: the results are those of the serial ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "rows.hpp"

namespace {

using leat_test::each_policy;
using leat_test::each_row;
using leat_test::element;
using leat_test::only_moved;
using leat_test::row;

template <class T>
class pstl_writing : public testing::Test {};
using types = testing::Types<int, double, std::string>;
TYPED_TEST_SUITE(pstl_writing, types);

template <class T>
bool is_low(const T& e) {
  return e < element<T>(25);
}

TYPED_TEST(pstl_writing, writes_every_element) {
  using T = TypeParam;
  each_row<T>(50, [](const auto policy, const std::vector<T>& v) {
    const T mark = element<T>(777);
    std::vector<T> expected = v, got = v;
    for (T& e : expected) e += mark;
    std::for_each(policy, got.begin(), got.end(), [&](T& e) { e += mark; });
    EXPECT_EQ(got, expected);
    std::for_each_n(policy, got.begin(), got.size(), [&](T& e) { e = mark; });
    EXPECT_EQ(got, std::vector<T>(v.size(), mark));
    EXPECT_EQ(std::transform(policy, v.begin(), v.end(), got.begin(), [&](const T& e) { return e + mark; }), got.end());
    EXPECT_EQ(got, expected);
    std::transform(v.begin(), v.end(), got.begin(), expected.begin(), std::plus<>());
    std::transform(policy, v.begin(), v.end(), got.begin(), got.begin(), std::plus<>());
    EXPECT_EQ(got, expected);
    std::fill(policy, got.begin(), got.end(), mark);
    EXPECT_EQ(got, std::vector<T>(v.size(), mark));
    std::generate(policy, got.begin(), got.end(), [] { return element<T>(5); });
    EXPECT_EQ(got, std::vector<T>(v.size(), element<T>(5)));
    EXPECT_EQ(std::copy(policy, v.begin(), v.end(), got.begin()), got.end());
    EXPECT_EQ(got, v);
    std::replace_if(expected.begin(), (expected = v).end(), is_low<T>, mark);
    std::replace_if(policy, got.begin(), got.end(), is_low<T>, mark);
    EXPECT_EQ(got, expected);
    std::swap_ranges(policy, got.begin(), got.end(), (expected = v).begin());
    EXPECT_EQ(got, v);
  });
}

TYPED_TEST(pstl_writing, copies_what_is_wanted) {
  using T = TypeParam;
  each_row<T>(50, [](const auto policy, const std::vector<T>& v) {
    const auto same = [&](auto serial, auto parallel) {
      std::vector<T> expected(v.size()), got(v.size());
      EXPECT_EQ(parallel(got) - got.begin(), serial(expected) - expected.begin());
      EXPECT_EQ(got, expected);
    };
    same([&](auto& to) { return std::copy_if(v.begin(), v.end(), to.begin(), is_low<T>); },
         [&](auto& to) { return std::copy_if(policy, v.begin(), v.end(), to.begin(), is_low<T>); });
    same([&](auto& to) { return std::remove_copy_if(v.begin(), v.end(), to.begin(), is_low<T>); },
         [&](auto& to) { return std::remove_copy_if(policy, v.begin(), v.end(), to.begin(), is_low<T>); });
    same([&](auto& to) { return std::reverse_copy(v.begin(), v.end(), to.begin()); },
         [&](auto& to) { return std::reverse_copy(policy, v.begin(), v.end(), to.begin()); });
    same([&](auto& to) { return std::partition_copy(v.begin(), v.end(), to.begin(), to.rbegin(), is_low<T>).first; },
         [&](auto& to) {
           return std::partition_copy(policy, v.begin(), v.end(), to.begin(), to.rbegin(), is_low<T>).first;
         });
    const std::vector<T> repeated = row<T>(v.size(), 2);
    same([&](auto& to) { return std::unique_copy(repeated.begin(), repeated.end(), to.begin()); },
         [&](auto& to) { return std::unique_copy(policy, repeated.begin(), repeated.end(), to.begin()); });
    for (const std::size_t n : {std::size_t{0}, v.size() / 3, v.size()}) {
      const auto middle = v.begin() + static_cast<std::ptrdiff_t>(n);
      same([&](auto& to) { return std::rotate_copy(v.begin(), middle, v.end(), to.begin()); },
           [&](auto& to) { return std::rotate_copy(policy, v.begin(), middle, v.end(), to.begin()); });
    }
  });
}

template <class T>
class pstl_moving : public testing::Test {};
using moved_types = testing::Types<int, double, std::string, only_moved>;
TYPED_TEST_SUITE(pstl_moving, moved_types);

TYPED_TEST(pstl_moving, removes_and_reorders) {
  using T = TypeParam;
  for (const std::size_t n : leat_test::sizes<T>()) {
    each_policy([n](const auto policy) {
      const auto same = [n](unsigned kinds, auto serial, auto parallel) {
        std::vector<T> expected = row<T>(n, kinds), got = row<T>(n, kinds);
        const auto end = serial(expected) - expected.begin();
        EXPECT_EQ(parallel(got) - got.begin(), end);
        EXPECT_TRUE(std::equal(expected.begin(), expected.begin() + end, got.begin()));
      };
      same(
          50, [](auto& v) { return std::remove_if(v.begin(), v.end(), is_low<T>); },
          [&](auto& v) { return std::remove_if(policy, v.begin(), v.end(), is_low<T>); });
      same(
          2, [](auto& v) { return std::unique(v.begin(), v.end()); },
          [&](auto& v) { return std::unique(policy, v.begin(), v.end()); });
      same(
          50, [](auto& v) { return std::reverse(v.begin(), v.end()), v.end(); },
          [&](auto& v) { return std::reverse(policy, v.begin(), v.end()), v.end(); });
      const auto some = static_cast<std::ptrdiff_t>(n / 3);
      for (const std::ptrdiff_t by : {std::ptrdiff_t{0}, some, static_cast<std::ptrdiff_t>(n) - some}) {
        same(
            50, [by](auto& v) { return std::rotate(v.begin(), v.begin() + by, v.end()), v.end(); },
            [&](auto& v) { return std::rotate(policy, v.begin(), v.begin() + by, v.end()), v.end(); });
      }
      same(
          50, [](auto& v) { return std::stable_partition(v.begin(), v.end(), is_low<T>), v.end(); },
          [&](auto& v) { return std::stable_partition(policy, v.begin(), v.end(), is_low<T>), v.end(); });
      std::vector<T> v = row<T>(n, 50);
      const auto middle = std::partition(policy, v.begin(), v.end(), is_low<T>);
      EXPECT_TRUE(std::all_of(v.begin(), middle, is_low<T>));
      EXPECT_TRUE(std::none_of(middle, v.end(), is_low<T>));
      std::vector<T> expected = row<T>(n, 50);
      std::sort(v.begin(), v.end());
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(v, expected);
    });
  }
}

TEST(pstl_raw_memory, is_moved_to) {
  for (const std::size_t n : leat_test::sizes<std::string>()) {
    std::vector<std::string> from = row<std::string>(n);
    std::allocator<std::string> memory;
    std::string* const to = memory.allocate(n);
    EXPECT_EQ(std::uninitialized_move(std::execution::par, from.begin(), from.end(), to), to + n);
    EXPECT_TRUE(std::equal(to, to + n, row<std::string>(n).begin()));
    std::destroy(std::execution::par, to, to + n);
    std::uninitialized_value_construct(std::execution::par, to, to + n);
    EXPECT_EQ(std::move(std::execution::par, to, to + n, from.begin()), from.end());
    std::destroy(std::execution::par, to, to + n);
    memory.deallocate(to, n);
  }
}

}  // namespace
