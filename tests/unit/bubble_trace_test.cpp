// What a trace of bubbles tells.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "carried.hpp"
#include "leat/bubble.hpp"

namespace {

using leat::bubbles::incident_names;
using leat::bubbles::trace;
using leat::bubbles::trace_event;
using leat::threads::bubble_options;
using leat_test::engine;
using leat_test::shape;

// "0 burst machine" and so on: the bubble, what happened, and the other bubble or the domain.
std::vector<std::string> told(const trace& t) {
  std::vector<std::string> lines;
  std::uint64_t before = 0;
  for (const trace_event& e : t.events()) {
    EXPECT_GE(e.ns, before) << "in the order of time";
    before = e.ns;
    std::string line = std::to_string(e.bubble) + " " + incident_names[static_cast<std::size_t>(e.what)];
    const auto& p = t.places()[e.at];
    if (e.other != trace_event::nobody) line += " " + std::to_string(e.other);
    else line += " " + std::string(p.kind.data()) + " " + std::to_string(p.index);
    lines.push_back(line);
  }
  return lines;
}

// Fills a bubble with two that burst on nodes, and lets all end.
template <class Engine>
void nest() {
  using on = leat_test::carried<Engine>;
  typename on::bubble whole(bubble_options{.burst_level = "machine"}), left(bubble_options{.burst_level = "numa"});
  whole.insert(left);
  left.spawn([] {});
  whole.wake();
  whole.join();
}

TEST(bubble_traces, have_a_bubbles_way_from_its_wake_to_its_end) {
  engine e(shape{1});
  trace seen(100);
  e.run([&] {
    auto main = [] { nest<engine>(); };
    leat::threads::run_threads<engine::platform>(main, leat::topology::machine::synthetic("numa:2 core:2 pu:1"), &seen);
  });
  const std::vector<std::string> expected{"1 inserted 0",         "0 woken machine 0", "0 burst machine 0",
                                          "1 released machine 0", "1 down numa 0",     "1 burst numa 0",
                                          "1 ended machine 0",    "0 ended machine 0"};
  EXPECT_EQ(told(seen), expected);
  EXPECT_EQ(seen.left_out(), 0u);
  ASSERT_EQ(seen.places().size(), 1u + 2 + 4 + 4);
  EXPECT_STREQ(seen.places()[1].kind.data(), "numa");
  EXPECT_EQ(seen.places()[1].units, 2u);
  EXPECT_EQ(seen.events()[4].threads, 1u);
}

TEST(bubble_traces, keep_the_first_events_and_count_the_others) {
  engine e(shape{1});
  trace seen(3);
  e.run([&] {
    auto main = [] { nest<engine>(); };
    leat::threads::run_threads<engine::platform>(main, leat::topology::machine::synthetic("numa:2 pu:1"), &seen);
  });
  EXPECT_EQ(told(seen).back(), "0 burst machine 0");
  EXPECT_EQ(seen.left_out(), 5u);
}

TEST(bubble_trace, has_a_limited_size) {
  EXPECT_THROW(leat::bubble_trace(0), std::invalid_argument);
  EXPECT_THROW(leat::bubble_trace(leat::bubbles::trace_events_max + 1), std::invalid_argument);
  trace seen(1);
  EXPECT_THROW(seen.begin(leat::topology::machine::synthetic("core:4096 pu:2")), std::invalid_argument);
}

TEST(bubble_trace, comes_out_of_the_public_call) {
  leat::options o;
  o.workers = 2;
  leat::runtime rt(o);
  leat::bubble_trace seen;
  rt.run([&] { leat::run_threads([] { nest<leat_test::engine>(); }, {.machine = "numa:2 pu:1", .trace = &seen}); });
  EXPECT_EQ(seen.events().back().what, leat::bubbles::incident::ended);
}

}  // namespace
