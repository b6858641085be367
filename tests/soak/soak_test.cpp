// The parts of the soak: what it counts as growth, as imbalance, as the same draw. And what comes and goes by itself, in numbers.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>

#include "kinds.hpp"
#include "ledger.hpp"
#include "operations.hpp"
#include "resources.hpp"
#include "table.hpp"

namespace {

using soak::kind;

/// A sitting of a hundred seconds that holds memory(second).
template <class Memory>
soak::samples held(Memory memory) {
  soak::samples s;
  for (int second = 0; second < 100; ++second)
    s.add({static_cast<double>(second), memory(second), memory(second) / 2, 3, 4});
  return s;
}

TEST(soak_samples, do_not_count_what_the_warming_up_takes) {
  const auto s = held([](int second) { return std::uint64_t{second < 10 ? 1'000u : 50'000u}; });
  EXPECT_EQ(s.growth(&soak::resources::memory_bytes, soak::warm_seconds(100)), std::optional<double>(0));
}

TEST(soak_samples, do_not_count_the_first_spells_however_long_they_took) {
  const auto s = held([](int second) { return std::uint64_t{second < 60 ? 1'000u : 50'000u}; });
  EXPECT_EQ(s.growth(&soak::resources::memory_bytes, 0, 60), std::optional<double>(0));
  EXPECT_GT(s.growth(&soak::resources::memory_bytes, 0, 30), 0);
  EXPECT_EQ(s.growth(&soak::resources::memory_bytes, 0, 1'000), std::nullopt);
}

TEST(soak_samples, tell_growth_of_more_than_a_hundredth_from_less) {
  const auto grown = [](std::uint64_t each) {
    return held([each](int second) { return 2'000'000 + 2 * each * static_cast<std::uint64_t>(second); })
        .growth(&soak::resources::allocated_bytes, soak::warm_seconds(100));
  };
  EXPECT_GT(grown(250), soak::growth_max);
  EXPECT_LT(grown(100), soak::growth_max);
  EXPECT_GT(grown(100), 0);
}

TEST(soak_samples, say_nothing_of_a_few) {
  soak::samples s;
  for (std::size_t i = 0; i < soak::samples::needed_min; ++i) {
    EXPECT_EQ(s.growth(&soak::resources::memory_bytes, 0), std::nullopt);
    s.add({static_cast<double>(i), 1'000, 500, 3, 4});
  }
  EXPECT_NE(s.growth(&soak::resources::memory_bytes, 0), std::nullopt);
  EXPECT_EQ(s.growth(&soak::resources::memory_bytes, 1e9), std::nullopt);
}

TEST(soak_samples, drop_every_other_one_when_there_are_many_and_keep_their_order) {
  soak::samples s;
  const std::size_t n = 5 * soak::samples::kept_max;
  for (std::size_t i = 0; i < n; ++i) s.add({static_cast<double>(i), 1'000'000 + i, 1, 3, 4});
  EXPECT_EQ(s.memory_max(), 1'000'000 + n - 1);
  EXPECT_NEAR(s.growth(&soak::resources::memory_bytes, 0).value_or(0), 2.0 / 3 * static_cast<double>(n) / 1'000'000,
              0.01);
}

TEST(soak_ledger, balances_when_all_that_was_begun_has_ended) {
  soak::ledger book;
  book.begin(kind::group);
  EXPECT_NE(book.imbalance().find("group: 1 operations were begun, 0 have ended"), std::string::npos);
  book.end(kind::group);
  EXPECT_EQ(book.imbalance(), "");
  EXPECT_EQ(book.ended(), 1u);
}

TEST(soak_ledger, ends_the_process_where_a_result_is_wrong) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  soak::set_place("begin again with --seed 7");
  EXPECT_EXIT(soak::expect(1, 2, "a sum"), testing::ExitedWithCode(1),
              "soak_test.cpp.*a sum: 1 instead of 2\nsoak: begin again");
  soak::expect(2, 2, "a sum");
}

TEST(soak_table, counts_forks_and_tasks_twice) {
  soak::ledger book;
  book.parts(kind::fork, 5);
  book.parts(kind::context, 7);
  book.parts(kind::row, 1);
  book.parts(kind::loop, 100);
  leat::counters c;
  c.values[static_cast<std::size_t>(leat::event::tasks)] = 10;
  book.add(c);
  EXPECT_EQ(soak::deque_operations(book), 46u);
}

TEST(soak_draws, are_the_same_again_and_reach_every_kind) {
  const soak::mix kinds;
  soak::draws first(11), second(11);
  std::array<int, soak::kind_count> drawn{};
  for (int i = 0; i < 10'000; ++i) {
    for (const auto where : {soak::place::outside, soak::place::root, soak::place::task}) {
      const kind k = kinds.draw(first, where);
      EXPECT_EQ(k, kinds.draw(second, where));
      EXPECT_EQ(soak::place_of(k), where);
      ++drawn[soak::index_of(k)];
    }
  }
  for (std::size_t k = 0; k < soak::kind_count; ++k) EXPECT_GT(drawn[k], 0) << soak::kind_names[k];
}

TEST(soak_draws, leave_out_kinds_that_are_not_wanted) {
  soak::mix kinds;
  std::array<bool, soak::kind_count> wanted{};
  wanted[soak::index_of(kind::sort)] = true;
  kinds.keep_only(wanted);
  soak::draws numbers(3);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(kinds.draw(numbers, soak::place::task), kind::sort);
  EXPECT_EQ(kinds.draw(numbers, soak::place::root), kind::fork);
}

/// Starts and ends so many runtimes, with a run and without: what the process holds is the same before and after.
void start_and_end(std::uint64_t runtimes) {
  soak::draws numbers(5);
  std::uint64_t ran = 0, wanted = 0;
  const auto one = [&] {
    leat::runtime r(soak::drawn_options(numbers, 3));
    if (numbers.once_in(4)) return;
    ran += r.run([] {
      const auto [a, b] = leat::fork_join([] { return 1u; }, [] { return 2u; });
      return a + b;
    });
    wanted += 3;
  };
  for (std::uint64_t i = 0; i < runtimes / 10; ++i) one();
  const soak::resources before = soak::measured(0);
  for (std::uint64_t i = 0; i < runtimes; ++i) one();
  soak::resources after = soak::measured(0);
  for (int looks = 0; after.threads > before.threads && looks < 10'000; ++looks) after = soak::measured(0);
  EXPECT_EQ(ran, wanted);
  EXPECT_LE(after.threads, before.threads);
  EXPECT_EQ(after.descriptors, before.descriptors);
  EXPECT_LE(after.allocated_bytes, before.allocated_bytes + soak::left_bytes_max);
}

TEST(soak_runtimes, start_and_end_without_a_trace) { start_and_end(100); }
TEST(soak_runtimes, start_and_end_without_a_trace_long) { start_and_end(100'000); }

}  // namespace
