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

/// How far to search: every execution; those with so many preemptions at most; so many, drawn at random.
struct all {
  template <int threads>
  using scheduler = rl::full_search_scheduler<threads>;
  static void set(rl::test_params& p) { p.search_type = rl::sched_full; }
};
template <unsigned most>
struct preemptions {
  template <int threads>
  using scheduler = rl::context_bound_scheduler<threads>;
  static void set(rl::test_params& p) { p.search_type = rl::sched_bound, p.context_bound = most; }
};
template <std::uint64_t executions>
struct drawn {
  template <int threads>
  using scheduler = rl::random_scheduler<threads>;
  static void set(rl::test_params& p) { p.search_type = rl::sched_random, p.iteration_count = executions; }
};

/// What Relacy says of the client. The steps of an execution that fails go to `steps`.
template <class Client, class Search>
rl::test_result_e explore(std::ostream& steps) {
  using scheduler = typename Search::template scheduler<Client::params::thread_count>;
  std::ostringstream progress;
  rl::ostringstream end;
  rl::test_params parameters;
  parameters.output_stream = &steps;
  parameters.progress_stream = &progress;
  Search::set(parameters);
  const rl::test_result_e result = rl::run_test<Client, scheduler>(parameters, end, false);
  testing::Test::RecordProperty("executions", std::to_string(parameters.stop_iteration));
  std::cout << "           " << parameters.stop_iteration << " executions" << std::endl;
  if (result != rl::test_result_success) {
    parameters.initial_state = end.str();
    parameters.collect_history = true;
    rl::run_test<Client, scheduler>(parameters, end, true);
  }
  return result;
}

template <class Client, class Search = all>
void expect_right() {
  std::ostringstream steps;
  EXPECT_STREQ(rl::test_result_str((explore<Client, Search>(steps))), rl::test_result_str(rl::test_result_success))
      << steps.str();
}

/// That the checker sees what is wrong with the client.
template <class Client, class Search = all>
void expect_found(rl::test_result_e result) {
  std::ostringstream steps;
  EXPECT_STREQ(rl::test_result_str((explore<Client, Search>(steps))), rl::test_result_str(result)) << steps.str();
}

}  // namespace leat_test
