// Each family of faults, each kind some times, and a thousand times in the long tests.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "engines.hpp"
#include "interposed/kinds.hpp"
#include "interposed/walk.hpp"
#include "interposed/workload.hpp"

namespace {

using namespace leat_test::interposed;

constexpr int few = leat_test::sanitized ? 5 : 20;
constexpr int many = leat_test::reps(1000);

TEST(memory, each_kind) {
  if (has_malloc) walk(kinds_of_memory(), do_everything, few);
}
TEST(memory, each_kind_long) {
  if (has_malloc) walk(kinds_of_memory(), do_everything, many);
}

TEST(address_space, each_kind) { walk(kinds_of_address_space(), do_everything, few); }
TEST(address_space, each_kind_long) { walk(kinds_of_address_space(), do_everything, many); }

TEST(threads, each_kind) { walk(kinds_of_threads(), do_everything, few); }
TEST(threads, each_kind_long) { walk(kinds_of_threads(), do_everything, many); }

TEST(signals, each_kind) { walk(kinds_of_signals(), do_everything, few); }
TEST(signals, each_kind_long) { walk(kinds_of_signals(), do_everything, many); }

TEST(waits, each_kind) { walk(kinds_of_waits(), do_everything, few); }
TEST(waits, each_kind_long) { walk(kinds_of_waits(), do_everything, many); }

TEST(machine, each_kind) { walk(kinds_of_the_machine(), do_everything_of_the_machine, few); }
TEST(machine, each_kind_long) { walk(kinds_of_the_machine(), do_everything_of_the_machine, many); }

TEST(files, each_kind) { walk(kinds_of_files(), do_everything_with_files, few); }
TEST(files, each_kind_long) { walk(kinds_of_files(), do_everything_with_files, many); }

// Once a process: the handler stays. So the process begins anew.
TEST(first_runtime, starts_when_there_is_memory_for_the_handler_of_forks) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto starts = [] {
    int refused = 0;
    for (int i = 0; i < many; ++i) {
      const armed now(atfork_without_memory, {0, 0, 0});
      try {
        do_everything();
      } catch (const std::bad_alloc&) {
        refused += armed::met() == 1;
      }
    }
    do_everything();
    std::fprintf(stderr, "refused %d times\n", refused);
    std::_Exit(0);
  };
  EXPECT_EXIT(starts(), ::testing::ExitedWithCode(0), "refused " + std::to_string(many) + " times");
}

}  // namespace
