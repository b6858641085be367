// Threads in the leaves of a tree of bubbles: those of a leaf, and of leaves beside each other, stay near each other.
#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "idle_machine.hpp"
#include "leat/thread/bubble_tree.hpp"

namespace {

using leat::platform::simulated;
using leat::threads::bubble_tree_options;
using leat_test::carrying::on;
using leat_test::carrying::on_idle_machine;
using leat_test::carrying::thread_ns;
using tree = leat::threads::bubble_tree<simulated>;

/// The units that execute threads of a tree on four nodes of four units, `each` of them for each unit, in the order of their leaves.
std::vector<leat::topology::unit_id> units_of(const std::string& leaf_level, std::size_t each) {
  std::vector<leat::topology::unit_id> units(16 * each);
  on_idle_machine({{"numa", 4, 180}, {"core", 4, 60}}, "numa:4 core:4 pu:1", [&] {
    tree t(bubble_tree_options{.leaf_level = leaf_level});
    for (std::size_t i = 0; i < units.size(); ++i) {
      t.leaf_for(i, units.size()).spawn([&units, i] {
        units[i] = on::unit();
        simulated::work_ns(10 * thread_ns);
      });
    }
    t.wake();
    t.join();
  });
  return units;
}

// The nodes of each quarter of the threads: one, and another one for each quarter.
void expect_a_node_for_each_quarter(const std::vector<leat::topology::unit_id>& units) {
  std::set<leat::topology::unit_id> nodes;
  for (std::size_t q = 0; q < 4; ++q) {
    std::set<leat::topology::unit_id> here;
    for (std::size_t i = q * units.size() / 4; i < (q + 1) * units.size() / 4; ++i) here.insert(units[i] / 4);
    EXPECT_EQ(here.size(), 1u) << "quarter " << q;
    nodes.insert(*here.begin());
  }
  EXPECT_EQ(nodes.size(), 4u);
}

TEST(bubble_trees_in_worlds, give_each_node_its_quarter) {
  expect_a_node_for_each_quarter(units_of("", 1));
  expect_a_node_for_each_quarter(units_of("numa", 1));
  expect_a_node_for_each_quarter(units_of("numa", 2));
}

TEST(bubble_trees_in_worlds, give_each_unit_its_threads) {
  const auto units = units_of("", 2);
  expect_a_node_for_each_quarter(units);
  std::set<leat::topology::unit_id> all;
  for (std::size_t i = 0; i < units.size(); i += 2) {
    EXPECT_EQ(units[i], units[i + 1]) << "threads " << i << " and " << i + 1 << " are in one leaf";
    all.insert(units[i]);
  }
  EXPECT_EQ(all.size(), 16u);
}

}  // namespace
