// Graphs and memory: a run after the first one takes none, and where there is none a graph and a group stay whole.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "engines.hpp"
#include "fault/memory.hpp"

namespace {

using leat_test::allocations;
using leat_test::allocations_of_all;
using leat_test::engine;
using leat_test::failing_allocation;
using leat_test::shape;

// A square: each node waits for the one above and the one before. And many roots, which are all waited for by one node.
void add_square(engine::graph& g, std::size_t side, std::atomic<int>& ran) {
  std::vector<engine::graph::node> all(side * side);
  for (std::size_t at = 0; at < all.size(); ++at) {
    all[at] = g.add([&ran, ballast = std::array<char, 50>{}] { ran += 1 + ballast[0]; });
    if (at >= side) all[at].succeed(all[at - side]);
    if (at % side != 0) all[at].succeed(all[at - 1]);
  }
  for (std::size_t i = 0; i < 100; ++i) g.add([&ran] { ++ran; }).precede(all.back());
}

TEST(graph_memory, a_run_after_the_first_one_allocates_nothing) {
  for (const std::uint32_t workers : {1u, 2u, 4u}) {
    engine e(shape{workers});
    engine::graph g;
    std::atomic<int> ran{0};
    constexpr std::size_t side = 40;
    add_square(g, side, ran);
    std::uint64_t made = 0;
    e.run([&] {
      g.run();
      const std::uint64_t before = allocations_of_all();
      for (int round = 0; round < 50; ++round) g.run(round % 2 == 0 ? leat::task::wait::own : leat::task::wait::any);
      made = allocations_of_all() - before;
    });
    EXPECT_EQ(made, 0u) << workers << " workers";
    EXPECT_EQ(ran, 51 * static_cast<int>(side * side + 100));
  }
}

// Each allocation of a graph that is made and run fails in turn.
TEST(graph_memory, a_graph_that_lacks_memory_is_as_it_was) {
  engine e(shape{1});
  e.run([] {
    for (long fails = 0;; ++fails) {
      ASSERT_LT(fails, 100);
      engine::graph g;
      std::atomic<int> ran{0};
      std::vector<engine::graph::node> nodes;
      nodes.reserve(10);
      bool whole = true;
      {
        const failing_allocation next(fails);
        for (int i = 0; i < 10; ++i) {
          try {
            nodes.push_back(g.add([&ran, ballast = std::array<char, 50>{}] { ran += 1 + ballast[0]; }));
            if (nodes.size() > 1) nodes.back().succeed(nodes[nodes.size() - 2]);
          } catch (const std::bad_alloc&) {
            whole = false;
          }
        }
        try {
          g.run();
        } catch (const std::bad_alloc&) {
          whole = false;
          EXPECT_EQ(ran.exchange(0), 0);
          g.run();
        }
      }
      EXPECT_EQ(ran, static_cast<int>(nodes.size()));
      if (whole) return;
    }
  });
}

TEST(graph_memory, dependent_tasks_use_their_blocks_again) {
  engine e(shape{1});
  const std::uint64_t made = e.run([] {
    std::uint64_t before = 0;
    for (int round = 0; round < 20; ++round) {
      if (round == 10) before = allocations();
      engine::task_group group;
      int ran = 0;
      engine::task_handle last;
      for (int i = 0; i < 200; ++i) last = group.spawn_after({last}, [&ran, i] { ran += ran == i; });
      group.wait();
      EXPECT_EQ(ran, 200);
    }
    return allocations() - before;
  });
  EXPECT_EQ(made, 0u);
}

// Each allocation of a few tasks fails in turn: their blocks, the links of many handles, the growing deque.
TEST(graph_memory, a_group_whose_dependent_tasks_lack_memory_ends) {
  for (const std::size_t capacity : {1, 1024}) {
    engine e(shape{1, capacity});
    e.run([] {
      for (long fails = 0;; ++fails) {
        ASSERT_LT(fails, 500);
        int lacked = 0;
        int ran = 0;
        int made = 0;
        {
          engine::task_group group;
          std::vector<engine::task_handle> all;
          all.reserve(41);
          all.push_back(group.spawn_after({}, [&ran] { ++ran; }));
          const failing_allocation next(fails);
          for (int i = 0; i < 40; ++i) {
            try {
              all.push_back(group.spawn_after(i % 10 == 9 ? all : std::vector{all.front()},
                                              [&ran, ballast = std::array<char, 100>{}] { ran += 1 + ballast[0]; }));
              ++made;
            } catch (const std::bad_alloc&) {
              ++lacked;
            }
          }
          try {
            group.wait();
          } catch (const std::bad_alloc&) {
            ++lacked;
          }
          for (const auto& h : all) EXPECT_TRUE(h.done());
        }
        if (lacked != 0) continue;
        EXPECT_EQ(ran, made + 1);
        return;
      }
    });
  }
}

}  // namespace
