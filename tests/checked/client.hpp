// What the clients of the checked platform are made of: threads that Relacy interleaves, messages whose races it finds, and how
// far it searches.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <utility>

#include "leat/platform/checked.hpp"

namespace leat_test {

using leat::platform::checked;

/// The base of a client: a new one for each execution, with thread(i) for each of its threads, and after() for the last.
template <class Client, int threads>
struct client : rl::test_suite<Client, threads> {
  static_assert(threads <= leat::platform::execution::threads_max);
  leat::platform::execution memory;
};

/// What must hold in every execution.
inline void must(bool holds, const char* what, std::source_location at = std::source_location::current()) {
  if (!holds) leat::platform::execution::fail(what, rl::test_result_user_assert_failed, at);
}

/// A message whose reads and writes are noted, as those of plain memory, with its place.
class message {
 public:
  explicit message(int value) noexcept : value_(value) { checked::writes(this); }
  message(message&& from) noexcept : value_(from.value()) { checked::writes(this); }
  message& operator=(message&& from) noexcept {
    value_ = from.value();
    checked::writes(this);
    return *this;
  }
  ~message() { checked::writes(this); }

  int value() const noexcept {
    checked::reads(this);
    return value_;
  }

 private:
  int value_;
};

/// How far to search: all executions; those with so many preemptions at most; or so many, drawn at random.
struct search {
  rl::scheduler_type_e how = rl::sched_full;
  unsigned preemptions = 0;
  std::uint64_t executions = 0;

  static search all() { return {}; }
  static search bound(unsigned preemptions) { return {rl::sched_bound, preemptions, 0}; }
  static search random(std::uint64_t executions) { return {rl::sched_random, 0, executions}; }
};

/// What Relacy says of the client; what it has to tell of a failure goes to `told`.
template <class Client>
rl::test_result_e explore(search s, std::ostream& told) {
  rl::test_params parameters;
  std::ostringstream progress;
  parameters.output_stream = &told;
  parameters.progress_stream = &progress;
  parameters.search_type = s.how;
  parameters.context_bound = s.preemptions;
  if (s.executions != 0) parameters.iteration_count = s.executions;
  rl::simulate<Client>(parameters);
  testing::Test::RecordProperty("executions", std::to_string(parameters.stop_iteration));
  std::cout << "           " << parameters.stop_iteration << " executions\n";
  return parameters.test_result;
}

template <class Client>
void expect_right(search s) {
  std::ostringstream told;
  EXPECT_EQ(explore<Client>(s, told), rl::test_result_success) << told.str();
}

/// That the checker sees what is wrong with the client.
template <class Client>
void expect_found(rl::test_result_e result, search s = search::all()) {
  std::ostringstream told;
  EXPECT_EQ(explore<Client>(s, told), result) << told.str();
}

}  // namespace leat_test
