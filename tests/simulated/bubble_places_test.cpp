// Where bubbles go by what the program says of them: how much there is to do in each, and what its members are to each other. On a quiet
// machine by time, where all units are idle when the bubbles come.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "idle_machine.hpp"

namespace {

using leat::bubbles::affinity;
using leat::platform::simulated;
using leat::threads::bubble_options;
using leat_test::carrying::bring_all;
using leat_test::carrying::on;
using leat_test::carrying::on_idle_machine;
using leat_test::carrying::thread_ns;

/// A bubble, and for each of its threads the unit that executes it.
struct part {
  bubble_options how;
  std::vector<leat::topology::unit_id> units;
};

void execute(std::vector<part>& parts) {
  on::bubble whole(bubble_options{.burst_level = "machine"});
  std::vector<std::unique_ptr<on::bubble>> inner;
  for (part& p : parts) {
    inner.push_back(std::make_unique<on::bubble>(p.how));
    for (auto& unit : p.units) {
      inner.back()->spawn([&unit] {
        unit = on::unit();
        simulated::work_ns(thread_ns);
      });
    }
    whole.insert(*inner.back());
  }
  whole.wake();
  whole.join();
}

// BUBBLE-1
void expect_first_by_itself(std::vector<part> parts) {
  on_idle_machine({{"numa", 2, 180}, {"core", 8, 60}}, "numa:2 core:8 pu:1", [&] { execute(parts); });
  const auto node = [&](std::size_t b) { return parts[b].units.front() / 8; };
  for (std::size_t b = 1; b < parts.size(); ++b) EXPECT_NE(node(b), node(0)) << "bubble " << b;
}

TEST(bubble_places, where_least_is_to_do) {
  const auto with = [](double work) {
    return part{{.burst_level = "numa", .work = work, .stays = true}, std::vector<leat::topology::unit_id>(1)};
  };
  expect_first_by_itself({with(5), with(1), with(2), with(1)});
}

TEST(bubble_places, as_many_threads_are_as_much_work) {
  const auto of = [](std::size_t threads) {
    return part{{.burst_level = "numa", .stays = true}, std::vector<leat::topology::unit_id>(threads)};
  };
  expect_first_by_itself({of(4), of(1), of(1), of(1), of(1)});
}

// What has ended is no load, though nobody has joined it.
TEST(bubble_places, what_has_ended_does_not_count) {
  std::array<leat::topology::unit_id, 3> unit{};
  on_idle_machine({{"numa", 2, 180}, {"core", 8, 60}}, "numa:2 core:8 pu:1", [&] {
    const auto with = [](double work) { return bubble_options{.burst_level = "numa", .work = work, .stays = true}; };
    const auto thread_of = [&](std::size_t b, double ns) {
      return [&unit, b, ns] {
        unit[b] = on::unit();
        simulated::work_ns(ns);
      };
    };
    on::bubble whole(bubble_options{.burst_level = "machine"}), lasts(with(2)), much(with(9)), last(with(1));
    whole.insert(lasts);
    whole.insert(much);
    lasts.spawn(thread_of(0, 10 * thread_ns));
    much.spawn(thread_of(1, thread_ns));
    last.spawn(thread_of(2, thread_ns));
    whole.wake();
    simulated::work_ns(4 * thread_ns);
    whole.insert(last);
    whole.join();
  });
  EXPECT_NE(unit[0] / 8, unit[1] / 8);
  EXPECT_EQ(unit[1] / 8, unit[2] / 8);
}

// REGENERATION-1: it goes down to the node that has less to do, but the unit that was free there takes something else.
TEST(bubble_places, not_for_long_where_nobody_is_free) {
  leat::topology::unit_id unit = 0, unit_of_works = 0;
  std::uint64_t inserted = 0, began = 0;
  on_idle_machine({{"numa", 2, 180}, {"core", 2, 60}}, "numa:2 core:2 pu:1", [&] {
    const auto with = [](double work) { return bubble_options{.burst_level = "numa", .work = work, .stays = true}; };
    on::bubble whole(bubble_options{.burst_level = "machine"}), waits(with(10)), works(with(1)), comes(with(1));
    on::barrier end(2);
    waits.spawn([&] { end.arrive_and_wait(); });
    works.spawn([&] {
      unit_of_works = on::unit();
      simulated::work_ns(9 * thread_ns);
    });
    comes.spawn([&] {
      unit = on::unit();
      began = simulated::now_ns();
    });
    whole.insert(waits);
    whole.insert(works);
    whole.wake();
    simulated::work_ns(thread_ns);
    inserted = simulated::now_ns();
    whole.insert(comes);
    works.spawn([] { simulated::work_ns(4 * thread_ns); }, {.priority = 1});
    comes.join();
    end.arrive_and_wait();
    whole.join();
  });
  EXPECT_LT(began - inserted, static_cast<std::uint64_t>(thread_ns));
  EXPECT_NE(unit / 2, unit_of_works / 2);
}

// THREAD-5: what bursts where all units are busy reaches those that rest elsewhere.
TEST(bubble_places, elsewhere_when_all_units_there_are_busy) {
  std::array<leat::topology::unit_id, 2> unit{};
  std::array<std::uint64_t, 2> began{};
  on_idle_machine({{"numa", 2, 180}, {"core", 2, 60}}, "numa:2 core:2 pu:1", [&] {
    on::bubble full(bubble_options{.burst_level = "numa"}), inner;
    const auto thread_of = [&](std::size_t i) {
      return [&unit, &began, i] {
        unit[i] = on::unit();
        began[i] = simulated::now_ns();
        simulated::work_ns(4 * thread_ns);
      };
    };
    inner.spawn(thread_of(0));
    inner.spawn(thread_of(1));
    full.spawn([&] {
      simulated::work_ns(thread_ns);  // the others have come, or rest
      full.insert(inner);
      inner.join();
    });
    full.spawn([] { simulated::work_ns(9 * thread_ns); });
    full.wake();
    full.join();
  });
  EXPECT_LT(std::max(began[0], began[1]) - std::min(began[0], began[1]), static_cast<std::uint64_t>(thread_ns));
  EXPECT_NE(unit[0] / 2, unit[1] / 2);
}

// Two threads that complement each other share a core; of others nobody says so.
TEST(bubble_places, symbiosis_is_a_core_for_two) {
  const auto pairs_on_a_core = [](affinity members) {
    std::vector<part> pairs(4, {{.members = members}, std::vector<leat::topology::unit_id>(2)});
    on_idle_machine({{"numa", 2, 180}, {"core", 4, 60}, {"pu", 2, 10}}, "numa:2 core:4 pu:2", [&] { execute(pairs); });
    return std::ranges::count_if(
        pairs, [](const part& two) { return two.units[0] / 2 == two.units[1] / 2 && two.units[0] != two.units[1]; });
  };
  EXPECT_EQ(pairs_on_a_core(affinity::symbiosis), 4);
  EXPECT_LT(pairs_on_a_core(affinity::none), 4);
}

}  // namespace
