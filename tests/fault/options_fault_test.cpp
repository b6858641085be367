// Wrong settings: the runtime does not start, says what is wrong, and leaves no thread behind.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "fault/threads.hpp"
#include "leat/leat.hpp"

namespace {

void expect_refused(const leat::options& o, const std::vector<std::string>& words) {
  const int threads = leat_test::threads_of_this_process();
  try {
    const leat::runtime rt(o);
    ADD_FAILURE() << "started; wanted a message with " << words.front();
  } catch (const std::invalid_argument& e) {
    for (const std::string& word : words) {
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << "'" << word << "' is not in: " << e.what();
    }
  }
  EXPECT_TRUE(leat_test::has_threads(threads));
}

// An environment variable for the time of a test.
struct variable {
  variable(const char* n, const char* value) : name(n) { setenv(n, value, 1); }
  ~variable() { unsetenv(name); }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;
  const char* name;
};

TEST(options_fault, no_workers_and_too_many) {
  leat::options o;
  o.workers = 0;
  expect_refused(o, {"workers", " 0"});
  o.workers = 10'000'000;
  expect_refused(o, {"workers", "10000000"});
}

TEST(options_fault, variables_that_are_not_numbers) {
  for (const char* name : {"LEAT_NUM_WORKERS", "LEAT_SPIN", "LEAT_INTERRUPT_AFTER"}) {
    for (const char* value : {"two", "-1", "1.5", "1e9", "99999999999999999999"}) {
      const variable v(name, value);
      expect_refused({}, {name, value});
    }
  }
  const variable v("LEAT_NUM_WORKERS", "10000000");
  expect_refused({}, {"LEAT_NUM_WORKERS", "10000000"});
}

TEST(options_fault, an_unknown_scheduler) {
  const variable v("LEAT_SCHEDULER", "no-such-scheduler");
  expect_refused({}, {"LEAT_SCHEDULER", "'no-such-scheduler'", "channel"});
}

TEST(options_fault, a_variable_changed_later_does_not_concern_a_running_runtime) {
  leat::options o;
  o.workers = 2;
  leat::runtime rt(o);
  const variable v("LEAT_NUM_WORKERS", "none");
  EXPECT_EQ(rt.run([] { return 1; }), 1);
  EXPECT_EQ(rt.workers(), 2u);
}

}  // namespace
