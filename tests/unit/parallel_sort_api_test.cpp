// The sorts as users call them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"

namespace {

TEST(parallel_sort_api, takes_iterators_and_ranges) {
  leat::runtime rt(leat::options{.workers = 2});
  rt.run([] {
    std::vector<int> v(1'000);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<int>(i * 7'919 % v.size());
    std::vector<int> wanted = v;
    std::ranges::sort(wanted);
    std::vector<int> sorted = v;
    leat::parallel_sort(sorted);
    EXPECT_EQ(sorted, wanted);
    sorted = v;
    leat::parallel_stable_sort(std::span(sorted));
    EXPECT_EQ(sorted, wanted);
    std::ranges::reverse(wanted);
    sorted = v;
    leat::parallel_sort(sorted.begin(), sorted.end(), std::greater<>());
    EXPECT_EQ(sorted, wanted);
    sorted = v;
    leat::parallel_stable_sort(sorted.begin(), sorted.end(), std::greater<>());
    EXPECT_EQ(sorted, wanted);
    sorted = v;
    leat::parallel_sort(std::views::counted(sorted.begin(), 1'000), std::greater<>());
    EXPECT_EQ(sorted, wanted);
    std::array<std::string, 3> words = {"c", "a", "b"};
    leat::parallel_sort(words);
    EXPECT_EQ(words, (std::array<std::string, 3>{"a", "b", "c"}));
  });
}

// Where nothing may enter a runtime.
std::string message_of(const std::function<void()>& f) {
  leat::runtime rt(leat_test::with_workers(1));
  try {
    rt.run([&] { leat::blocking(f); });
  } catch (const leat::not_a_worker& e) {
    return e.what();
  }
  return {};
}

TEST(parallel_sort_api, takes_what_ends_before_it_begins_for_empty) {
  leat::runtime rt({.workers = 2});
  std::vector<int> v(1000);
  std::iota(v.begin(), v.end(), 0);
  const auto before = v;
  rt.run([&] {
    leat::parallel_sort(v.end(), v.begin());
    leat::parallel_stable_sort(v.end(), v.begin());
  });
  EXPECT_EQ(v, before);
}

TEST(parallel_sort_api, is_for_workers) {
  std::vector<int> v = {2, 1};
  EXPECT_NE(message_of([&] { leat::parallel_sort(v); }).find("leat::parallel_sort"), std::string::npos);
  EXPECT_NE(message_of([&] { leat::parallel_stable_sort(v); }).find("leat::parallel_stable_sort"), std::string::npos);
  EXPECT_EQ(v, (std::vector{2, 1}));
}

}  // namespace
