// Clients of the runtime in worlds drawn from seeds: all schedulers, all kinds of schedules and faults.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "drawn_world.hpp"

namespace {

using leat_test::describe;
using leat_test::draw;
using leat_test::drawn_world;
using leat_test::failing_plan;

// Runs the worlds of `count` seeds from `first` on, on all CPUs; the first failure that is found ends it. LEAT_SEEDS_OF has a part of
// the descriptions of those that are run; a text that no description has is a failure, too.
void expect_clean(std::uint64_t first, std::uint64_t count) {
  leat_test::have_worlds_fail();
  const char* const given = std::getenv("LEAT_SEEDS_OF");
  const std::string_view only = given == nullptr ? "" : given;
  std::atomic<std::uint64_t> next{0}, ran{0};
  std::atomic<bool> found{false};
  std::mutex one;
  std::string failure;
  const auto run_some = [&] {
    for (std::uint64_t i; !found && (i = next++) < count;) {
      const drawn_world w = draw(first + i);
      if (!only.empty() && describe(w).find(only) == std::string::npos) continue;
      ++ran;
      const auto end = run(w);
      if (end.ok()) continue;
      const std::lock_guard guard(one);
      if (found.exchange(true)) break;
      failure = report(w, end);
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) threads.emplace_back(run_some);
  for (std::thread& t : threads) t.join();
  if (!failure.empty()) ADD_FAILURE() << failure;
  EXPECT_NE(ran.load(), 0u) << "LEAT_SEEDS_OF = '" << only << "': is in no description";
}

std::uint64_t number_in(const char* variable, std::uint64_t least, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return otherwise;
  const std::string_view digits(text);
  std::uint64_t number = 0;
  const auto [end, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (bad == std::errc{} && end == digits.data() + digits.size() && number >= least) return number;
  throw std::invalid_argument(std::string(variable) + " = '" + text + "': must be an integer, " +
                              std::to_string(least) + " or more");
}

TEST(seeds, clients) { expect_clean(0, static_cast<std::uint64_t>(leat_test::reps(10'000))); }

TEST(seeds, clients_long) { expect_clean(1'000'000, static_cast<std::uint64_t>(leat_test::reps(1'000'000))); }

TEST(seeds, bad_numbers) {
  const auto refused = [](const char* text) {
    setenv("LEAT_SEEDS_TESTED", text, 1);
    EXPECT_THROW(number_in("LEAT_SEEDS_TESTED", 1, 1), std::invalid_argument) << text;
  };
  for (const char* text : {"", "abc", "1e5", "-2", "0", "1 ", "99999999999999999999"}) refused(text);
  setenv("LEAT_SEEDS_TESTED", "12", 1);
  EXPECT_EQ(number_in("LEAT_SEEDS_TESTED", 1, 1), 12u);
}

// LEAT_SEED: the first; LEAT_SEEDS: how many. Says of each what it is and what its trace comes to.
TEST(seeds, replay) {
  leat_test::have_worlds_fail();
  const std::uint64_t first = number_in("LEAT_SEED", 0, 0);
  const std::uint64_t count = number_in("LEAT_SEEDS", 1, 1);
  for (std::uint64_t seed = first; seed - first < count; ++seed) {
    const drawn_world w = draw(seed);
    const auto end = run(w);
    std::printf("%s; %llu steps, trace %016llx\n", describe(w).c_str(), static_cast<unsigned long long>(end.steps),
                static_cast<unsigned long long>(end.trace));
    if (!end.ok()) ADD_FAILURE() << report(w, end);
  }
}

std::string replayed_by_another_process(std::uint64_t first, std::uint64_t count) {
  std::array<char, 4096> program{};
  const auto length = readlink("/proc/self/exe", program.data(), program.size() - 1);
  EXPECT_GT(length, 0);
  const std::string command = "LEAT_SEED=" + std::to_string(first) + " LEAT_SEEDS=" + std::to_string(count) + " '" +
                              program.data() + "' --gtest_filter=seeds.replay --gtest_brief=1";
  std::FILE* const out = popen(command.c_str(), "r");
  std::string said;
  for (int c = std::fgetc(out); c != EOF; c = std::fgetc(out)) said += static_cast<char>(c);
  EXPECT_EQ(pclose(out), 0);
  return said;
}

TEST(seeds, same_seed_same_trace) {
  constexpr std::uint64_t first = 500, count = 100;
  std::string here;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const drawn_world w = draw(seed);
    const auto end = run(w), again = run(w);
    EXPECT_EQ(end.trace, again.trace) << describe(w);
    char trace[32];
    std::snprintf(trace, sizeof trace, "trace %016llx\n", static_cast<unsigned long long>(end.trace));
    here += trace;
  }
  const std::string there = replayed_by_another_process(first, count);
  std::string traces;
  for (std::size_t at = there.find("trace "); at != std::string::npos; at = there.find("trace ", at + 1))
    traces += there.substr(at, sizeof "trace 0123456789abcdef");
  EXPECT_EQ(traces, here);
}

// A schedule that was drawn is the same as the list of its preemptions.
TEST(seeds, a_list_of_preemptions_is_the_same_world) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const drawn_world w = draw(seed);
    failing_plan plan{{}, w.settings.faults};
    const auto drawn = run(w, &plan.preemptions);
    EXPECT_EQ(run(w, plan).trace, drawn.trace) << describe(w);
  }
}

}  // namespace
