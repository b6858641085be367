// Programs that wait for ever where no wait can see it: LEAT_HANG_REPORT has them say who waits in what.
#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <string>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"
#include "printing_child.hpp"
#include "variable.hpp"

namespace {

using leat_test::printing_child;
using leat_test::variable;
using leat_test::with_workers;

void expect_report(printing_child& c, const std::vector<std::string>& words) { c.expect(words); }

// Places without a thread execute nothing.
TEST(hang_fault, a_thread_in_the_default_runtime) {
  const variable report("LEAT_HANG_REPORT", "1");
  printing_child c([] {
    leat::configure_default(with_workers(2));
    leat::parallel_for(0, 10, [](int i) {
      leat::channel<int> never(1);
      if (i == 5) static_cast<void>(never.receive());
    });
  });
  const std::vector<std::string> words{"LEAT_HANG_REPORT", "waits in a call of leat::channel for "};
  expect_report(c, words);
}

TEST(hang_fault, two_runtimes_of_one_worker_that_call_each_other) {
  const variable report("LEAT_HANG_REPORT", "1");
  printing_child c([] {
    leat::runtime first(with_workers(1)), second(with_workers(1));
    first.run([&] { second.run([&] { first.run([] {}); }); });
  });
  expect_report(c, {"LEAT_HANG_REPORT", "worker 0 waits in runtime::run of another runtime for ",
                    "a thread outside waits in runtime::run for "});
}

TEST(hang_fault, no_spare_is_left) {
  const variable report("LEAT_HANG_REPORT", "1");
  printing_child c([] {
    leat::options o = with_workers(2);
    o.spares = 0;
    leat::runtime rt(o);
    rt.run([] {
      std::atomic<bool> done{false};
      const auto blocks = [&] {
        leat::blocking([&] {
          while (!done) usleep(1000);
        });
      };
      std::atomic<bool> begun{false};
      leat::fork_join(
          [&] {
            while (!begun) usleep(1000);
            leat::spawn([&] { done = true; });
            blocks();
          },
          [&] {
            begun = true;
            blocks();
          });
    });
  });
  expect_report(c, {"LEAT_HANG_REPORT", "worker 0 is in leat::blocking for ", "worker 1 is in leat::blocking for "});
}

TEST(hang_fault, a_wait_for_a_thread_that_blocks) {
  const variable report("LEAT_HANG_REPORT", "1");
  printing_child c([] {
    leat::runtime rt(with_workers(2));
    rt.run([] {
      std::atomic<bool> begun{false};
      leat::fork_join(
          [&] {
            while (!begun) usleep(1000);
          },
          [&] {
            begun = true;
            leat::blocking([] {
              for (;;) pause();
            });
          });
    });
  });
  expect_report(c, {"waits in fork_join or a loop for ", "is in leat::blocking for "});
}

TEST(hang_fault, nothing_is_said_unless_asked_for) {
  const variable report("LEAT_HANG_REPORT", nullptr);
  EXPECT_EQ(leat::options{}.resolved().hang_report_s, 0u);
}

}  // namespace
