// The programs on which LCWS was measured: all find what is right, and what is wrong is noticed.

#include "engines.hpp"
#include "kernels/suite/bodies.hpp"
#include "kernels/suite/comparison_sort.hpp"
#include "kernels/suite/convex_hull.hpp"
#include "kernels/suite/duplicates.hpp"
#include "kernels/suite/histogram.hpp"
#include "kernels/suite/independent_set.hpp"
#include "kernels/suite/integer_sort.hpp"
#include "kernels/suite/matching.hpp"
#include "kernels/suite/neighbours.hpp"
#include "kernels/suite/parameters.hpp"
#include "kernels/suite/rays.hpp"
#include "kernels/suite/spanning_forest.hpp"
#include "kernels/suite/suffix_array.hpp"
#include "kernels/suite/word_counts.hpp"

#include <leat/leat.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace {

using leat::kernels::counted_runtime;
namespace suite = leat::kernels::suite;

template <class Program>
class suite_programs : public testing::Test {
 public:
  using parameters = suite::parameters<Program>;

  static parameters of(std::int64_t n, typename Program::input_kind input, std::int64_t grain = 0) {
    parameters p;
    p.n = n;
    p.input = input;
    p.grain = grain;
    return p;
  }

  // So many that tasks are divided, and few enough for a test: those in space take microseconds each.
  static constexpr std::int64_t many = std::same_as<typename Program::input_kind, suite::cloud> ? 3000 : 20'000;

  template <class Run>
  static void finds_what_is_right(const parameters& p, const Run& run) {
    SCOPED_TRACE(std::string(Program::name) + " of " + std::to_string(p.n) + ", " + std::string(name(p.input)) +
                 ", grain " + std::to_string(p.grain));
    p.prepare();
    p.before_run(1);
    EXPECT_EQ(p.after_run(run(p)), p.expected());
  }

  template <class Runtime>
  static void finds_what_is_right_on(Runtime& rt, std::int64_t n) {
    for (const auto input : Program::inputs) {
      for (const std::int64_t grain : {0, 100}) {
        finds_what_is_right(of(n, input, grain), [&rt](const parameters& p) { return parallel(rt, p); });
      }
    }
  }
};

using programs =
    testing::Types<suite::bodies, suite::comparison_sort, suite::convex_hull, suite::duplicates, suite::histogram,
                   suite::independent_set, suite::integer_sort, suite::matching, suite::neighbours, suite::rays,
                   suite::spanning_forest, suite::suffix_array, suite::word_counts>;
TYPED_TEST_SUITE(suite_programs, programs);

leat::options workers(std::uint32_t count, std::optional<std::string> scheduler = std::nullopt) {
  leat::options o;
  o.workers = count;
  o.scheduler = std::move(scheduler);
  return o;
}

TYPED_TEST(suite_programs, serial_ones_are_right) {
  for (const auto input : TypeParam::inputs) {
    for (const std::int64_t n : {0, 1, 2, 3, 10, 1000}) {
      TestFixture::finds_what_is_right(TestFixture::of(n, input), [](const auto& p) { return serial(p); });
    }
    TestFixture::finds_what_is_right(TestFixture::of(TestFixture::many, input),
                                     [](const auto& p) { return serial(p); });
  }
}

TYPED_TEST(suite_programs, parallel_ones_are_right_whatever_the_size) {
  for (const std::uint32_t count : {1, 4}) {
    leat::runtime rt(workers(count));
    for (const std::int64_t n : {0, 1, 2, 3, 10, 1000}) TestFixture::finds_what_is_right_on(rt, n);
    counted_runtime counted(workers(count));
    for (const std::int64_t n : {0, 1, 1000}) TestFixture::finds_what_is_right_on(counted, n);
  }
}

TYPED_TEST(suite_programs, parallel_ones_are_right_under_all_schedulers) {
  for (const std::string_view scheduler : leat::scheduler_names()) {
    SCOPED_TRACE(std::string(scheduler));
    for (const std::uint32_t count : {1, 4}) {
      leat::runtime rt(workers(count, std::string(scheduler)));
      TestFixture::finds_what_is_right_on(rt, leat_test::sanitized ? TestFixture::many / 20 : TestFixture::many);
    }
  }
}

TYPED_TEST(suite_programs, find_nothing_before_they_run) {
  for (const auto input : TypeParam::inputs) {
    const auto p = TestFixture::of(1000, input);
    p.prepare();
    serial(p);
    p.before_run(1);
    EXPECT_NE(p.after_run(0), p.expected()) << name(input);
  }
}

TYPED_TEST(suite_programs, smaller_ones_are_valid_and_no_larger) {
  auto p = TestFixture::of(TypeParam::n_max, TypeParam::inputs.back(), 7);
  EXPECT_NO_THROW(p.validate());
  const auto small = p.smaller();
  EXPECT_LE(small.n, TypeParam::n_default / 8);
  EXPECT_EQ(small.input, p.input);
  EXPECT_EQ(small.grain, 7);
  p.n = 3;
  EXPECT_EQ(p.smaller().n, 3);
}

TYPED_TEST(suite_programs, bad_parameters_are_named_with_their_value) {
  const auto refused = [](const auto& p, const std::string& what) {
    EXPECT_THAT([&] { p.validate(); }, testing::ThrowsMessage<std::invalid_argument>(testing::HasSubstr(what)));
  };
  const auto input = TypeParam::inputs.front();
  refused(TestFixture::of(-1, input), "-n = -1");
  refused(TestFixture::of(TypeParam::n_max + 1, input), "-n = " + std::to_string(TypeParam::n_max + 1));
  refused(TestFixture::of(1, input, -2), "--grain = -2");
  refused(TestFixture::of(1, input, 1'000'000'001), "--grain = 1000000001");
}

// What the serial program found, spoiled in one place, for each input.
template <class Program, class Spoil>
void is_noticed(const Spoil& spoil, std::int64_t n = 1000) {
  for (const auto input : Program::inputs) {
    const auto p = suite_programs<Program>::of(n, input);
    p.prepare();
    p.before_run(1);
    serial(p);
    ASSERT_EQ(p.after_run(0), p.expected());
    spoil(p.program());
    EXPECT_NE(p.after_run(0), p.expected()) << Program::name << ", " << name(input);
  }
}

TEST(suite_checks, notice_wrong_sorts) {
  const auto is_exchanged = [](auto& p) { std::swap(p.sorted.front(), p.sorted.back()); };
  const auto is_missing = [](auto& p) { p.sorted[10] = p.sorted[900]; };
  is_noticed<suite::comparison_sort>(is_exchanged);
  is_noticed<suite::comparison_sort>(is_missing);
  is_noticed<suite::integer_sort>(is_exchanged);
  is_noticed<suite::integer_sort>(is_missing);
}

TEST(suite_checks, notice_wrong_counts) {
  is_noticed<suite::histogram>([](suite::histogram& p) { ++p.counts.front(); });
  is_noticed<suite::histogram>(
      [](suite::histogram& p) {
        --p.counts.front();
        ++p.counts.back();
      },
      10'000);
  const auto first = [](suite::word_counts& p) -> suite::word_counts::entry& {
    return *std::ranges::find_if(p.table, [](const auto& e) { return e.count != 0; });
  };
  const auto free = [](suite::word_counts& p) -> suite::word_counts::entry& {
    return *std::ranges::find(p.table, suite::word_counts::no_word, &suite::word_counts::entry::begin);
  };
  is_noticed<suite::word_counts>([&](suite::word_counts& p) { ++first(p).count; });
  is_noticed<suite::word_counts>([&](suite::word_counts& p) { first(p) = {}; });
  is_noticed<suite::word_counts>([&](suite::word_counts& p) { free(p) = first(p); });
  is_noticed<suite::word_counts>([&](suite::word_counts& p) { ++first(p).begin; });
}

TEST(suite_checks, notice_wrong_sets_of_numbers) {
  is_noticed<suite::duplicates>([](suite::duplicates& p) { --p.found_count; });
  is_noticed<suite::duplicates>([](suite::duplicates& p) { p.found[1] = p.found[0]; });
  is_noticed<suite::duplicates>([](suite::duplicates& p) { p.found[1] = 1000; });
}

TEST(suite_checks, notice_wrong_independent_sets) {
  using state = suite::independent_set::state;
  const auto first = [](suite::independent_set& p, state s) -> state& { return *std::ranges::find(p.states, s); };
  is_noticed<suite::independent_set>([&](auto& p) { first(p, state::in) = state::out; });
  is_noticed<suite::independent_set>([&](auto& p) { first(p, state::out) = state::in; });
  is_noticed<suite::independent_set>([&](auto& p) { first(p, state::out) = state::open; });
}

TEST(suite_checks, notice_wrong_matchings_and_forests) {
  const auto lacks_one = [](auto& p) { *std::ranges::find(p.chosen, 1) = 0; };
  const auto has_one_more = [](auto& p) { *std::ranges::find(p.chosen, 0) = 1; };
  is_noticed<suite::matching>(lacks_one);
  is_noticed<suite::matching>(has_one_more);
  is_noticed<suite::spanning_forest>(lacks_one);
  is_noticed<suite::spanning_forest>(has_one_more);
}

TEST(suite_checks, notice_wrong_hulls) {
  is_noticed<suite::convex_hull>([](auto& p) { std::swap(p.corners[1], p.corners[2]); });
  is_noticed<suite::convex_hull>([](auto& p) { --p.corner_count; });
  is_noticed<suite::convex_hull>([](auto& p) {
    p.corners.resize(std::max(p.corners.size(), p.corner_count + 1));  // all points may be corners
    p.corners[p.corner_count++] = p.corners[0];
  });
  is_noticed<suite::convex_hull>([](auto& p) { std::reverse(p.corners.begin(), p.corners.begin() + 5); });
  is_noticed<suite::convex_hull>(
      [](auto& p) { std::copy_n(p.corners.begin() + 2, --p.corner_count - 1, p.corners.begin() + 1); });
}

TEST(suite_checks, notice_wrong_neighbours_pulls_and_rays) {
  is_noticed<suite::neighbours>([](auto& p) { p.nearest[0] = suite::neighbours::none; });
  is_noticed<suite::neighbours>([](auto& p) { p.nearest[0] = 0; });
  is_noticed<suite::neighbours>([](auto& p) { p.nearest[0] = p.nearest[0] == 1 ? 2 : 1; });
  is_noticed<suite::bodies>([](auto& p) { p.pulls[0] = 1.1 * p.pulls[0]; });
  is_noticed<suite::bodies>([](auto& p) { p.pulls[0] = -1 * p.pulls[0]; });
  is_noticed<suite::rays>([](auto& p) { p.met[0] = p.met[0] == suite::rays::none ? 0 : suite::rays::none; });
  const auto meets_another = [](suite::rays& p) {
    const auto first = std::ranges::find_if(p.met, [](std::uint32_t m) { return m != suite::rays::none; });
    *first = *first == 0 ? 1 : 0;
  };
  is_noticed<suite::rays>(meets_another, 64);
}

TEST(suite_checks, notice_wrong_suffix_arrays) {
  is_noticed<suite::suffix_array>([](auto& p) { std::swap(p.begins[500], p.begins[501]); });
  is_noticed<suite::suffix_array>([](auto& p) { p.begins[500] = p.begins[501]; });
  is_noticed<suite::suffix_array>([](auto& p) { p.begins[500] = 1000; });
}

// Each kind of data is what it is said to be.
TEST(suite_inputs, differ_as_they_are_said_to) {
  const auto mean = [](suite::order by) {
    double sum = 0;
    for (const double d : suite::draw_sequence(10'000, by)) sum += d;
    return sum / 10'000;
  };
  EXPECT_NEAR(mean(suite::order::random), 0.5, 0.02);
  EXPECT_NEAR(mean(suite::order::exponential), 1.0 / 16, 0.005);
  const auto almost = suite::draw_integers(10'000, suite::order::almost_sorted, 10'000);
  EXPECT_FALSE(std::ranges::is_sorted(almost));
  std::size_t displaced = 0;
  // (A fraction that is no multiple of a power of two may have become one less.)
  for (std::size_t i = 0; i < almost.size(); ++i) displaced += almost[i] + 1 < i || almost[i] > i ? 1 : 0;
  EXPECT_LE(displaced, 200u);
  for (const suite::point& p : suite::draw_points(1000, suite::cloud::sphere)) EXPECT_NEAR(dot(p, p), 1, 1e-9);
  const auto within = [](suite::cloud c) {
    const auto points = suite::draw_points(10'000, c);
    return std::ranges::count_if(points, [](const suite::point& p) { return dot(p, p) < 1; });
  };
  EXPECT_NEAR(static_cast<double>(within(suite::cloud::plummer)), 3536, 200) << "the share 2^(-3/2) of all";
  EXPECT_NEAR(static_cast<double>(within(suite::cloud::cube)), 5236, 200) << "pi / 6 of all";
  const std::string repeated = suite::draw_text(20'000, suite::script::repeated);
  std::size_t again = 0;
  for (std::size_t i = 1000; i < repeated.size(); ++i) again += repeated[i] == repeated[i - 1000] ? 1 : 0;
  EXPECT_GT(again, 18'900u);
  EXPECT_LT(again, 19'000u);
}

}  // namespace
