// Reductions and scans, in parallel: the results are those of the serial ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <execution>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "rows.hpp"

namespace {

using leat_test::each_policy;
using leat_test::each_row;
using leat_test::row;

template <class T>
class pstl_numeric : public testing::Test {};
// Doubles are whole numbers here, whose sums are exact in any order.
using types = testing::Types<int, double>;
TYPED_TEST_SUITE(pstl_numeric, types);

TYPED_TEST(pstl_numeric, reduces) {
  using T = TypeParam;
  each_row<T>(100, [](const auto policy, const std::vector<T>& v) {
    const auto twice = [](T e) { return 2 * e; };
    EXPECT_EQ(std::reduce(policy, v.begin(), v.end()), std::accumulate(v.begin(), v.end(), T(0)));
    EXPECT_EQ(std::reduce(policy, v.begin(), v.end(), T(5)), std::accumulate(v.begin(), v.end(), T(5)));
    EXPECT_EQ(std::transform_reduce(policy, v.begin(), v.end(), T(3), std::plus<>(), twice),
              std::transform_reduce(v.begin(), v.end(), T(3), std::plus<>(), twice));
    EXPECT_EQ(std::transform_reduce(policy, v.begin(), v.end(), v.begin(), T(0)),
              std::transform_reduce(v.begin(), v.end(), v.begin(), T(0)));
  });
}

TYPED_TEST(pstl_numeric, scans) {
  using T = TypeParam;
  each_row<T>(1000, [](const auto policy, const std::vector<T>& v) {
    const auto twice = [](T e) { return 2 * e; };
    std::vector<T> expected(v.size()), got(v.size());
    const auto same = [&](auto end) {
      EXPECT_EQ(end, got.end());
      EXPECT_EQ(got, expected);
    };
    std::inclusive_scan(v.begin(), v.end(), expected.begin());
    same(std::inclusive_scan(policy, v.begin(), v.end(), got.begin()));
    std::inclusive_scan(v.begin(), v.end(), expected.begin(), std::plus<>(), T(4));
    same(std::inclusive_scan(policy, v.begin(), v.end(), got.begin(), std::plus<>(), T(4)));
    std::exclusive_scan(v.begin(), v.end(), expected.begin(), T(9));
    same(std::exclusive_scan(policy, v.begin(), v.end(), got.begin(), T(9)));
    std::transform_inclusive_scan(v.begin(), v.end(), expected.begin(), std::plus<>(), twice);
    same(std::transform_inclusive_scan(policy, v.begin(), v.end(), got.begin(), std::plus<>(), twice));
    std::transform_exclusive_scan(v.begin(), v.end(), expected.begin(), T(1), std::plus<>(), twice);
    same(std::transform_exclusive_scan(policy, v.begin(), v.end(), got.begin(), T(1), std::plus<>(), twice));
    std::adjacent_difference(v.begin(), v.end(), expected.begin());
    same(std::adjacent_difference(policy, v.begin(), v.end(), got.begin()));
  });
}

// Strings in place of numbers: what is put together out of order shows.
TEST(pstl_in_order, sums_are_put_together_in_order) {
  const auto letter = [](int i) { return std::string(1, static_cast<char>('a' + i % 26)); };
  for (const std::size_t n : {0, 1, 2, 3, 4, 5, 31, 33, 63, 64, 65, 200, 3000}) {
    const std::vector<int> v = row<int>(n, 26);
    std::string all = ">";
    std::vector<std::string> prefixes;
    for (const int i : v) prefixes.push_back(all += letter(i));
    // Unsequenced reductions may put elements together in any order.
    EXPECT_EQ(std::transform_reduce(std::execution::par, v.begin(), v.end(), std::string(">"), std::plus<>(), letter),
              all);
    each_policy([&](const auto policy) {
      std::vector<std::string> got(n);
      std::transform_inclusive_scan(policy, v.begin(), v.end(), got.begin(), std::plus<>(), letter, std::string(">"));
      EXPECT_EQ(got, prefixes);
      std::vector<std::string> before(n);
      std::transform_exclusive_scan(policy, v.begin(), v.end(), before.begin(), std::string(">"), std::plus<>(),
                                    letter);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(before[i], i == 0 ? ">" : prefixes[i - 1]);
    });
  }
}

// Values that own something, as far as the library can see.
template <std::size_t Bytes, std::size_t Alignment>
struct alignas(Alignment) counted {
  static inline std::atomic<int> living{0};

  long long sum = 0;
  char rest[Bytes] = {};

  counted(long long s = 0) : sum(s) { come(); }
  counted(const counted& o) : sum(o.sum) { come(); }
  counted(counted&& o) noexcept : sum(std::exchange(o.sum, 0)) { come(); }
  counted& operator=(const counted&) = default;
  ~counted() { --living; }

  friend counted operator+(const counted& a, const counted& b) { return a.sum + b.sum; }

 private:
  void come() {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(this) % Alignment, 0u);
    ++living;
  }
};

// Values that a part of a loop holds in place, and such that it needs memory for: too long, or aligned to more than
// std::max_align_t.
template <std::size_t Bytes, std::size_t Alignment>
struct alignas(Alignment) plain {
  long long sum;
  char rest[Bytes];

  plain(long long s = 0) : sum(s), rest() {}
  friend plain operator+(const plain& a, const plain& b) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&a) % Alignment, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&b) % Alignment, 0u);
    return a.sum + b.sum;
  }
};

template <class T>
void sum_by(const std::vector<int>& v) {
  const long long expected = std::accumulate(v.begin(), v.end(), 0LL);
  for (int i = 0; i < 20; ++i) {
    const T got =
        std::transform_reduce(std::execution::par, v.begin(), v.end(), T(0), std::plus<>(), [](int e) { return T(e); });
    EXPECT_EQ(got.sum, expected);
  }
}

TEST(pstl_values, of_any_size_are_made_and_destroyed) {
  const std::vector<int> v = row<int>(100'000, 100);
  sum_by<counted<1, 8>>(v);
  EXPECT_EQ((counted<1, 8>::living), 0);
  sum_by<counted<100, 128>>(v);
  EXPECT_EQ((counted<100, 128>::living), 0);
  sum_by<plain<1, 8>>(v);
  sum_by<plain<100, 8>>(v);
  sum_by<plain<100, 128>>(v);
}

}  // namespace
