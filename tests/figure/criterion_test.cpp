// What each criterion holds to be as published.

#include "criterion.hpp"

#include "numbers.hpp"

#include <gmock/gmock.h>

namespace leat::cli {

namespace {

using test::all;
using test::two_by_two;
using testing::HasSubstr;

// Short tasks: one stops at 12, half goes on. Long tasks: both go on.
const test::numbers measured = all({5, 8, 4, 5, 11, 40, 6, 11, 33, 6, 12, 44});

criterion half_over_one(criterion::kind kind, double factor) {
  criterion c;
  c.is = kind;
  c.quantity = "speed-up";
  c.these.column = "half";
  c.those.column = "one";
  c.factor = factor;
  return c;
}

verdict verdict_on(const criterion& c) { return judge(c, two_by_two(measured)).is; }

}  // namespace

TEST(criteria, order_takes_the_factor_in_every_cell_that_is_meant) {
  criterion c = half_over_one(criterion::kind::order, 1);
  EXPECT_EQ(verdict_on(c), verdict::as_published);
  c.factor = 1.2;  // 5 against 5, with six workers
  EXPECT_EQ(verdict_on(c), verdict::not_as_published);
  c.where.x = {"48"};
  EXPECT_EQ(verdict_on(c), verdict::as_published);
  c.factor = 10;
  c.where.rows = {"short"};
  EXPECT_EQ(verdict_on(c), verdict::as_published);  // 40 against 4
  c.factor = 10.01;
  EXPECT_EQ(verdict_on(c), verdict::not_as_published);
}

TEST(criteria, order_may_compare_rows) {
  criterion c = half_over_one(criterion::kind::order, 1.05);
  c.these = {"long", "", "48"};
  c.those = {"short", "", "48"};
  EXPECT_EQ(verdict_on(c), verdict::as_published);
  c.factor = 1.2;  // 44 against 40
  EXPECT_EQ(verdict_on(c), verdict::not_as_published);
  c.share = 0.5;  // 33 against 4
  EXPECT_EQ(verdict_on(c), verdict::as_published);
}

TEST(criteria, level_counts_both_ways) {
  criterion c = half_over_one(criterion::kind::level, 1.1);
  c.where = {{"long"}, {}, {"6", "12"}};
  EXPECT_EQ(verdict_on(c), verdict::as_published);
  c.factor = 1.05;
  EXPECT_EQ(verdict_on(c), verdict::not_as_published);
  std::swap(c.these, c.those);
  EXPECT_EQ(verdict_on(c), verdict::not_as_published);
}

TEST(criteria, effect_is_near_the_published_ratio) {
  criterion c = half_over_one(criterion::kind::effect, 1.5);
  c.where = {{"short"}, {}, {"48"}};
  for (const auto& [published, is] : {std::pair(10.0, verdict::as_published),
                                      {6.7, verdict::as_published},
                                      {6.6, verdict::not_as_published},
                                      {15, verdict::as_published},
                                      {15.1, verdict::not_as_published}}) {
    c.published = published;
    EXPECT_EQ(verdict_on(c), is) << published;
  }
}

TEST(criteria, near_takes_a_share_of_what_was_published) {
  criterion c;
  c.is = criterion::kind::near;
  c.quantity = "speed-up";
  c.factor = 1.25;
  const test::numbers published = {
      {{"short", "one", "48"}, 4.5}, {{"short", "half", "48"}, 41}, {{"long", "one", "48"}, 50}};
  EXPECT_EQ(judge(c, two_by_two(measured, published)).is, verdict::not_as_published);
  c.share = 0.66;
  const judgement j = judge(c, two_by_two(measured, published));
  EXPECT_EQ(j.is, verdict::as_published);
  EXPECT_THAT(j.numbers, HasSubstr("4.00 for 4.50 (short, one, 48)"));
  EXPECT_EQ(judge(c, two_by_two(measured)).is, verdict::not_measured);
}

TEST(criteria, range_of_each_the_mean_and_a_share) {
  criterion c;
  c.is = criterion::kind::range;
  c.quantity = "speed-up";
  c.these = {"long", "half", ""};
  c.least = 6;
  c.most = 44;
  EXPECT_EQ(verdict_on(c), verdict::as_published);
  c.most = 43;
  EXPECT_EQ(verdict_on(c), verdict::not_as_published);
  c.of = criterion::statistic::mean;  // of 6, 12 and 44
  c.least = 20.6;
  c.most = 20.7;
  EXPECT_EQ(verdict_on(c), verdict::as_published);
  c.of = criterion::statistic::share;
  c.above = 6;
  c.least = 0.66;
  c.most = 0.67;
  EXPECT_EQ(verdict_on(c), verdict::as_published);
  c.above = 12;
  EXPECT_EQ(verdict_on(c), verdict::not_as_published);
}

TEST(criteria, peak_is_where_a_curve_is_greatest) {
  criterion c;
  c.is = criterion::kind::peak;
  c.quantity = "speed-up";
  c.these = {"short", "one", ""};
  c.most = 12;
  EXPECT_EQ(verdict_on(c), verdict::as_published);
  c.most = 11;
  EXPECT_EQ(verdict_on(c), verdict::not_as_published);
  c.these.row = "";  // long tasks are fastest with 48
  c.most = 12;
  EXPECT_EQ(verdict_on(c), verdict::not_as_published);
  EXPECT_THAT(judge(c, two_by_two(measured)).numbers, HasSubstr("33.00 at 48 (long)"));
}

TEST(criteria, nothing_is_judged_where_a_number_lacks) {
  test::numbers some = measured;
  some.erase({"short", "half", "48"});
  for (const auto kind :
       {criterion::kind::order, criterion::kind::level, criterion::kind::range, criterion::kind::peak}) {
    criterion c = half_over_one(kind, 2);
    c.least = 0;
    c.most = 100;
    EXPECT_EQ(judge(c, two_by_two(some)).is, verdict::not_measured) << name(kind);
  }
}

TEST(criteria, say_the_numbers_that_they_follow_from) {
  criterion c = half_over_one(criterion::kind::order, 2);
  c.where = {{"short"}, {}, {"48"}};
  const judgement j = judge(c, two_by_two(measured));
  EXPECT_EQ(j.statement, "speed-up: half is at least 2 times one");
  EXPECT_EQ(j.numbers, "40.00 against 4.00 (short, 48)");
}

TEST(criteria, many_numbers_are_told_by_their_extremes) {
  const test::numbers bigger = all({5, 8, 4, 5, 11, 40, 6, 11, 33, 6, 12, 44});
  criterion c;
  c.is = criterion::kind::near;
  c.quantity = "speed-up";
  c.factor = 2;
  EXPECT_THAT(judge(c, two_by_two(measured, bigger)).numbers, HasSubstr("it holds in 12 of 12"));
}

TEST(verdicts, of_a_figure_are_those_of_its_criteria) {
  using enum criterion::subject;
  const judgement good{ordering, verdict::as_published, "", ""}, bad{ordering, verdict::not_as_published, "", ""},
      open{ordering, verdict::not_measured, "", ""}, big{size, verdict::as_published, "", ""};
  EXPECT_EQ(verdict_of({}, ordering), std::nullopt);
  EXPECT_EQ(verdict_of({good, good}, ordering), verdict::as_published);
  EXPECT_EQ(verdict_of({good, bad, open}, ordering), verdict::not_as_published);
  EXPECT_EQ(verdict_of({good, open}, ordering), verdict::not_measured);
  EXPECT_EQ(verdict_of({bad, big}, size), verdict::as_published);
  EXPECT_EQ(verdict_of({bad, big}, ordering), verdict::not_as_published);
}

}  // namespace leat::cli
