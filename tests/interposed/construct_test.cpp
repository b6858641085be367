// Single constructs, and one fault each.
#include <gtest/gtest.h>

#include <leat/leat.hpp>
#include <leat/thread.hpp>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <new>
#include <system_error>

#include "engines.hpp"
#include "interposed/faults.hpp"

namespace {

using namespace leat_test::interposed;

constexpr kind no_page{"mprotect", call::mprotect, way::fails, ENOMEM};
constexpr kind no_signal_stack{"sigaltstack", call::sigaltstack, way::fails, ENOMEM};
constexpr kind no_handler{"sigaction", call::sigaction, way::fails, EINVAL};
constexpr kind no_memory{"malloc", call::malloc, way::fails, ENOMEM};

// Without the page behind its fork stack a worker's forks could be written to memory of others.
TEST(construct_in_a_fault, a_worker_without_a_page_that_faults_is_refused) {
  const std::int64_t bytes = bytes_mapped();
  for (const int workers : {1, 2, 8}) {
    for (int at = 0; at < workers; ++at) {
      const armed now(no_page, {at, 0, 0});
      EXPECT_THROW(leat::runtime(leat_test::with_workers(static_cast<std::uint64_t>(workers))), std::bad_alloc);
      EXPECT_EQ(armed::met(), 1u);
    }
    EXPECT_EQ(bytes_mapped(), bytes);
  }
}

/// Whether run_threads is refused when the fault happens at its call number `at`. What it has made is gone then, and nothing has begun.
template <class Exception>
bool is_refused(const kind& k, std::int64_t at) {
  leat::runtime rt(leat_test::with_workers(1));
  bool refused = false;
  std::uint64_t met = 0;
  std::atomic<int> ran{0};
  const std::int64_t bytes = bytes_mapped();
  rt.run([&] {
    try {
      const armed now(k, {at, 0, 0});
      leat::run_threads(
          [&] {
            met = armed::met();
            ++ran;
          },
          {.machine = "pu:2"});
    } catch (const Exception&) {
      refused = true;
    }
  });
  EXPECT_EQ(ran, refused ? 0 : 1) << k.name << ", call " << at;
  EXPECT_EQ(bytes_mapped(), bytes) << k.name << ", call " << at;
  if (!refused) {
    EXPECT_EQ(met, 0u) << k.name << ", call " << at;
  }
  return refused;
}

TEST(construct_in_a_fault, a_run_of_threads_is_refused_before_anything_begins) {
  EXPECT_TRUE((is_refused<std::system_error>(no_signal_stack, 0)));
  EXPECT_TRUE((is_refused<std::system_error>(no_handler, 1))) << "the first call asks for the handler that is there";
  EXPECT_TRUE((is_refused<std::bad_alloc>(no_page, 0)));
  constexpr std::int64_t allocations_max = 100;
  std::int64_t at = 0;
  while (has_malloc && at < allocations_max && is_refused<std::bad_alloc>(no_memory, at)) ++at;
  EXPECT_LT(at, allocations_max);
  if (has_malloc) {
    EXPECT_GT(at, 5);
  }
}

// THREAD-12: a thread waits in a fork for one that has not begun, and so blocks the only worker; a spare is to stand
// in.
TEST(construct_in_a_fault, a_compensating_worker_that_cannot_begin_tries_again) {
  leat::runtime rt(leat_test::with_workers(1));
  bool ran = false;
  std::uint64_t met = 0;
  const auto waits_in_a_fork = [&] {
    leat::thread other([&] { ran = true; });
    const armed now(no_signal_stack, {0, 0, 0});
    leat::fork_join([&] { other.join(); }, [] {});
    met = armed::met();
  };
  rt.run([&] { leat::run_threads(waits_in_a_fork, {.machine = "pu:2"}); });
  EXPECT_TRUE(ran);
  EXPECT_EQ(met, 1u);
}

}  // namespace
