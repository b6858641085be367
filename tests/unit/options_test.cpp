// The options: where each comes from, and that every wrong value is named.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "leat/options.hpp"
#include "leat/platform/native.hpp"
#include "leat/topology/cpus.hpp"
#include "variable.hpp"

namespace {

using leat_test::variable;

class options : public ::testing::Test {
 private:
  variable workers_{"LEAT_NUM_WORKERS", nullptr};
  variable scheduler_{"LEAT_SCHEDULER", nullptr};
  variable spares_{"LEAT_SPARES", nullptr};
  variable spin_{"LEAT_SPIN", nullptr};
  variable interrupt_after_{"LEAT_INTERRUPT_AFTER", nullptr};
  variable hang_report_{"LEAT_HANG_REPORT", nullptr};
  variable thread_name_{"LEAT_THREAD_NAME", nullptr};
  variable stack_size_{"LEAT_STACK_SIZE", nullptr};
};

// The message must have each of the words.
void expect_refused(const leat::options& o, const std::vector<std::string>& words) {
  try {
    o.resolved();
    ADD_FAILURE() << "accepted; wanted a message with " << words.front();
  } catch (const std::invalid_argument& e) {
    for (const std::string& word : words) {
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << "'" << word << "' is not in: " << e.what();
    }
  }
}

TEST_F(options, come_from_the_machine_when_nothing_is_said) {
  const leat::options o = leat::options{}.resolved();
  EXPECT_EQ(o.workers, leat::topology::available_cpus());
  EXPECT_EQ(o.scheduler, "channel");
  EXPECT_EQ(o.spares, o.workers);
  EXPECT_EQ(o.spin_us, 100u);
  EXPECT_EQ(o.interrupt_after_us, 50u);
  EXPECT_EQ(o.hang_report_s, 0u);
  EXPECT_EQ(o.thread_name, "leat");
  EXPECT_EQ(o.stack_size, 0u);
  EXPECT_FALSE(o.bind);
  EXPECT_EQ(o.victims, "random");
  EXPECT_EQ(o.strategy, "adaptive");
  EXPECT_GE(o.deque_capacity, 1u);
}

TEST_F(options, let_none_but_bound_workers_try_near_victims_first) {
  leat::options o;
  o.bind = true;
  EXPECT_EQ(o.resolved().victims, "random");
  o.victims = "near";
  EXPECT_EQ(o.resolved().victims, "near");
  o.victims = "far";
  expect_refused(o, {"victims", "'far'", "random, near"});
  o.victims = "near";
  o.bind = false;
  expect_refused(o, {"victims", "'near'", "bind"});
}

TEST_F(options, let_prell_choose_as_published_and_no_other_scheduler) {
  leat::options o;
  EXPECT_EQ(o.resolved().last_victim, true);
  EXPECT_EQ(o.resolved().adaptive_steals, 25u);
  o.prell.tries = "distinct";
  expect_refused(o, {"prell", "'channel'"});
  o.scheduler = "prell";
  EXPECT_EQ(o.resolved().prell.tries, "distinct");
  EXPECT_EQ(o.resolved().last_victim, false);
  const auto refused = [](std::string leat::prell_options::* name, const char* value, const char* known) {
    leat::options bad;
    bad.scheduler = "prell";
    bad.prell.*name = value;
    expect_refused(bad, {known});
  };
  refused(&leat::prell_options::tries, "never", "repeated, distinct");
  refused(&leat::prell_options::refusal, "ignore", "forward, acknowledge");
  refused(&leat::prell_options::polling, "", "operations, interrupts");
  refused(&leat::prell_options::termination, "none", "root, worker, dedicated, counter");
  refused(&leat::prell_options::barrier, "any", "own, dummy");
  o.prell.samples = 0;
  expect_refused(o, {"prell.samples", "0", "4096"});
  o.prell.samples = 1;
  o.prell.places = "numa";
  expect_refused(o, {"prell.places", "'numa'", "bind"});
  o.bind = true;
  EXPECT_EQ(o.resolved().prell.places, "numa");
  for (const char* without : {"root", "counter"}) {
    o.prell.termination = without;
    expect_refused(o, {"prell.places", "'numa'", "worker or dedicated", without});
  }
  o.prell = {};
  o.bind = false;
  o.adaptive_steals = 0;
  expect_refused(o, {"adaptive_steals", "0"});
  o.adaptive_steals = 25;
  o.scheduler = "lcws-user";
  o.prell = {};
  o.last_victim = true;
  expect_refused(o, {"last_victim", "'lcws-user'"});
}

TEST_F(options, do_not_spin_when_there_are_more_workers_than_cpus) {
  leat::options o;
  o.workers = leat::topology::available_cpus() + 1;
  EXPECT_EQ(o.resolved().spin_us, 0u);
  o.spin_us = 5;
  EXPECT_EQ(o.resolved().spin_us, 5u);
  o.spin_us.reset();
  o.workers = 1;
  EXPECT_EQ(o.resolved().spin_us, 100u);
}

TEST_F(options, come_from_the_environment_where_none_is_given) {
  const variable workers("LEAT_NUM_WORKERS", "3");
  const variable scheduler("LEAT_SCHEDULER", "channel");
  const variable spin("LEAT_SPIN", "17");
  const variable spares("LEAT_SPARES", "5");
  const variable interrupt_after("LEAT_INTERRUPT_AFTER", "0");
  const variable hang_report("LEAT_HANG_REPORT", "9");
  const variable thread_name("LEAT_THREAD_NAME", "grain");
  const variable stack_size("LEAT_STACK_SIZE", "1048576");
  leat::options o;
  EXPECT_EQ(o.resolved().thread_name, "grain");
  EXPECT_EQ(o.resolved().stack_size, 1048576u);
  EXPECT_EQ(o.resolved().hang_report_s, 9u);
  EXPECT_EQ(o.resolved().workers, 3u);
  EXPECT_EQ(o.resolved().spares, 5u);
  EXPECT_EQ(o.resolved().spin_us, 17u);
  EXPECT_EQ(o.resolved().interrupt_after_us, 0u);
  o.interrupt_after_us = 18;
  EXPECT_EQ(o.resolved().interrupt_after_us, 18u);
  o.workers = 2;
  o.spin_us = 0;
  EXPECT_EQ(o.resolved().workers, 2u);
  EXPECT_EQ(o.resolved().spin_us, 0u);
}

TEST_F(options, name_no_thread_so_that_it_is_cut) {
  leat::options o;
  o.workers = 10;
  o.spares = 0;
  o.thread_name = "thirteen_long";
  EXPECT_EQ(o.resolved().thread_name, "thirteen_long");
  o.workers = 11;
  expect_refused(o, {"thread_name", "'thirteen_long'", "'-10'", "15"});
  o.workers = 10;
  o.spares = 1;
  expect_refused(o, {"thread_name", "'thirteen_long'", "'-s0'"});
  o.spares = 0;
  o.hang_report_s = 1;
  expect_refused(o, {"thread_name", "'thirteen_long'", "'-hang'"});
  o.hang_report_s = 0;
  for (const char* bad : {"", "two words", "line\n", "\xc3\xa9"}) {
    o.thread_name = bad;
    expect_refused(o, {"thread_name", bad, "without blanks"});
  }
  o.thread_name.reset();
  const variable thread_name("LEAT_THREAD_NAME", "fourteen__long");
  expect_refused(o, {"LEAT_THREAD_NAME", "'fourteen__long'"});
}

TEST_F(options, give_no_thread_a_stack_that_the_system_refuses) {
  leat::options o;
  // The system's own minimum is above ours on AArch64: 128 KiB.
  const std::uint64_t least = std::max<std::uint64_t>(leat::stack_size_min, leat::platform::native::thread_stack_min());
  for (const std::uint64_t good : {least, std::uint64_t{1} << 20, leat::stack_size_max, std::uint64_t{0}}) {
    o.stack_size = good;
    EXPECT_EQ(o.resolved().stack_size, good);
  }
  for (const std::uint64_t bad : {std::uint64_t{1}, least - 1, leat::stack_size_max + 1}) {
    o.stack_size = bad;
    expect_refused(o, {"stack_size", std::to_string(bad)});
  }
  o.stack_size = least + 1;
  expect_refused(o, {"stack_size", std::to_string(least + 1), "page"});
  o.stack_size.reset();
  const variable stack_size("LEAT_STACK_SIZE", "4096");
  expect_refused(o, {"LEAT_STACK_SIZE", "4096"});
}

TEST_F(options, take_an_empty_variable_for_none) {
  const variable workers("LEAT_NUM_WORKERS", "");
  const variable scheduler("LEAT_SCHEDULER", "");
  const variable spin("LEAT_SPIN", "");
  const leat::options o = leat::options{}.resolved();
  EXPECT_EQ(o.workers, leat::topology::available_cpus());
  EXPECT_EQ(o.scheduler, "channel");
}

TEST_F(options, that_are_given_win_over_a_wrong_environment) {
  const variable workers("LEAT_NUM_WORKERS", "many");
  const variable scheduler("LEAT_SCHEDULER", "none");
  const variable spin("LEAT_SPIN", "long");
  leat::options o;
  o.workers = 1;
  o.scheduler = "channel";
  o.spin_us = 1;
  EXPECT_NO_THROW(o.resolved());
}

TEST_F(options, may_go_to_their_limits) {
  leat::options o;
  for (const std::uint64_t workers : {std::uint64_t{1}, std::uint64_t{leat::workers_max}}) {
    o.workers = workers;
    EXPECT_EQ(o.resolved().workers, workers);
  }
  for (const std::uint64_t spin : {std::uint64_t{0}, leat::spin_us_max}) {
    o.spin_us = spin;
    EXPECT_EQ(o.resolved().spin_us, spin);
  }
  for (const std::uint64_t spares : {std::uint64_t{0}, std::uint64_t{leat::spares_max}}) {
    o.spares = spares;
    EXPECT_EQ(o.resolved().spares, spares);
  }
  for (const std::uint64_t after : {std::uint64_t{0}, leat::interrupt_after_us_max}) {
    o.interrupt_after_us = after;
    EXPECT_EQ(o.resolved().interrupt_after_us, after);
  }
  o.deque_capacity = 1;
  EXPECT_EQ(o.resolved().deque_capacity, 1u);
  for (const char* strategy : {"adaptive", "steal-one", "steal-half"}) {
    o.strategy = strategy;
    EXPECT_EQ(o.resolved().strategy, strategy);
  }
  for (const std::string_view name : leat::scheduler_names()) {
    o.scheduler = std::string(name);
    EXPECT_EQ(o.resolved().scheduler, name);
  }
}

TEST_F(options, beyond_their_limits_are_refused_by_name_and_value) {
  for (const std::uint64_t wrong :
       {std::uint64_t{0}, std::uint64_t{leat::workers_max} + 1, std::uint64_t{10'000'000}}) {
    leat::options o;
    o.workers = wrong;
    expect_refused(o, {"workers", std::to_string(wrong), std::to_string(leat::workers_max)});
  }
  leat::options spins;
  spins.spin_us = leat::spin_us_max + 1;
  expect_refused(spins, {"spin_us", std::to_string(leat::spin_us_max + 1)});
  leat::options spares;
  spares.spares = leat::spares_max + 1;
  expect_refused(spares, {"spares", std::to_string(leat::spares_max + 1), std::to_string(leat::spares_max)});
  leat::options interrupts;
  interrupts.interrupt_after_us = leat::interrupt_after_us_max + 1;
  expect_refused(interrupts, {"interrupt_after_us", std::to_string(leat::interrupt_after_us_max + 1)});
  leat::options reports;
  reports.hang_report_s = leat::hang_report_s_max + 1;
  expect_refused(reports, {"hang_report_s", std::to_string(leat::hang_report_s_max + 1)});
  leat::options no_room;
  no_room.deque_capacity = 0;
  expect_refused(no_room, {"deque_capacity", "0"});
  leat::options too_much_room;
  too_much_room.deque_capacity = ~std::uint64_t{0};
  expect_refused(too_much_room, {"deque_capacity", std::to_string(~std::uint64_t{0})});
}

TEST_F(options, that_are_names_are_refused_with_the_known_ones) {
  leat::options o;
  o.scheduler = "fair";
  expect_refused(o, {"scheduler", "'fair'", "channel"});
  o.scheduler = "";
  expect_refused(o, {"scheduler", "''"});
  o.scheduler = "Channel";
  expect_refused(o, {"'Channel'"});
  leat::options s;
  s.strategy = "steal-all";
  expect_refused(s, {"strategy", "'steal-all'", "adaptive", "steal-one", "steal-half"});
}

TEST_F(options, of_the_environment_are_refused_by_variable_and_value) {
  for (const char* name :
       {"LEAT_NUM_WORKERS", "LEAT_SPARES", "LEAT_SPIN", "LEAT_INTERRUPT_AFTER", "LEAT_HANG_REPORT"}) {
    for (const char* wrong : {"four", "4x", " 4", "4 ", "-1", "+4", "0x4", "1e3", "4.0", ",", "18446744073709551616",
                              "99999999999999999999999999"}) {
      const variable v(name, wrong);
      expect_refused({}, {name, wrong});
    }
  }
  for (const char* wrong : {"0", "10000000", "4097"}) {
    const variable v("LEAT_NUM_WORKERS", wrong);
    expect_refused({}, {"LEAT_NUM_WORKERS", wrong});
  }
  {
    const variable v("LEAT_SPIN", "10000001");
    expect_refused({}, {"LEAT_SPIN", "10000001"});
  }
  const variable v("LEAT_SCHEDULER", "cilk");
  expect_refused({}, {"LEAT_SCHEDULER", "'cilk'", "channel"});
}

}  // namespace
