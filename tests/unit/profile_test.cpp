// What a profile records of a worker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "leat/platform/native.hpp"
#include "leat/profile/gaps.hpp"
#include "leat/profile/intervals.hpp"
#include "leat/profile/request.hpp"
#include "leat/profile/worker_times.hpp"

namespace {

using leat::profile::activity;
using leat::profile::index_of;
using leat::profile::intervals;
using gaps = leat::profile::gaps<leat::platform::native>;

using listed = std::vector<std::pair<activity, std::uint64_t>>;

listed all_of(const intervals& times) {
  listed all;
  times.each([&all](activity a, std::uint64_t ns) { all.emplace_back(a, ns); });
  return all;
}

std::uint64_t sum_of(const listed& all) {
  std::uint64_t ns = 0;
  for (const auto& one : all) ns += one.second;
  return ns;
}

TEST(profile_intervals, follow_each_other) {
  intervals times(8, activity::outside, 100);
  times.change(activity::running, 150);
  times.change(activity::waiting, 350);
  times.change(activity::running, 360);
  EXPECT_EQ(times.now(), activity::running);
  EXPECT_EQ(all_of(times), (listed{{activity::outside, 50}, {activity::running, 200}, {activity::waiting, 10}}));
  EXPECT_EQ(times.resolution_ns(), 0u);
}

TEST(profile_intervals, of_one_activity_in_a_row_are_one_and_count_each) {
  intervals times(8, activity::running, 0);
  times.change(activity::running, 5);
  times.change(activity::waiting, 7);
  times.change(activity::running, 7);
  times.change(activity::asleep, 9);
  EXPECT_EQ(all_of(times), (listed{{activity::running, 9}}));
  EXPECT_EQ(times.totals()[index_of(activity::running)].count, 3u);
  EXPECT_EQ(times.totals()[index_of(activity::waiting)].count, 1u);
}

TEST(profile_intervals, do_not_end_before_they_begin) {
  intervals times(8, activity::running, 100);
  times.change(activity::waiting, 90);
  times.change(activity::running, 120);
  EXPECT_EQ(sum_of(all_of(times)), 20u);
}

TEST(profile_intervals, merge_short_ones_when_memory_is_full_and_keep_the_totals) {
  constexpr std::size_t capacity = 16;
  intervals times(capacity, activity::running, 0);
  std::uint64_t now = 0, running = 0;
  for (int i = 0; i < 1000; ++i) {
    now += 5000, running += 5000;
    times.change(activity::answering, now);
    now += 10;
    times.change(activity::running, now);
  }
  const listed kept = all_of(times);
  EXPECT_LE(kept.size(), capacity);
  EXPECT_EQ(sum_of(kept), now) << "no time is lost";
  EXPECT_GE(times.resolution_ns(), intervals::resolution_first_ns);
  EXPECT_EQ(times.totals()[index_of(activity::running)].ns, running);
  EXPECT_EQ(times.totals()[index_of(activity::answering)].count, 1000u);
}

TEST(profile_gaps, are_those_between_the_operations_of_a_sample) {
  gaps g;
  EXPECT_FALSE(g.wanted());
  ASSERT_TRUE(g.begin_sample(1000));
  EXPECT_FALSE(g.begin_sample(1500)) << "one is under way";
  std::uint64_t now = 2000;  // the first says nothing: it began anywhere
  std::uint32_t operations = 0;
  while (g.wanted()) {
    g.operation_begins(now);
    now += 7;  // the slow way itself
    g.operation_ends(now);
    now += 100;
    ++operations;
  }
  EXPECT_EQ(operations, gaps::in_a_row + 1);
  EXPECT_EQ(g.read()[6].count, gaps::in_a_row);
  EXPECT_EQ(g.read()[6].ns, 100u * gaps::in_a_row);
  EXPECT_TRUE(g.begin_sample(now));
}

TEST(profile_gaps, the_first_counts_if_it_is_long) {
  gaps g;
  ASSERT_TRUE(g.begin_sample(0));
  g.operation_begins(gaps::first_ns_min);
  g.operation_ends(gaps::first_ns_min);
  std::uint64_t count = 0, ns = 0;
  for (const auto& b : g.read()) count += b.count, ns += b.ns;
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(ns, gaps::first_ns_min);
}

TEST(profile_gaps, an_operation_that_was_under_way_when_the_sample_began_is_no_gap) {
  gaps g;
  ASSERT_TRUE(g.begin_sample(1000));
  g.operation_ends(1100);
  g.operation_begins(1150);
  EXPECT_EQ(g.read()[5].count, 1u);
}

int anything = 0;
const leat::profile::worker_log::subject no_worker{&anything, [](const void*) { return leat::counters(); },
                                                   [](void*) {}};

std::uint64_t gaps_of(const leat::profile::worker_log& log) {
  std::uint64_t count = 0;
  for (const auto& b : log.sampled_gaps()) count += b.count;
  return count;
}

TEST(profile_log, notes_no_gap_once_it_is_closed) {
  leat::profile::worker_log log(0, 8, 0);
  log.begin(no_worker);
  log.change(activity::running);
  log.sample();
  for (int i = 0; i < 2; ++i) log.operation_begins(), log.operation_ends();
  log.close();
  const std::uint64_t before = gaps_of(log);
  EXPECT_GE(before, 1u);
  log.operation_begins();
  EXPECT_EQ(gaps_of(log), before);
}

TEST(profile_log, is_made_by_the_first_thread_of_a_worker) {
  leat::profile::runtime_log of("runtime", 2, "sound");
  {
    const leat::profile::worker_times never_begun;
  }
  EXPECT_TRUE(of.logs().empty());
  {
    leat::profile::worker_times begun;
    for (const std::uint64_t thread : {17u, 18u}) {
      begun.thread_begins(of, 1, thread, no_worker);
      ASSERT_EQ(of.logs().size(), 1u);
      EXPECT_EQ(of.logs()[0]->thread(), thread);
    }
  }
  EXPECT_EQ(of.logs()[0]->thread(), 0u) << "so that the sampler closes its files";
}

TEST(profile_request, names_a_file_and_words) {
  const auto plain = leat::profile::read_request("out.txt", 7);
  EXPECT_EQ(plain.file, "out.txt");
  EXPECT_FALSE(plain.span || plain.record);
  const auto both = leat::profile::read_request("a-%p.txt,record,span", 7);
  EXPECT_EQ(both.file, "a-7.txt");
  EXPECT_TRUE(both.span && both.record);
  EXPECT_EQ(both.record_bytes, 0u);
  const auto limited = leat::profile::read_request("f,record=50", 7);
  EXPECT_TRUE(limited.record);
  EXPECT_EQ(limited.record_bytes, 50'000'000u);
  EXPECT_EQ(limited.workers, 0u);
  EXPECT_EQ(leat::profile::read_request("f,record,for=48", 7).workers, 48u);
}

TEST(profile_request, refuses_what_it_does_not_know) {
  const auto why = [](const char* text) -> std::string {
    try {
      leat::profile::read_request(text, 1);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_THAT(why(",span"), testing::HasSubstr("',span': must begin with the name of a file"));
  EXPECT_THAT(why("f,spam"), testing::HasSubstr("'spam' behind the file must be 'span', 'record' or 'for=WORKERS'"));
  for (const char* number : {"", "0", "1000001", "-1", "5x"}) {
    EXPECT_THAT(why((std::string("f,record=") + number).c_str()),
                testing::HasSubstr("'" + std::string(number) + "' behind record= must be between 1 and 1000000 MB"));
  }
  for (const char* number : {"", "0", "4097", "8x"}) {
    EXPECT_THAT(why((std::string("f,for=") + number).c_str()),
                testing::HasSubstr("'" + std::string(number) + "' behind for= must be between 1 and 4096"));
  }
  EXPECT_THAT(why("f,"), testing::HasSubstr("'' behind the file"));
}

}  // namespace
