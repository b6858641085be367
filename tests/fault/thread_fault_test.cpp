// Threads that cannot be started.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <system_error>

#include "engines.hpp"
#include "fault/threads.hpp"
#include "leat/leat.hpp"

namespace {

using leat_test::with_workers;

TEST(thread_fault, a_worker_that_cannot_start_is_named_and_the_others_leave) {
  const int threads = leat_test::threads_of_this_process();
  for (const int workers : {1, 2, 3, 8}) {
    for (int failing = 0; failing < workers; ++failing) {
      leat_test::thread_starts_left = failing;
      try {
        const leat::runtime rt(with_workers(static_cast<std::uint64_t>(workers)));
        ADD_FAILURE() << "started";
      } catch (const std::system_error& e) {
        EXPECT_EQ(e.code(), std::errc::resource_unavailable_try_again);
        const std::string name = "worker " + std::to_string(failing) + " of " + std::to_string(workers);
        EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
      }
      EXPECT_EQ(leat_test::thread_starts_left, -1) << "the fault was met";
      leat_test::thread_starts_left = -1;
      EXPECT_TRUE(leat_test::has_threads(threads));

      leat::runtime next(with_workers(static_cast<std::uint64_t>(workers)));
      int ran = 0;
      next.run([&] { leat::spawn([&] { ++ran; }); });
      EXPECT_EQ(ran, 1);
    }
  }
}

TEST(thread_fault, a_spare_that_cannot_start_is_done_without) {
  leat::runtime rt(with_workers(2));
  const int threads = leat_test::threads_of_this_process();
  rt.run([] {
    for (int i = 0; i < 3; ++i) {
      leat_test::thread_starts_left = 0;
      auto stolen = leat::async([i] { return i; });
      EXPECT_EQ(leat::blocking([] { return 7; }), 7);
      EXPECT_EQ(stolen.get(), i);
      EXPECT_EQ(leat_test::thread_starts_left, -1) << "the fault was met";
    }
  });
  EXPECT_TRUE(leat_test::has_threads(threads));
  rt.run([] { leat::blocking([] {}); });
  EXPECT_TRUE(leat_test::has_threads(threads + 1)) << "the next one that blocks tries again";
}

TEST(thread_fault, a_running_runtime_does_not_mind_that_another_cannot_start) {
  leat::runtime rt(with_workers(2));
  for (int failing = 0; failing < 4; ++failing) {
    const int got = rt.run([failing] {
      leat_test::thread_starts_left = failing;
      EXPECT_THROW(std::make_unique<leat::runtime>(with_workers(4)), std::system_error);
      auto f = leat::async([] { return 2; });
      return f.get();
    });
    EXPECT_EQ(got, 2);
  }
  leat_test::thread_starts_left = -1;
}

}  // namespace
