// The public loops over elements, and what a caller may see of a loop while it runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"
#include "leat/loop/range.hpp"
#include "leat/task/invoke.hpp"

namespace {

class elements : public ::testing::Test {
 protected:
  leat::runtime rt{{.workers = 3}};
};

TEST_F(elements, are_visited_by_iterators_and_ranges) {
  rt.run([] {
    std::vector<int> v(10'000, 1);
    leat::parallel_for_each(v.begin(), v.end(), [](int& x) { ++x; });
    leat::parallel_for_each(v, [](int& x) { ++x; });
    leat::parallel_for(v.begin(), v.end(), [](int& x) { ++x; });
    leat::parallel_for(v, [](int& x) { ++x; }, {.chunk_min = 10});
    leat::parallel_for(v.data(), v.data() + 5000, [](int& x) { ++x; });
    EXPECT_TRUE(std::all_of(v.begin(), v.begin() + 5000, [](int x) { return x == 6; }));
    EXPECT_TRUE(std::all_of(v.begin() + 5000, v.end(), [](int x) { return x == 5; }));
    std::deque<std::unique_ptr<int>> owners(1000);
    leat::parallel_for(owners, [](std::unique_ptr<int>& x) { x = std::make_unique<int>(4); });
    EXPECT_TRUE(std::all_of(owners.begin(), owners.end(), [](auto& x) { return *x == 4; }));
    leat::parallel_for(v.end(), v.begin(), [](int&) { ADD_FAILURE(); });
    leat::parallel_for(std::vector<int>(), [](int&) { ADD_FAILURE(); });
    std::vector<bool> bits(1000);
    leat::parallel_for(bits, [](auto) {}, {.chunk_min = 64});
  });
}

TEST_F(elements, are_transformed) {
  rt.run([] {
    std::vector<int> v(10'000), w(10'000);
    std::iota(v.begin(), v.end(), 0);
    std::vector<std::string> out(10'000);
    const auto written = [](int i) { return std::to_string(i); };
    EXPECT_EQ(leat::parallel_transform(v.begin(), v.end(), out.begin(), written), out.end());
    EXPECT_EQ(leat::parallel_transform(v.begin(), v.end(), v.begin(), w.begin(), [](int a, int b) { return a + b; }),
              w.end());
    leat::parallel_transform(v.begin(), v.end(), v.begin(), [](int i) { return -i; });
    for (int i = 0; i < 10'000; ++i) {
      const auto at = static_cast<std::size_t>(i);
      ASSERT_EQ(out[at], std::to_string(i));
      ASSERT_EQ(w[at], 2 * i);
      ASSERT_EQ(v[at], -i);
    }
    EXPECT_EQ(leat::parallel_transform(v.begin(), v.begin(), out.begin(), [](int) { return ""; }), out.begin());
  });
}

TEST_F(elements, let_a_caller_see_progress) {
  leat::worker_local<long> done(rt);
  std::atomic<long> shown{0};
  rt.run([&] {
    leat::parallel_for(0, 100'000, [&](leat::block<int> b) {
      done.local() += static_cast<long>(b.size());
      shown.fetch_add(static_cast<long>(b.size()), std::memory_order_relaxed);
    });
  });
  EXPECT_EQ(done.combine(0L, std::plus<>()), 100'000);
  EXPECT_EQ(shown, 100'000);
}

void increment(int& x) { ++x; }
std::atomic<long> sum_of_visited{0};
void visit(int i) { sum_of_visited += i; }

TEST_F(elements, are_given_to_functions_and_generic_callables) {
  sum_of_visited = 0;
  rt.run([] {
    std::vector<int> v(100, 1);
    leat::parallel_for_each(v, increment);
    leat::parallel_for(0, 100, [&](auto i) { v[static_cast<std::size_t>(i)] += 1; });
    leat::parallel_for(leat::range2d(10, 10), [&](auto... i) {
      static_assert(sizeof...(i) == 2);
      std::size_t at = 0;
      ((at = 10 * at + static_cast<std::size_t>(i)), ...);
      v[at] += 1;
    });
    leat::parallel_for(0, 100, visit);
    leat::parallel_for_each(std::views::iota(std::size_t{0}, std::size_t{100}), [&](std::size_t i) { v[i] += 1; });
    EXPECT_EQ(v, std::vector<int>(100, 5));
    const auto indices = std::views::iota(std::size_t{0}, std::size_t{100});
    EXPECT_EQ(
        leat::parallel_reduce(indices, 0L, [](std::size_t i) { return static_cast<long>(i); }, std::plus<>()), 4950);
  });
  EXPECT_EQ(sum_of_visited, 4950);
}

// A future is nobody's but its holders', whoever waits for it in whatever group.
TEST(loops_in_futures, do_not_end_with_the_group_that_a_waiter_is_in) {
  leat::runtime rt({.workers = 1});
  rt.run([] {
    leat::task_group group;
    const auto make = [&] {
      return leat::async([&] {
        const auto count = [&](int i) {
          if (i == 100) group.cancel();
          return 1;
        };
        return leat::parallel_reduce(0, 1'000'000, 0, count, std::plus<>());
      });
    };
    auto shared = make().share();
    group.spawn([&] { EXPECT_EQ(shared.get(), 1'000'000); });
    group.wait();
    EXPECT_EQ(shared.get(), 1'000'000);
    auto own = make();
    group.spawn([&] { EXPECT_EQ(own.get(), 1'000'000); });
    group.wait();
  });
}

struct account {
  std::int64_t held = 1;  // of a pointer's size: g++ 12 thinks that a call might read a vtable here
  void grow() { ++held; }
  account with(const account& a) const { return {held + a.held}; }
  bool poorer(const account& a) const { return held < a.held; }
};

TEST_F(elements, are_passed_to_member_pointers) {
  rt.run([] {
    std::vector<account> v(10'000);
    leat::parallel_for_each(v, &account::grow);
    leat::parallel_for(v.begin(), v.end(), &account::grow);
    EXPECT_EQ(leat::parallel_reduce(v, std::int64_t{0}, &account::held, std::plus<>()), 30'000);
    EXPECT_EQ(leat::deterministic_reduce(v, &account::held, std::plus<>()), 30'000);
    EXPECT_EQ(leat::parallel_reduce(v, account{0}, std::identity(), &account::with).held, 30'000);
    std::vector<std::int64_t> held(v.size());
    leat::parallel_transform(v.begin(), v.end(), held.begin(), &account::held);
    EXPECT_EQ(held, std::vector<std::int64_t>(v.size(), 3));
    leat::parallel_inclusive_scan(v.begin(), v.end(), v.begin(), &account::with);
    EXPECT_EQ(v.back().held, 30'000);
    std::ranges::reverse(v);
    auto stable = v;
    leat::parallel_sort(v, &account::poorer);
    leat::parallel_stable_sort(stable, &account::poorer);
    EXPECT_TRUE(std::ranges::is_sorted(v, {}, &account::held));
    EXPECT_TRUE(std::ranges::is_sorted(stable, {}, &account::held));
  });
}

TEST_F(elements, and_callables_are_invoked) {
  std::atomic<int> calls{0};
  rt.run([&] {
    static_assert(std::is_void_v<decltype(leat::parallel_invoke([] { return 1; }, [] {}))>);
    leat::parallel_invoke([&] { ++calls; }, [&] { return ++calls, 5; }, [&] { ++calls; });
    EXPECT_THROW(leat::parallel_invoke([] { throw 1; }, [] {}), int);
  });
  EXPECT_EQ(calls, 3);
}

TEST(inside_blocking, errors_name_what_the_program_has_called) {
  leat::runtime rt(leat_test::with_workers(1));
  const auto named = [&rt](const auto& call) -> std::string {
    try {
      rt.run([&] { leat::blocking(call); });
    } catch (const leat::not_a_worker& e) {
      const std::string text = e.what();
      return text.substr(0, text.find(": this thread is inside leat::blocking"));
    }
    return "nothing";
  };
  const auto plain = [] {};
  const auto in_context = [](leat::context) {};
  std::array<std::function<void()>, 2> row = {plain, plain};
  std::vector<int> v(3);
  const auto visit = [](int&) {};
  EXPECT_EQ(named([&] { leat::parallel_invoke(plain, plain); }), "leat::parallel_invoke");
  EXPECT_EQ(named([&] { leat::parallel_invoke(plain, plain, plain); }), "leat::parallel_invoke");
  EXPECT_EQ(named([&] { leat::parallel_invoke(in_context, plain); }), "leat::parallel_invoke");
  EXPECT_EQ(named([&] { leat::fork_join(plain, plain); }), "leat::fork_join");
  EXPECT_EQ(named([&] { leat::fork_join(in_context, plain); }), "leat::fork_join");
  EXPECT_EQ(named([&] { leat::fork_join(in_context); }), "leat::fork_join");
  EXPECT_EQ(named([&] { leat::fork_join(row); }), "leat::fork_join");
  EXPECT_EQ(named([&] { leat::with_context(in_context); }), "leat::with_context");
  EXPECT_EQ(named([&] { leat::parallel_for(v, visit); }), "leat::parallel_for");
  EXPECT_EQ(named([&] { leat::parallel_for(v.begin(), v.end(), visit); }), "leat::parallel_for");
  EXPECT_EQ(named([&] { leat::parallel_for_each(v, visit); }), "leat::parallel_for_each");
}

TEST_F(elements, are_none_where_the_end_comes_first) {
  const auto low = std::views::iota(std::uint64_t{0}).begin();
  const auto high = std::views::iota(~std::uint64_t{0}).begin();
  rt.run([&] {
    leat::parallel_for_each(high, low, [](std::uint64_t i) { ADD_FAILURE() << i; });
    EXPECT_THROW(leat::parallel_for_each(low, high, [](std::uint64_t) {}), std::length_error);
  });
}

// An array of unknown bound has no end.
static_assert(leat::loop::random_access_range<int (&)[3]>);
static_assert(!leat::loop::random_access_range<int (&)[]>);

// What has an operator* of its own, which a reference to it does not stand for.
struct weight {
  int grams = 0;
  int in_grams() const { return grams; }
  friend weight operator*(const weight&) { return {-1}; }
};

TEST(invoke, takes_a_reference_wrapper_for_what_it_refers_to) {
  weight w{7};
  EXPECT_EQ((*w).grams, -1);
  EXPECT_EQ(leat::task::invoke(&weight::in_grams, std::ref(w)), 7);
  EXPECT_EQ(leat::task::invoke(&weight::in_grams, w), 7);
  EXPECT_EQ(leat::task::invoke(&weight::in_grams, &w), 7);
  EXPECT_EQ(leat::task::invoke(&weight::grams, std::cref(w)), 7);
}

}  // namespace
