// The machine tree: descriptions, places, distances, and what the host says of itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "leat/topology/cpus.hpp"
#include "leat/topology/machine.hpp"
#include "leat/topology/memory.hpp"
#include "leat/topology/places.hpp"
#include "variable.hpp"

namespace {

using leat::topology::domain;
using leat::topology::domain_id;
using leat::topology::machine;
using leat::topology::root_domain;
using leat::topology::unit_id;
using leat_test::variable;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

std::string why_refused(const std::string& text) {
  try {
    machine::synthetic(text);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "accepted";
}

// What makes it a tree in depth-first order, whose domains have their units side by side.
void expect_whole(const machine& m) {
  const auto& all = m.domains();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[root_domain].parent, root_domain);
  EXPECT_EQ(all[root_domain].depth, 0u);
  domain_id met = 0;
  unit_id unit = 0;
  const auto visit = [&](const auto& self, domain_id d) -> void {
    ASSERT_EQ(d, met++);
    EXPECT_EQ(all[d].first_unit, unit);
    EXPECT_LT(all[d].depth, m.levels());
    if (all[d].children.empty()) {
      EXPECT_EQ(m.leaf(unit), d);
      ++unit;
    }
    for (const domain_id child : all[d].children) {
      EXPECT_EQ(all[child].parent, d);
      EXPECT_EQ(all[child].depth, all[d].depth + 1);
      self(self, child);
    }
    EXPECT_EQ(unit - all[d].first_unit, all[d].units);
  };
  visit(visit, root_domain);
  EXPECT_EQ(met, all.size());
  EXPECT_EQ(unit, m.units());
  for (unit_id u = 0; u < m.units(); ++u) {
    const std::vector<domain_id> path = m.path(u);
    ASSERT_EQ(path.front(), root_domain);
    ASSERT_EQ(path.back(), m.leaf(u));
    for (std::size_t i = 1; i < path.size(); ++i) ASSERT_EQ(all[path[i]].parent, path[i - 1]);
  }
}

TEST(machine, follows_its_description) {
  const machine m = machine::synthetic("numa:4 core:4 pu:1");
  expect_whole(m);
  EXPECT_EQ(m.units(), 16u);
  EXPECT_EQ(m.levels(), 4u);
  EXPECT_EQ(m.domains().size(), 1u + 4 + 16 + 16);
  EXPECT_EQ(m.from(), machine::source::described);
  EXPECT_EQ(m[root_domain].kind, "machine");
  EXPECT_THAT(m[root_domain].children, ElementsAre(1, 10, 19, 28));
  const domain& third = m[19];
  EXPECT_EQ(third.kind, "numa");
  EXPECT_EQ(third.index, 2u);
  EXPECT_EQ(third.first_unit, 8u);
  EXPECT_EQ(third.units, 4u);
  EXPECT_FALSE(third.has(7));
  EXPECT_TRUE(third.has(8));
  EXPECT_TRUE(third.has(11));
  EXPECT_FALSE(third.has(12));
  EXPECT_EQ(m[m.leaf(15)].index, 15u);
  EXPECT_EQ(m.depth_of("machine"), 0u);
  EXPECT_EQ(m.depth_of("core"), 2u);
  EXPECT_EQ(m.depth_of("l3"), std::nullopt);
}

TEST(machine, has_the_same_words_as_hwloc) {
  const machine m = machine::synthetic("  Package:2\tNUMANode:1 L3Cache:2 Core:1 PU:2 ");
  EXPECT_EQ(m, machine::synthetic("socket:2 node:1 l3:2 core:1 pu:2"));
  EXPECT_EQ(m.depth_of("numa"), 2u);
  EXPECT_EQ(machine::synthetic("group:2 group:2 pu:1").levels(), 4u);
}

TEST(machine, can_be_deep) {
  const machine m = machine::synthetic("group:2 package:4 numa:4 core:8 pu:2");
  expect_whole(m);
  EXPECT_EQ(m.units(), 512u);
  EXPECT_EQ(m.levels(), 6u);
  EXPECT_EQ(m.path(511).size(), 6u);
  EXPECT_EQ(m.distance(3, 3), 0u);
  EXPECT_EQ(m.distance(2, 3), 1u);  // of a core
  EXPECT_EQ(m.distance(3, 4), 2u);
  EXPECT_EQ(m.distance(0, 15), 2u);  // of a node
  EXPECT_EQ(m.distance(0, 16), 3u);
  EXPECT_EQ(m.distance(63, 64), 4u);  // of a group
  EXPECT_EQ(m.distance(0, 256), 5u);
  for (unit_id a = 0; a < m.units(); a += 7) {
    for (unit_id b = 0; b < m.units(); ++b) {
      ASSERT_EQ(m.distance(a, b), m.distance(b, a));
      const domain& both = m[m.common(a, b)];
      ASSERT_TRUE(both.has(a) && both.has(b));
      for (const domain_id child : both.children) ASSERT_FALSE(m[child].has(a) && m[child].has(b));
    }
  }
}

TEST(machine, may_be_as_large_as_the_limits_say) {
  std::string levels;
  for (std::uint32_t i = 1; i < leat::topology::levels_max; ++i) levels += "group:2 ";
  const machine m = machine::synthetic(levels + "pu:2");
  EXPECT_EQ(m.units(), leat::topology::units_max);
  EXPECT_EQ(m.levels(), leat::topology::levels_max + 1);
  EXPECT_EQ(m.distance(0, m.units() - 1), leat::topology::levels_max);
  EXPECT_THAT(why_refused(levels + "pu:3"), HasSubstr("'pu:3' makes more than 65536 units"));
  EXPECT_THAT(why_refused("group:1 " + levels + "pu:1"), HasSubstr("'pu:1' is a level more than 16"));
}

TEST(machine, is_refused_with_the_word_that_is_wrong) {
  EXPECT_THAT(why_refused("numa:4 cor:4 pu:1"), HasSubstr("machine 'numa:4 cor:4 pu:1': 'cor:4' begins with none of"));
  EXPECT_THAT(why_refused("core"), HasSubstr("'core' must be a word, a colon and a number between 1 and 65536"));
  for (const std::string word : {"core:", "core:0", "core:-1", "core:x", "core:4x", "core:1.5", "core:65537", "core: 4",
                                 "core:99999999999999999999", "core:4:4"}) {
    EXPECT_THAT(why_refused(word + " pu:1"), HasSubstr("'" + word.substr(0, word.find(' ')) + "' must be")) << word;
  }
  EXPECT_THAT(why_refused("4 4"), HasSubstr("'4' begins with none of"));
  EXPECT_THAT(why_refused("core:2 core:2 pu:1"), HasSubstr("'core:2': there is such a level already"));
  EXPECT_THAT(why_refused("pu:2 core:2"), HasSubstr("'core:2' comes after pu"));
  EXPECT_THAT(why_refused("core:2"), HasSubstr("must end with pu"));
  EXPECT_THAT(why_refused(""), HasSubstr("has no levels"));
  EXPECT_THAT(why_refused(" \t"), HasSubstr("has no levels"));
}

TEST(machine, can_be_flat) {
  const machine m = machine::flat(5);
  expect_whole(m);
  EXPECT_EQ(m.from(), machine::source::flat);
  EXPECT_EQ(m.levels(), 2u);
  EXPECT_EQ(m.distance(0, 4), 1u);
  EXPECT_EQ(m.cpu(3), 3u);
  EXPECT_THROW(machine::flat(0), std::invalid_argument);
  EXPECT_THROW(machine::flat(leat::topology::units_max + 1), std::invalid_argument);
}

TEST(machine, is_refused_with_the_level_that_is_wrong) {
  using levels = std::vector<machine::level>;
  EXPECT_THROW(machine::regular(levels{}), std::invalid_argument);
  EXPECT_THROW(machine::regular(levels{{"tray", 2}, {"blade", 0}}), std::invalid_argument);
  EXPECT_THROW(machine::regular(levels{{"", 2}}), std::invalid_argument);
  EXPECT_THROW(machine::regular(levels(leat::topology::levels_max + 1, {"tray", 1})), std::invalid_argument);
  EXPECT_EQ(machine::regular(levels{{"tray", 2}, {"blade", 3}}).depth_of("blade"), 2u);
}

TEST(places, are_one_of_each_core_first) {
  EXPECT_THAT(places(machine::synthetic("package:2 core:2 pu:2")), ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  EXPECT_THAT(places(machine::flat(3)), ElementsAre(0, 1, 2));
  EXPECT_THAT(places(machine::synthetic("numa:2 pu:2")), ElementsAre(0, 1, 2, 3));
}

// -- the host ---------------------------------------------------------------------------------------------------------

class host : public ::testing::Test {
 private:
  variable xml_{"HWLOC_XMLFILE", nullptr};
  variable synthetic_{"HWLOC_SYNTHETIC", nullptr};
};

TEST_F(host, has_the_cpus_that_this_process_may_use) {
  const machine m = machine::of_host();
  expect_whole(m);
  EXPECT_EQ(m.from(), machine::source::host);
  std::vector<unsigned> cpus;
  for (unit_id u = 0; u < m.units(); ++u) cpus.push_back(m.cpu(u));
  std::sort(cpus.begin(), cpus.end());
  EXPECT_THAT(cpus, ElementsAreArray(leat::topology::read_cpus().allowed));
}

TEST_F(host, gives_memory_for_any_domain) {
  const machine m = machine::of_host();
  for (const domain_id d : {root_domain, m.leaf(0), m.leaf(m.units() - 1)}) {
    leat::topology::domain_memory near(m, d);
    std::pmr::vector<long> numbers(100'000, &near);
    std::iota(numbers.begin(), numbers.end(), 0);
    EXPECT_EQ(std::accumulate(numbers.begin(), numbers.end(), 0L), 4'999'950'000);
    numbers.assign(200'000, 1);
    void* const nothing = near.allocate(0, 64);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(nothing) % 64, 0u);
    near.deallocate(nothing, 0, 64);
  }
  leat::topology::domain_memory one(m, root_domain);
  EXPECT_TRUE(one.is_equal(leat::topology::domain_memory(m, root_domain)));
  EXPECT_FALSE(one.is_equal(*std::pmr::new_delete_resource()));
  EXPECT_THROW(leat::topology::domain_memory(m, static_cast<domain_id>(m.domains().size())), std::invalid_argument);
}

TEST(domain_memory, of_another_machine_is_plain) {
  leat::topology::domain_memory some(machine::synthetic("numa:2 pu:2"), 1);
  const std::pmr::vector<int> numbers(1000, 7, &some);
  EXPECT_EQ(numbers[999], 7);
}

// Whether leat was built with hwloc: only then another machine may stand in for the host.
bool has_hwloc() {
  const variable described("HWLOC_SYNTHETIC", "pu:3");
  return machine::of_host().from() == machine::source::described;
}

TEST_F(host, may_be_described_by_the_environment) {
  if (!has_hwloc()) GTEST_SKIP() << "built without hwloc";
  const variable described("HWLOC_SYNTHETIC", "package:2 numa:2 l3:2 core:2 pu:2");
  const machine m = machine::of_host();
  expect_whole(m);
  EXPECT_EQ(m.from(), machine::source::described);
  EXPECT_EQ(m, machine::synthetic("package:2 numa:2 l3:2 core:2 pu:2"));
}

TEST_F(host, refuses_what_the_environment_describes_badly) {
  if (!has_hwloc()) GTEST_SKIP() << "built without hwloc";
  const auto why = [] {
    try {
      machine::of_host();
    } catch (const std::invalid_argument& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  {
    const variable described("HWLOC_SYNTHETIC", "cores:many");
    EXPECT_THAT(why(), HasSubstr("HWLOC_SYNTHETIC = 'cores:many': "));
  }
  const variable file("HWLOC_XMLFILE", "/nonexistent/machine.xml");
  EXPECT_THAT(why(), HasSubstr("HWLOC_XMLFILE = '/nonexistent/machine.xml': "));
}

}  // namespace
