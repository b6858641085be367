// Trees of bubbles: their shape is the machine's, and threads get their shares of it.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "carried.hpp"
#include "leat/bubble.hpp"
#include "leat/bubble/nests.hpp"

namespace {

using leat::bubbles::leaf_with;
using leat::bubbles::nests_of;
using leat::bubbles::unit_for;
using leat::threads::bubble_tree_options;
using leat::topology::machine;
using leat_test::carrying_shapes;
using leat_test::engine;
using leat_test::machine_of;
using leat_test::on_each_shape;
using leat_test::shape;
using on = leat_test::carried<engine>;
using tree = leat::threads::bubble_tree<engine::platform>;

constexpr std::uint32_t all_the_way = ~std::uint32_t{0};

std::string shape_of(const std::string& description, std::uint32_t depth_max = all_the_way) {
  const machine m = machine::synthetic(description);
  std::string text;
  for (const auto& n : nests_of(m, depth_max)) {
    text += m[n.domain].kind + std::to_string(m[n.domain].index) + "<" + std::to_string(n.around);
    text += n.inside == 0 ? " " : ":" + std::to_string(n.inside) + " ";
  }
  return text;
}

TEST(bubble_trees, have_a_bubble_for_each_domain_that_divides_the_machine) {
  EXPECT_EQ(shape_of("pu:2"), "machine0<0:2 pu0<0 pu1<0 ");
  EXPECT_EQ(shape_of("pu:1"), "machine0<0 ");
  EXPECT_EQ(shape_of("numa:2 core:2 pu:1"), "machine0<0:2 numa0<0:2 core0<1 core1<1 numa1<0:2 core2<4 core3<4 ");
  EXPECT_EQ(shape_of("package:1 numa:2 pu:1"), "machine0<0:2 numa0<0 numa1<0 ");
  EXPECT_EQ(shape_of("numa:2 l3:1 core:2 pu:2", 2), "machine0<0:2 numa0<0 numa1<0 ") << "no deeper than that";
  EXPECT_EQ(shape_of("numa:2 l3:1 core:1 pu:2", 3), "machine0<0:2 numa0<0 numa1<0 ");
  EXPECT_EQ(shape_of("numa:2 core:2 pu:2", 0), "machine0<0 ");
}

TEST(bubble_trees, each_unit_is_in_one_leaf) {
  for (const std::string description : {"pu:3", "numa:2 core:3 pu:2", "package:2 numa:1 l3:2 core:2 pu:1"}) {
    const machine m = machine::synthetic(description);
    for (std::uint32_t depth = 0; depth < m.levels(); ++depth) {
      const auto nests = nests_of(m, depth);
      std::vector<int> times(m.units());
      for (const auto& n : nests)
        for (leat::topology::unit_id u = 0; u < m.units(); ++u) times[u] += n.inside == 0 && m[n.domain].has(u);
      for (leat::topology::unit_id u = 0; u < m.units(); ++u) {
        EXPECT_EQ(times[u], 1) << description << ", unit " << u;
        EXPECT_TRUE(m[nests[leaf_with(nests, m, u)].domain].has(u));
        EXPECT_EQ(nests[leaf_with(nests, m, u)].inside, 0u);
      }
    }
  }
}

TEST(bubble_trees, units_get_equal_shares_in_order) {
  for (const std::uint32_t units : {1u, 2u, 3u, 7u, 16u}) {
    for (std::size_t threads = 1; threads < 50; ++threads) {
      std::vector<std::size_t> share(units);
      leat::topology::unit_id last = 0;
      for (std::size_t i = 0; i < threads; ++i) {
        const auto u = unit_for(i, threads, units);
        ASSERT_LT(u, units);
        EXPECT_GE(u, last);
        last = u;
        ++share[u];
      }
      for (const std::size_t s : share) EXPECT_LE(s, threads / units + (threads % units != 0));
    }
  }
}

TEST(bubble_trees, run_what_is_put_into_them) {
  on_each_shape<engine>(carrying_shapes(), [](engine& e, const shape& s) {
    on::run(e, machine_of(s.workers), [&] {
      for (const bool stays : {false, true}) {
        tree t(bubble_tree_options{.stays = stays});
        EXPECT_EQ(t.leaves(), s.workers);
        std::atomic<int> ran{0};
        for (std::size_t i = 0; i < t.leaves(); ++i) t.leaf(i).spawn([&] { ++ran; });
        for (std::size_t i = 0; i < 10; ++i) t.leaf_for(i, 10).spawn([&] { on::thread::yield(), ++ran; });
        t.wake();
        t.whole().spawn([&] { ++ran; });
        t.join();
        EXPECT_EQ(ran, static_cast<int>(s.workers) + 11);
      }
    });
  });
}

TEST(bubble_trees, may_be_dropped_before_they_are_woken) {
  engine e(shape{2});
  on::run(e, "numa:2 pu:2", [] {
    std::atomic<int> ran{0};
    {
      tree t(bubble_tree_options{.leaf_level = "numa"});
      EXPECT_EQ(t.leaves(), 2u);
      for (std::size_t i = 0; i < 2; ++i) t.leaf(i).spawn([&] { ++ran; });
    }
    tree empty;
    empty.wake();
    empty.join();
    EXPECT_EQ(ran, 0);
  });
}

TEST(bubble_trees, name_their_bubbles_by_domain) {
  engine e(shape{1});
  on::run(e, "numa:2 core:2 pu:1", [] {
    tree t;
    ASSERT_EQ(t.leaves(), 4u);
    EXPECT_EQ(&t.around(0), &t.whole());
    EXPECT_EQ(&t.around(3), &t.leaf(0)) << "a unit is its core";
    EXPECT_EQ(&t.around(2), &t.leaf(0));
    EXPECT_NE(&t.around(1), &t.whole());
    EXPECT_NE(&t.around(1), &t.leaf(0));
    EXPECT_EQ(&t.leaf_for(2, 8), &t.leaf(1));
    EXPECT_EQ(&t.leaf_for(1, 2), &t.leaf(2));
  });
}

template <class Wrong, class F>
std::string said(F f) {
  try {
    f();
  } catch (const Wrong& e) {
    return e.what();
  }
  return "nothing";
}

TEST(bubble_trees, say_what_is_wrong) {
  EXPECT_THROW(tree(), std::logic_error);
  engine e(shape{1});
  on::run(e, "numa:2 pu:2", [] {
    EXPECT_NE(said<std::invalid_argument>([] { tree t(bubble_tree_options{.leaf_level = "socket"}); }).find("socket"),
              std::string::npos);
    tree t;
    EXPECT_EQ(said<std::out_of_range>([&] { t.leaf(4); }), "leat::bubble_tree::leaf: 4 is not below 4");
    EXPECT_EQ(said<std::out_of_range>([&] { t.leaf_for(7, 7); }), "leat::bubble_tree::leaf_for: 7 is not below 7");
    EXPECT_EQ(said<std::out_of_range>([&] { t.leaf_for(0, 0); }), "leat::bubble_tree::leaf_for: 0 is not below 0");
    EXPECT_EQ(said<std::out_of_range>([&] { t.around(99); }), "leat::bubble_tree::around: 99 is not below 7");
  });
}

}  // namespace
